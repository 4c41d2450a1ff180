#include "engine/adoption_admin.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/point.h"
#include "codec/rows/row_key.h"
#include "codec/rows/tsuid.h"
#include "codec/text/number.h"
#include "engine/rows/series_key.h"
#include "engine/series/active_sets.h"
#include "engine/series/series_table.h"
#include "engine/table/tables.h"
#include "uid/uid_directory.h"
#include "uid/uid_store.h"

namespace hourcell {
namespace {

// A series of rows, and its names for as long as it is looked up.
struct AdoptedSeries {
  std::string tsuid;
  std::string metric;
  std::vector<std::pair<std::string, std::string>> names = {};  // of tags
  std::vector<TagView> tags = {};
  PointView point = {};
  std::string fault = {};  // empty: none
  SeriesRef ref = {};
};

// One call of IndexRows.
class RowIndexing {
 public:
  RowIndexing(const AdoptionAdmin::Parts& parts, std::vector<RowFault>* faults)
      : parts_(parts), faults_(*faults) {}

  absl::Status Run(std::span<const std::string> keys) {
    for (size_t i = 0; i < keys.size(); ++i)
      HOURCELL_RETURN_IF_ERROR(AddRow(i, keys[i]));
    HOURCELL_RETURN_IF_ERROR(MakeSeries());
    using MetricDay = std::pair<Uid, uint32_t>;
    std::map<MetricDay, std::vector<SeriesNumber>> active;
    for (const Row& row : rows_) {
      if (!row.fault.empty()) {
        faults_.push_back({.index = row.index, .fault = row.fault});
      } else if (!row.series->fault.empty()) {
        faults_.push_back({.index = row.index, .fault = row.series->fault});
      } else {
        active[{row.series->ref.metric, DayOf(row.base_time_s)}].push_back(row.series->ref.number);
      }
    }
    std::vector<Mutation> group;
    for (auto& [of, numbers] : active) {
      AppendActiveSet(parts_.row_keys->layout(), of.first, of.second, std::move(numbers), &group);
    }
    return parts_.tables->Apply(group, /*sync=*/true);
  }

 private:
  struct Row {
    size_t index = 0;
    uint32_t base_time_s = 0;
    AdoptedSeries* series = nullptr;
    std::string fault = {};
  };

  absl::Status AddRow(size_t index, const std::string& key) {
    Row& row = rows_.emplace_back();
    row.index = index;
    const absl::StatusOr<RowKeyView> parsed = parts_.row_keys->Parse(key);
    if (!parsed.ok()) {
      row.fault = MessageOf(parsed.status());
      return absl::OkStatus();
    }
    row.base_time_s = parsed->base_time_s;
    std::string tsuid;
    RowKeyCodec::AppendTsuid(*parsed, &tsuid);
    std::string expected;
    parts_.row_keys->Append(tsuid, parsed->base_time_s, &expected);
    if (expected != key) {
      row.fault = fmt::format("row key {}: expected {}; the salt's width or buckets differ",
                              ToHex(key), ToHex(expected));
      return absl::OkStatus();
    }
    std::unique_ptr<AdoptedSeries>& series = series_[tsuid];
    row.series = series.get();
    if (row.series != nullptr) return absl::OkStatus();
    series = std::make_unique<AdoptedSeries>();
    row.series = series.get();
    row.series->tsuid = std::move(tsuid);
    return FindNames(row.series);
  }

  absl::Status FindNames(AdoptedSeries* series) {
    HOURCELL_ASSIGN_OR_RETURN(const SeriesUids uids,
                              ParseTsuid(parts_.row_keys->layout(), series->tsuid));
    const auto not_after =
        std::ranges::adjacent_find(uids.tags, std::ranges::greater_equal(), &TagUids::tagk);
    if (not_after != uids.tags.end()) {
      series->fault = fmt::format("series {}: expected each tag key once, ascending by UID",
                                  ToHex(series->tsuid));
      return absl::OkStatus();
    }
    HOURCELL_RETURN_IF_ERROR(FindName(UidKind::kMetric, uids.metric, series, &series->metric));
    for (const TagUids& tag : uids.tags) {
      auto& [key, value] = series->names.emplace_back();
      HOURCELL_RETURN_IF_ERROR(FindName(UidKind::kTagk, tag.tagk, series, &key));
      HOURCELL_RETURN_IF_ERROR(FindName(UidKind::kTagv, tag.tagv, series, &value));
    }
    for (const auto& [key, value] : series->names)
      series->tags.push_back({.key = key, .value = value});
    series->point = {
        .metric = series->metric, .tags = series->tags, .timestamp = {}, .value = Value()};
    return absl::OkStatus();
  }

  absl::Status FindName(UidKind kind, Uid uid, AdoptedSeries* series, std::string* name) {
    absl::StatusOr<std::string> found = parts_.uids->NameOf(kind, uid);
    if (found.ok()) {
      *name = *std::move(found);
    } else if (absl::IsNotFound(found.status())) {
      series->fault = MessageOf(found.status());
    } else {
      return found.status();
    }
    return absl::OkStatus();
  }

  absl::Status MakeSeries() {
    std::vector<AdoptedSeries*> wanted;
    std::vector<const PointView*> points;
    for (const auto& [tsuid, series] : series_) {
      if (!series->fault.empty()) continue;
      wanted.push_back(series.get());
      points.push_back(&series->point);
    }
    std::vector<Parsed<SeriesRef>> results;
    parts_.series->GetOrCreate(points, &results);
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (!results[i].ok()) return absl::UnavailableError(results[i].error().text);
      wanted[i]->ref = *results[i];
    }
    return absl::OkStatus();
  }

  const AdoptionAdmin::Parts& parts_;
  std::vector<RowFault>& faults_;
  std::vector<Row> rows_;
  absl::flat_hash_map<std::string, std::unique_ptr<AdoptedSeries>> series_;  // by tsuid
};

}  // namespace

absl::Status AdoptionAdmin::RestoreNames(UidKind kind,
                                         std::span<const RestoredName> names,
                                         Uid highest) {
  if (parts_.before_change) HOURCELL_RETURN_IF_ERROR(parts_.before_change());
  UidAssignment assignment(parts_.uids);
  for (const RestoredName& name : names)
    HOURCELL_RETURN_IF_ERROR(assignment.Restore(kind, name.name, name.uid));
  assignment.RaiseCounter(kind, highest);
  const std::vector<UidChange> changes = assignment.changes();
  if (changes.empty()) return Acknowledge();
  HOURCELL_RETURN_IF_ERROR(parts_.uid_store->Commit(changes));
  assignment.Publish();
  return Acknowledge();
}

Uid AdoptionAdmin::HighestUid(UidKind kind) {
  return parts_.uids->stats(kind).ids_used;
}

absl::Status AdoptionAdmin::IndexRows(std::span<const std::string> keys,
                                      std::vector<RowFault>* faults) {
  faults->clear();
  if (parts_.before_change) HOURCELL_RETURN_IF_ERROR(parts_.before_change());
  HOURCELL_RETURN_IF_ERROR(RowIndexing(parts_, faults).Run(keys));
  return Acknowledge();
}

absl::Status AdoptionAdmin::ReplaceRow(std::string_view key, std::string_view cell) {
  if (parts_.before_change) HOURCELL_RETURN_IF_ERROR(parts_.before_change());
  const Mutation change = {.table = TableId::kData,
                           .kind = cell.empty() ? Mutation::Kind::kDelete : Mutation::Kind::kSet,
                           .key = std::string(key),
                           .value = std::string(cell)};
  HOURCELL_RETURN_IF_ERROR(parts_.tables->Apply({&change, 1}, /*sync=*/true));
  return Acknowledge();
}

absl::Status AdoptionAdmin::Acknowledge() const {
  return parts_.check_is_writer ? parts_.check_is_writer() : absl::OkStatus();
}

}  // namespace hourcell
