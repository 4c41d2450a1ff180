#include "engine/series_table.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/tsuid.h"
#include "engine/key_range.h"

namespace hourcell {
namespace {

// What was wrong with a name of a point, as OpenTSDB says it on the wire.
PointError NameError(const absl::Status& status, std::string_view where) {
  const std::string text(status.message());
  switch (status.code()) {
    case absl::StatusCode::kNotFound:
      return {PointErrorKind::kUnknownName, text};
    case absl::StatusCode::kInvalidArgument:
      return {PointErrorKind::kIllegalArgument, fmt::format("{}: {}", where, text)};
    case absl::StatusCode::kUnavailable:
      return {PointErrorKind::kThrottled, text};
    default:
      return {PointErrorKind::kStorage, text};
  }
}

std::string MetricPlace(std::string_view metric) {
  return fmt::format("Invalid metric name (\"{}\")", metric);
}
std::string TagkPlace(const TagView& tag) {
  return fmt::format("Invalid tag name with value [{}] (\"{}\")", tag.value, tag.key);
}
std::string TagvPlace(const TagView& tag) {
  return fmt::format("Invalid tag value with key [{}] (\"{}\")", tag.key, tag.value);
}

// The UIDs of a point's names by `get(kind, name) -> StatusOr<Uid>`, as a tsuid; an empty tsuid if a
// name has none (UID 0).
template <typename Get>
Parsed<std::string> MakeTsuid(const Layout& layout, const PointView& point, const Get& get) {
  const absl::StatusOr<Uid> metric = get(UidKind::kMetric, point.metric);
  if (!metric.ok()) return NameError(metric.status(), MetricPlace(point.metric));
  bool complete = *metric != kNoUid;
  std::vector<TagUids> tags;
  tags.reserve(point.tags.size());
  for (const TagView& tag : point.tags) {
    const absl::StatusOr<Uid> tagk = get(UidKind::kTagk, tag.key);
    if (!tagk.ok()) return NameError(tagk.status(), TagkPlace(tag));
    const absl::StatusOr<Uid> tagv = get(UidKind::kTagv, tag.value);
    if (!tagv.ok()) return NameError(tagv.status(), TagvPlace(tag));
    complete = complete && *tagk != kNoUid && *tagv != kNoUid;
    tags.push_back({.tagk = *tagk, .tagv = *tagv});
  }
  return complete ? EncodeTsuid(layout, *metric, tags) : std::string();
}

Mutation SetSeries(std::string key, std::string value) {
  return {TableId::kSeries, Mutation::Kind::kSet, std::move(key), std::move(value)};
}

Mutation AddPosting(std::string prefix, SeriesNumber number) {
  AppendPostingChunk(number, &prefix);
  return {TableId::kSeries, Mutation::Kind::kMerge, std::move(prefix), PostingOfOne(number)};
}

}  // namespace

absl::StatusOr<std::unique_ptr<SeriesTable>> SeriesTable::Open(const Layout& layout,
                                                               const Parts& parts,
                                                               bool sync) {
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> counter,
                            parts.tables->Snapshot()->Get(TableId::kSeries, SeriesCounterKey()));
  SeriesNumber last = 0;
  if (counter.has_value()) {
    HOURCELL_ASSIGN_OR_RETURN(last, DecodeU64(*counter));
  }
  return std::make_unique<SeriesTable>(layout, parts, sync, last);
}

SeriesTable::SeriesTable(const Layout& layout,
                         const Parts& parts,
                         bool sync,
                         SeriesNumber last_number)
    : layout_(layout), parts_(parts), sync_(sync), last_number_(last_number) {}

absl::StatusOr<std::optional<SeriesNumber>> SeriesTable::NumberOf(std::string_view tsuid) const {
  HOURCELL_ASSIGN_OR_RETURN(
      const std::optional<std::string> value,
      parts_.tables->Snapshot()->Get(TableId::kSeries, SeriesTsuidKey(tsuid)));
  if (!value.has_value()) return std::optional<SeriesNumber>();
  HOURCELL_ASSIGN_OR_RETURN(const SeriesNumber number, DecodeU64(*value));
  return std::optional<SeriesNumber>(number);
}

void SeriesTable::GetOrCreate(std::span<const PointView* const> points,
                              std::vector<Parsed<SeriesRef>>* results) {
  results->assign(points.size(), SeriesRef());
  std::vector<Missing> missing;
  for (size_t i = 0; i < points.size(); ++i) {
    Parsed<SeriesRef>& result = (*results)[i];
    const Parsed<std::string> tsuid =
        MakeTsuid(layout_, *points[i], [&](UidKind kind, std::string_view name) {
          const absl::StatusOr<std::optional<Uid>> uid = parts_.uids->Find(kind, name);
          return uid.ok() ? absl::StatusOr<Uid>(uid->value_or(kNoUid)) : uid.status();
        });
    if (!tsuid.ok()) {
      result = tsuid.error();
      continue;
    }
    if (!tsuid->empty()) {
      const absl::StatusOr<std::optional<SeriesNumber>> number = NumberOf(*tsuid);
      if (!number.ok()) {
        result = NameError(number.status(), "series");
        continue;
      }
      if (number->has_value()) {
        result = SeriesRef{.number = **number, .tsuid = *tsuid};
        continue;
      }
    }
    missing.push_back({.point = points[i], .result = &result});
  }
  if (!missing.empty()) Create(missing);
}

void SeriesTable::Create(std::span<const Missing> missing) {
  UidAssignment assignment(parts_.uids);  // one creation at a time, from here to Publish
  SeriesNumber last_number = last_number_;
  StringMap<SeriesNumber> in_group;
  std::vector<Mutation> series;
  std::vector<Mutation> postings;
  std::vector<Parsed<SeriesRef>*> waiting;
  for (const Missing& one : missing) {
    const size_t mark = assignment.Mark();
    const Parsed<std::string> tsuid =
        MakeTsuid(layout_, *one.point, [&](UidKind kind, std::string_view name) {
          return assignment.GetOrAssign(kind, name);
        });
    if (!tsuid.ok()) {
      assignment.RollBackTo(mark);
      *one.result = tsuid.error();
      continue;
    }
    waiting.push_back(one.result);
    if (const auto found = in_group.find(*tsuid); found != in_group.end()) {
      *one.result = SeriesRef{.number = found->second, .tsuid = *tsuid};
      continue;
    }
    // Another creation may have made it while this one waited for the lock.
    const absl::StatusOr<std::optional<SeriesNumber>> existing = NumberOf(*tsuid);
    if (!existing.ok()) {
      waiting.pop_back();
      *one.result = NameError(existing.status(), "series");
      continue;
    }
    const SeriesNumber number = existing->has_value() ? **existing : ++last_number;
    *one.result = SeriesRef{.number = number, .tsuid = *tsuid};
    in_group.emplace(*tsuid, number);
    if (existing->has_value()) continue;
    series.push_back(SetSeries(SeriesNumberKey(number), *tsuid));
    series.push_back(SetSeries(SeriesTsuidKey(*tsuid), EncodeU64(number)));
    const SeriesUids uids = *ParseTsuid(layout_, *tsuid);
    postings.push_back(AddPosting(MetricPostingPrefix(layout_, uids.metric), number));
    for (const TagUids& tag : uids.tags) {
      postings.push_back(AddPosting(TagPostingPrefix(layout_, uids.metric, tag), number));
    }
  }
  if (waiting.empty()) return;

  std::vector<Mutation> group;
  if (last_number != last_number_) {
    group.push_back(SetSeries(SeriesCounterKey(), EncodeU64(last_number)));
  }
  parts_.uid_store->AppendMutations(assignment.changes(), &group);
  std::ranges::move(series, std::back_inserter(group));
  std::ranges::move(postings, std::back_inserter(group));
  HOURCELL_KILL_POINT("series:before_commit");
  const absl::Status committed = parts_.tables->Apply(group, sync_);
  if (!committed.ok()) {
    for (Parsed<SeriesRef>* const result : waiting) *result = NameError(committed, "series");
    return;
  }
  HOURCELL_KILL_POINT("series:after_commit");
  assignment.Publish();
  created_.fetch_add(last_number - last_number_, std::memory_order_relaxed);
  last_number_ = last_number;
}

absl::StatusOr<std::vector<SeriesNumber>> SeriesTable::Postings(TableView* view,
                                                                const std::string& prefix) const {
  std::vector<SeriesNumber> numbers;
  absl::Status damage;
  const absl::Status scanned = view->Scan(
      TableId::kSeries, PrefixRange(prefix), {}, [&](std::string_view key, std::string_view set) {
        const absl::StatusOr<uint64_t> chunk = PostingChunk(key, prefix.size());
        damage = chunk.ok() ? DecodePosting(set, *chunk, &numbers) : chunk.status();
        return damage.ok();
      });
  HOURCELL_RETURN_IF_ERROR(damage);
  HOURCELL_RETURN_IF_ERROR(scanned);
  return numbers;
}

absl::StatusOr<std::vector<SeriesNumber>> SeriesTable::OfMetric(TableView* view, Uid metric) const {
  return Postings(view, MetricPostingPrefix(layout_, metric));
}

absl::StatusOr<std::vector<SeriesNumber>> SeriesTable::WithTag(TableView* view,
                                                               Uid metric,
                                                               const TagUids& tag) const {
  return Postings(view, TagPostingPrefix(layout_, metric, tag));
}

absl::Status SeriesTable::TsuidsOf(TableView* view,
                                   std::span<const SeriesNumber> numbers,
                                   std::vector<std::string>* tsuids) const {
  constexpr size_t kBatch = 1024;
  tsuids->clear();
  tsuids->reserve(numbers.size());
  std::vector<std::string> keys;
  std::vector<std::optional<std::string>> values;
  for (size_t begin = 0; begin < numbers.size(); begin += kBatch) {
    keys.clear();
    for (const SeriesNumber number : numbers.subspan(begin, std::min(kBatch, numbers.size() - begin))) {
      keys.push_back(SeriesNumberKey(number));
    }
    HOURCELL_RETURN_IF_ERROR(view->GetMany(TableId::kSeries, keys, &values));
    for (size_t i = 0; i < values.size(); ++i) {
      if (!values[i].has_value()) {
        return absl::DataLossError(fmt::format("series {}: in a posting set but not in the table",
                                               numbers[begin + i]));
      }
      tsuids->push_back(*std::move(values[i]));
    }
  }
  return absl::OkStatus();
}

absl::Status SeriesTable::VisitMetric(
    TableView* view,
    Uid metric,
    const std::function<void(SeriesNumber, std::string_view)>& visit) const {
  absl::Status damage;
  const absl::Status scanned =
      view->Scan(TableId::kSeries, PrefixRange(SeriesTsuidPrefix(layout_, metric)), {},
                 [&](std::string_view key, std::string_view value) {
                   const absl::StatusOr<SeriesNumber> number = DecodeU64(value);
                   damage = number.status();
                   if (damage.ok()) visit(*number, key.substr(1));
                   return damage.ok();
                 });
  return damage.ok() ? scanned : damage;
}

}  // namespace hourcell
