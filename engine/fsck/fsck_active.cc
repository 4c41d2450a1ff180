#include "engine/fsck/fsck_active.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/rows/key_description.h"
#include "engine/rows/key_range.h"
#include "engine/rows/system_table.h"
#include "engine/series/active_sets.h"

namespace hourcell {
namespace {

// Numbers of one day that are kept until they are compared.
constexpr size_t kSetNumbersMax = 1 << 20;

std::string TextOf(Uid metric, uint32_t day) {
  return fmt::format("active set of metric UID {} on {}", metric,
                     UtcText(day * kDayS).substr(0, std::string_view("2013-01-01").size()));
}

}  // namespace

absl::Status ActiveSetCheck::AddRow(Uid metric, uint32_t base_time_s, SeriesNumber series) {
  if (!settings_.is_whole && !settings_.fix) return absl::OkStatus();
  const MetricDay of(metric, DayOf(base_time_s));
  if (of != at_ || of_day_.size() >= kSetNumbersMax) {
    HOURCELL_RETURN_IF_ERROR(CompareOneDay());
    at_ = of;
  }
  // Of one hour after another the series are the same: sorted later.
  of_day_.push_back(series);
  return absl::OkStatus();
}

absl::Status ActiveSetCheck::CompareOneDay() {
  if (of_day_.empty()) return absl::OkStatus();
  std::vector<SeriesNumber> want = std::move(of_day_);
  of_day_.clear();
  std::ranges::sort(want);
  want.erase(std::unique(want.begin(), want.end()), want.end());
  const auto [metric, day] = at_;
  const int64_t day_end_ms = (int64_t{day} + 1) * kDayS * 1000;
  if (settings_.expiry != nullptr && day_end_ms <= settings_.expiry->FilesExpireBeforeMs(metric)) {
    return absl::OkStatus();
  }
  std::vector<Mutation> group;
  // A repair reads its own additions.
  const std::unique_ptr<TableView> now = settings_.fix ? tables_.Snapshot() : nullptr;
  auto got = ReadActiveSets(layout_, metric, day, day, settings_.fix ? now.get() : view_);
  if (absl::IsDataLoss(got.status())) {
    report_.Add(FsckFault::kIndex,
                fmt::format("{}: {}", TextOf(metric, day), std::string(got.status().message())),
                settings_.examples_max);
    if (!settings_.fix) return absl::OkStatus();
    HOURCELL_RETURN_IF_ERROR(FixDamaged(at_, &group));
    got = std::vector<SeriesNumber>();
  }
  HOURCELL_RETURN_IF_ERROR(got.status());
  std::vector<SeriesNumber> missing;
  std::ranges::set_difference(want, *got, std::back_inserter(missing));
  if (missing.empty()) return absl::OkStatus();
  if (settings_.fix) {
    AppendActiveSet(layout_, metric, day, missing, &group);
    HOURCELL_KILL_POINT("fsck:before_active");
    HOURCELL_RETURN_IF_ERROR(tables_.Apply(group, /*sync=*/false));
    ++report_.fixed;
  }
  for (const SeriesNumber number : missing) {
    if (!settings_.is_whole) break;  // the store does not promise complete sets
    report_.Add(FsckFault::kIndex,
                fmt::format("{}: series {} is not in it", TextOf(metric, day), number),
                settings_.examples_max);
  }
  return absl::OkStatus();
}

// Removes the rows of a set with undecodable rows. Series of later rows of the day are added again
// as they are read; an earlier addition would have found the damage.
absl::Status ActiveSetCheck::FixDamaged(const MetricDay& of, std::vector<Mutation>* group) {
  return tables_.Snapshot()->Scan(
      TableId::kSeries, PrefixRange(ActiveSetPrefix(layout_, of.first, of.second)),
      [&](std::string_view key, std::string_view) {
        group->push_back({TableId::kSeries, Mutation::Kind::kDelete, std::string(key), {}});
        return true;
      });
}

absl::Status ActiveSetCheck::EndRows(bool is_all) {
  HOURCELL_DCHECK(view_ != nullptr);
  HOURCELL_RETURN_IF_ERROR(CompareOneDay());
  if (!settings_.fix) return absl::OkStatus();
  if (settings_.is_whole || !is_all) return tables_.Sync();
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t low_mark, ReadLowMark(&tables_));
  HOURCELL_RETURN_IF_ERROR(WriteLowMark(low_mark, {.active_sets = true}, &tables_));
  HOURCELL_KILL_POINT("fsck:active");
  return absl::OkStatus();
}

}  // namespace hourcell
