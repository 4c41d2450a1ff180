#include "engine/virtuals/virtual_last.h"

#include <algorithm>
#include <utility>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr int64_t kLastHourMs = 3'600'000;
// Where a series without a younger point is looked for: an hour, a day, 30 days, 400 days back, and
// from the begin on.
constexpr int64_t kHoursBack[] = {1, 24, 30 * 24, 400 * 24};

// Keeps the last point of each series.
class LastCollector : public QuerySink {
 public:
  // All are borrowed.
  LastCollector(MemoryHold* hold, StringSet* wanted, std::vector<VirtualLastPoint>* found)
      : hold_(*hold), wanted_(*wanted), found_(*found) {}

  absl::Status OnSeries(const SeriesView& series) override {
    if (series.points.empty() || series.tsuids.empty()) return absl::OkStatus();
    const auto wanted = wanted_.find(series.tsuids[0]);
    if (wanted == wanted_.end()) return absl::OkStatus();
    HOURCELL_RETURN_IF_ERROR(hold_.Take(2 * sizeof(VirtualLastPoint) + wanted->size()));
    const size_t last = series.points.size() - 1;
    found_.push_back(
        {.tsuid = *wanted, .ms = series.points.t[last], .value = series.points.value(last)});
    wanted_.erase(wanted);
    return absl::OkStatus();
  }

 private:
  MemoryHold& hold_;
  StringSet& wanted_;  // without a point so far
  std::vector<VirtualLastPoint>& found_;
};

// The first times of the ranges to search, descending.
std::vector<int64_t> RangeBegins(uint32_t back_hours, int64_t now_ms) {
  const int64_t hour_ms = now_ms - now_ms % kLastHourMs;
  if (back_hours > 0) return {std::max<int64_t>(hour_ms - back_hours * kLastHourMs, 0)};
  std::vector<int64_t> begins;
  for (const int64_t hours : kHoursBack) {
    if (hour_ms - hours * kLastHourMs <= 0) break;
    begins.push_back(hour_ms - hours * kLastHourMs);
  }
  begins.push_back(0);
  return begins;
}

}  // namespace

absl::StatusOr<std::vector<VirtualLastPoint>> VirtualLast::Read(
    const std::vector<std::string>& tsuids,
    const LastQuery& query,
    int64_t now_ms,
    QueryControl* control,
    MemoryHold* hold) const {
  std::vector<VirtualLastPoint> found;
  StringSet wanted(tsuids.begin(), tsuids.end());
  LastCollector collector(hold, &wanted, &found);
  // To the end of the present hour, as for stored series: the clock of a host may be ahead.
  int64_t end_ms = now_ms - now_ms % kLastHourMs + kLastHourMs - 1;
  for (const int64_t begin_ms : RangeBegins(query.back_hours, now_ms)) {
    if (wanted.empty()) break;
    QuerySpec spec{.start_ms = begin_ms, .end_ms = end_ms, .queries = {}};
    spec.deadline_ms = query.deadline_ms;
    spec.annotations = false;
    SubQuery& all = spec.queries.emplace_back();
    all.aggregator = Aggregator::kNone;
    for (const std::string& tsuid : wanted)
      all.tsuids.push_back(ToUpperHex(tsuid));
    HOURCELL_RETURN_IF_ERROR(executor_.Run(spec, open_hours_, &collector, control));
    end_ms = begin_ms - 1;
  }
  std::ranges::sort(found, {}, &VirtualLastPoint::tsuid);
  return found;
}

}  // namespace hourcell
