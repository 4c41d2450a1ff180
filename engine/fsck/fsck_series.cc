#include "engine/fsck/fsck_series.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_set.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/rows/tsuid.h"
#include "engine/hours/tsuid_list.h"
#include "engine/rows/key_range.h"
#include "engine/rows/series_key.h"
#include "engine/series/series_rows.h"
#include "engine/series/series_sums.h"

namespace hourcell {
namespace {

using Numbers = std::vector<SeriesNumber>;  // ascending

// Prefixes of the keys of posting sets (series_key.h).
constexpr std::string_view kMetricSets = "m";
constexpr std::string_view kTagSets = "p";

// All series of a metric, or those with a tag.
struct PostingSet {
  Uid metric = kNoUid;
  std::optional<TagUids> tag = {};

  // That of a row; nothing if its key is too short.
  static std::optional<PostingSet> OfKey(const Layout& layout, std::string_view key) {
    const bool has_tag = key.starts_with(kTagSets);
    const size_t tagk = 1 + layout.metric_width;
    const size_t tagv = tagk + layout.tagk_width;
    if (key.size() < (has_tag ? tagv + layout.tagv_width : tagk)) return std::nullopt;
    PostingSet set{.metric = LoadBigEndian(key.data() + 1, layout.metric_width)};
    if (has_tag) {
      set.tag = {.tagk = LoadBigEndian(key.data() + tagk, layout.tagk_width),
                 .tagv = LoadBigEndian(key.data() + tagv, layout.tagv_width)};
    }
    return set;
  }

  std::string Text() const {
    if (!tag.has_value()) return fmt::format("posting set of UIDs metric {}", metric);
    return fmt::format("posting set of UIDs metric {} and tag {}={}", metric, tag->tagk, tag->tagv);
  }
  std::string Prefix(const Layout& layout) const {
    return tag.has_value() ? TagPostingPrefix(layout, metric, *tag)
                           : MetricPostingPrefix(layout, metric);
  }
};

// Prefix of the keys of the sets of a metric's tags.
std::string TagSetsOf(const Layout& layout, Uid metric) {
  std::string prefix(kTagSets);
  AppendBigEndian(metric, layout.metric_width, &prefix);
  return prefix;
}

class SeriesCheck {
 public:
  SeriesCheck(const Layout& layout,
              const SeriesTable& series,
              Tables* tables,
              const SeriesCheckOptions& options,
              const SeriesSums& sums,
              FsckReport* report)
      : layout_(layout),
        series_(series),
        tables_(*tables),
        options_(options),
        sums_(sums),
        report_(*report) {}

  absl::Status Run() {
    HOURCELL_RETURN_IF_ERROR(CheckBlocks());
    if (sums_.is_damaged) {
      HOURCELL_RETURN_IF_ERROR(CheckSeriesOf(std::nullopt));
    } else {
      for (const Uid metric : sums_.differing)
        HOURCELL_RETURN_IF_ERROR(CheckSeriesOf(metric));
    }
    return CheckSetsOfOthers();
  }

 private:
  // Whether the metric's rows may differ.
  bool IsWanted(Uid metric) const { return sums_.is_damaged || sums_.differing.contains(metric); }

  // All series of a metric, or of all metrics.
  absl::Status CheckSeriesOf(std::optional<Uid> metric) {
    absl::Status status;
    HOURCELL_RETURN_IF_ERROR(
        series_.Visit(metric, [&](SeriesNumber number, std::string_view tsuid) {
          status = Add(number, tsuid);
          return status.ok();
        }));
    HOURCELL_RETURN_IF_ERROR(status);
    return CheckMetric();
  }

  void Fault(std::string text) {
    report_.Add(FsckFault::kIndex, std::move(text), options_.examples_max);
  }

  bool IsWantedTsuid(std::string_view tsuid) const {
    return tsuid.size() < layout_.metric_width ||
           IsWanted(LoadBigEndian(tsuid.data(), layout_.metric_width));
  }

  // Whether each number's tsuid has that number.
  absl::Status CheckBlocks() {
    const std::unique_ptr<TableView> view = tables_.Snapshot();
    const std::string prefix = SeriesNumberKey(0).substr(0, 1);
    absl::Status status;
    HOURCELL_RETURN_IF_ERROR(view->Scan(TableId::kSeries, PrefixRange(prefix),
                                        [&](std::string_view key, std::string_view row) {
                                          status = CheckBlock(key, std::string(row));
                                          return status.ok();
                                        }));
    return status;
  }

  absl::Status CheckBlock(std::string_view key, const std::optional<std::string>& row) {
    const absl::StatusOr<uint64_t> block = DecodeU64(key.substr(1));
    HOURCELL_RETURN_IF_ERROR(block.status());
    std::vector<std::string_view> tsuids;
    HOURCELL_RETURN_IF_ERROR(ParseBlock(key, row, &tsuids));
    for (size_t i = 0; i < tsuids.size(); ++i) {
      if (tsuids[i].empty() || !IsWantedTsuid(tsuids[i])) continue;
      const SeriesNumber number = *block * kBlockSeries + i;
      HOURCELL_ASSIGN_OR_RETURN(const SeriesNumber back, series_.NumberOf(std::string(tsuids[i])));
      if (back != 0) continue;  // CheckMetric reports another number
      Fault(fmt::format("series {}: its tsuid {} has no number", number, ToHex(tsuids[i])));
      HOURCELL_RETURN_IF_ERROR(Fix({SetSeries(SeriesTsuidKey(tsuids[i]), EncodeU64(number))}));
    }
    return absl::OkStatus();
  }

  absl::Status Add(SeriesNumber number, std::string_view tsuid) {
    const absl::StatusOr<SeriesUids> uids = ParseTsuid(layout_, tsuid);
    if (!uids.ok()) {
      Fault(
          fmt::format("tsuid {} of series {}: {}", ToHex(tsuid), number, uids.status().ToString()));
      return absl::OkStatus();
    }
    if (uids->metric != metric_) {
      HOURCELL_RETURN_IF_ERROR(CheckMetric());
      metric_ = uids->metric;
    }
    of_metric_.push_back(number);
    tsuids_.emplace_back(tsuid);
    for (const TagUids& tag : uids->tags)
      of_tag_[tag].push_back(number);
    return absl::OkStatus();
  }

  // Checks the series added since the last call, all of one metric.
  absl::Status CheckMetric() {
    if (of_metric_.empty()) return absl::OkStatus();
    std::vector<std::string> found;
    HOURCELL_RETURN_IF_ERROR(series_.TsuidsFound(of_metric_, &found));
    for (size_t i = 0; i < found.size(); ++i) {
      if (found[i] == tsuids_[i]) continue;
      Fault(fmt::format("series {}: its tsuid {} says so, its number says {}", of_metric_[i],
                        ToHex(tsuids_[i]), found[i].empty() ? "none" : ToHex(found[i])));
      if (found[i].empty()) HOURCELL_RETURN_IF_ERROR(FixBlock(of_metric_[i], tsuids_[i]));
    }
    HOURCELL_RETURN_IF_ERROR(Compare({.metric = metric_}, &of_metric_));
    HOURCELL_RETURN_IF_ERROR(CheckTagSets());
    HOURCELL_RETURN_IF_ERROR(
        CheckStraySets(TagSetsOf(layout_, metric_),
                       [&](const PostingSet& set) { return of_tag_.contains(*set.tag); }));
    metrics_.insert(metric_);
    of_metric_.clear();
    tsuids_.clear();
    of_tag_.clear();
    return absl::OkStatus();
  }

  // The sets of the metric's tags, in the order of their rows: a metric may have millions.
  absl::Status CheckTagSets() {
    const std::unique_ptr<TableView> view = tables_.Snapshot();
    const std::unique_ptr<RowCursor> row =
        view->NewCursor(TableId::kSeries, PrefixRange(TagSetsOf(layout_, metric_)));
    row->Seek({});
    for (auto& [tag, numbers] : of_tag_) {
      if (options_.tick != nullptr) HOURCELL_RETURN_IF_ERROR(options_.tick());
      std::ranges::sort(numbers);
      if (IsNextSet(row.get(), TagPostingPrefix(layout_, metric_, tag), numbers)) continue;
      HOURCELL_RETURN_IF_ERROR(Compare({.metric = metric_, .tag = tag}, &numbers));
    }
    return row->status();
  }

  // Whether the rows with the prefix have these numbers; moves the cursor after them.
  static bool IsNextSet(RowCursor* row, const std::string& prefix, const Numbers& numbers) {
    while (row->valid() && row->key() < prefix)
      row->Next();
    Numbers found;
    bool is_good = true;
    for (; row->valid() && row->key().starts_with(prefix); row->Next()) {
      const absl::StatusOr<uint64_t> chunk = PostingChunk(row->key(), prefix.size());
      is_good = is_good && chunk.ok() && DecodePosting(row->value(), *chunk, &found).ok();
    }
    return is_good && found == numbers;
  }

  absl::Status Compare(const PostingSet& set, Numbers* want) {
    std::ranges::sort(*want);
    const absl::StatusOr<Numbers> got =
        set.tag.has_value() ? series_.WithTag(set.metric, *set.tag) : series_.OfMetric(set.metric);
    if (absl::IsDataLoss(got.status())) {
      Fault(fmt::format("{}: {}", set.Text(), std::string(got.status().message())));
      return Rewrite(set, *want);
    }
    HOURCELL_RETURN_IF_ERROR(got.status());
    Numbers missing;
    Numbers extra;
    std::ranges::set_difference(*want, *got, std::back_inserter(missing));
    std::ranges::set_difference(*got, *want, std::back_inserter(extra));
    for (const SeriesNumber number : missing)
      Fault(fmt::format("{}: series {} is not in it", set.Text(), number));
    bool is_right = missing.empty();
    for (const SeriesNumber number : extra) {
      std::string tsuid;
      HOURCELL_ASSIGN_OR_RETURN(const bool is_newer, HasByNow(set, number, &tsuid));
      if (!tsuid.empty()) want->push_back(number);
      if (is_newer) continue;
      Fault(fmt::format("{}: it has {}, which is no such series", set.Text(), number));
      if (tsuid.empty()) is_right = false;
    }
    return is_right ? absl::OkStatus() : Rewrite(set, *want);
  }

  // Sets of metrics that no series has; those of the others' tags were looked at with them.
  absl::Status CheckSetsOfOthers() {
    const auto is_known = [&](const PostingSet& set) {
      return metrics_.contains(set.metric) || !IsWanted(set.metric);
    };
    HOURCELL_RETURN_IF_ERROR(CheckStraySets(kMetricSets, is_known));
    return CheckStraySets(kTagSets, is_known);
  }

  // Checks that unknown sets with keys that begin with `prefix` are empty.
  absl::Status CheckStraySets(std::string_view prefix,
                              const std::function<bool(const PostingSet&)>& is_known) {
    const std::unique_ptr<TableView> view = tables_.Snapshot();
    const std::unique_ptr<RowCursor> row = view->NewCursor(TableId::kSeries, PrefixRange(prefix));
    std::string last;  // prefix of the set that was looked at
    for (row->Seek({}); row->valid(); row->Next()) {
      const std::string_view key = row->key();
      if (!last.empty() && key.starts_with(last)) continue;
      const std::optional<PostingSet> set = PostingSet::OfKey(layout_, key);
      if (!set.has_value()) continue;  // no lookup reads it
      last = set->Prefix(layout_);
      Numbers none;
      if (!is_known(*set)) HOURCELL_RETURN_IF_ERROR(Compare(*set, &none));
    }
    return row->status();
  }

  // Whether a series that was not found among the others belongs there: it was made meanwhile.
  // `*tsuid` is empty if the number is unknown.
  absl::StatusOr<bool> HasByNow(const PostingSet& set,
                                SeriesNumber number,
                                std::string* tsuid) const {
    std::vector<std::string> tsuids;
    HOURCELL_RETURN_IF_ERROR(series_.TsuidsFound({&number, 1}, &tsuids));
    *tsuid = std::move(tsuids[0]);
    const absl::StatusOr<SeriesUids> uids = ParseTsuid(layout_, *tsuid);
    if (!uids.ok() || uids->metric != set.metric) return false;
    const bool has_tag =
        !set.tag.has_value() || std::ranges::find(uids->tags, *set.tag) != uids->tags.end();
    HOURCELL_ASSIGN_OR_RETURN(const SeriesNumber back, series_.NumberOf(*tsuid));
    return has_tag && back == number;
  }

  // The set's rows are these numbers, and no others.
  absl::Status Rewrite(const PostingSet& set, Numbers numbers) {
    std::ranges::sort(numbers);
    std::map<std::string, std::string> rows;  // by key
    const std::string prefix = set.Prefix(layout_);
    for (const SeriesNumber number : numbers) {
      std::string key = prefix;
      AppendPostingChunk(number, &key);
      AddToPosting(number, &rows[key]);
    }
    for (auto& [key, row] : rows) {
      const std::string_view numbers_of_chunk = row;
      std::string merged;  // in the format of its size
      MergePostings({&numbers_of_chunk, 1}, &merged);
      row = std::move(merged);
    }
    std::vector<Mutation> group;
    HOURCELL_RETURN_IF_ERROR(tables_.Snapshot()->Scan(
        TableId::kSeries, PrefixRange(prefix), [&](std::string_view key, std::string_view) {
          if (rows.contains(std::string(key))) return true;
          group.push_back({TableId::kSeries, Mutation::Kind::kDelete, std::string(key), {}});
          return true;
        }));
    for (auto& [key, row] : rows)
      group.push_back(SetSeries(key, std::move(row)));
    return Fix(group);
  }

  // Adds a missing tsuid to its number's row.
  absl::Status FixBlock(SeriesNumber number, const std::string& tsuid) {
    const std::string key = BlockKey(number);
    HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> row,
                              tables_.Snapshot()->Get(TableId::kSeries, key));
    std::vector<std::string_view> tsuids;
    HOURCELL_RETURN_IF_ERROR(ParseBlock(key, row, &tsuids));
    tsuids[number % kBlockSeries] = tsuid;
    std::string list;
    for (const std::string_view one : tsuids)
      AppendToTsuidList(one, &list);
    return Fix({SetSeries(key, std::move(list))});
  }

  absl::Status Fix(const std::vector<Mutation>& group) {
    if (!options_.fix) return absl::OkStatus();
    HOURCELL_KILL_POINT("fsck:before_index");
    HOURCELL_RETURN_IF_ERROR(tables_.Apply(group, /*sync=*/true));
    HOURCELL_KILL_POINT("fsck:index");
    ++report_.fixed;
    return absl::OkStatus();
  }

  const Layout& layout_;
  const SeriesTable& series_;
  Tables& tables_;
  const SeriesCheckOptions& options_;
  const SeriesSums& sums_;
  FsckReport& report_;
  Uid metric_ = kNoUid;
  Numbers of_metric_;
  std::vector<std::string> tsuids_;  // of of_metric_
  std::map<TagUids, Numbers> of_tag_;
  absl::flat_hash_set<Uid> metrics_;  // that were checked
};

}  // namespace

absl::Status CheckSeries(const Layout& layout,
                         const SeriesTable& series,
                         Tables* tables,
                         const SeriesCheckOptions& options,
                         FsckReport* report) {
  HOURCELL_ASSIGN_OR_RETURN(const SeriesSums sums,
                            SumSeriesRows(layout, tables->Snapshot().get(), options.tick));
  report->series += sums.series;
  if (sums.is_good()) return absl::OkStatus();
  return SeriesCheck(layout, series, tables, options, sums, report).Run();
}

}  // namespace hourcell
