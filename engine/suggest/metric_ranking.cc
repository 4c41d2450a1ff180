#include "engine/suggest/metric_ranking.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/strings/ascii.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rollups/rollup_config.h"
#include "codec/rows/uid.h"

namespace hourcell {
namespace {

constexpr size_t kMetricsPerCheck = 256;

// A metric of the answer, or one that a later metric may still displace.
struct Candidate {
  std::string name;
  Uid uid = kNoUid;
  uint64_t series = 0;
};

// Whether `a` comes before `b`. Names come ascending, which decides between equals.
bool ComesBefore(MetricOrder order, const Candidate& a, const Candidate& b) {
  if (order == MetricOrder::kSeries && a.series != b.series) return a.series > b.series;
  if (order == MetricOrder::kNewest && a.uid != b.uid) return a.uid > b.uid;
  return a.name < b.name;
}

// Keeps the first `limit` candidates of an order, as a heap with the last one on top.
class FirstCandidates {
 public:
  FirstCandidates(MetricOrder order, size_t limit) : order_(order), limit_(limit) {}

  void Add(Candidate candidate) {
    if (limit_ == 0) return;
    const auto before = [this](const Candidate& a, const Candidate& b) {
      return ComesBefore(order_, a, b);
    };
    if (kept_.size() == limit_) {
      if (!before(candidate, kept_.front())) return;
      std::ranges::pop_heap(kept_, before);
      kept_.pop_back();
    }
    kept_.push_back(std::move(candidate));
    std::ranges::push_heap(kept_, before);
  }

  std::vector<Candidate> Take() {
    std::ranges::sort(kept_, [this](const Candidate& a, const Candidate& b) {
      return ComesBefore(order_, a, b);
    });
    return std::move(kept_);
  }

 private:
  const MetricOrder order_;
  const size_t limit_;
  std::vector<Candidate> kept_;
};

absl::StatusOr<uint64_t> CountSeriesOf(const SeriesTable& series, Uid metric) {
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<SeriesNumber> numbers, series.OfMetric(metric));
  const SeriesSet::Pointer unlisted = series.unlisted()->Now();
  if (unlisted == nullptr || !unlisted->MayContainOf(metric)) return numbers.size();
  const auto is_listed = [&unlisted](SeriesNumber number) { return !unlisted->Contains(number); };
  return static_cast<uint64_t>(std::ranges::count_if(numbers, is_listed));
}

}  // namespace

absl::StatusOr<MetricRanking> RankMetrics(const MetricSearch& search,
                                          const RankingParts& parts,
                                          const QueryWatch& watch) {
  const SeriesTable& series = *parts.series;
  const std::string part = LowerCase(search.part);
  const bool shows_levels = part.starts_with(kRollupMetricPrefix);
  const bool counts_all = search.order == MetricOrder::kSeries;
  MetricRanking ranking;
  FirstCandidates first(search.order, search.limit);
  size_t visited = 0;
  std::string lower;  // a name, in lower case
  absl::Status ended;
  // False: the visit ends, by an error.
  const auto consider = [&](const UidMapping& mapping) {
    if (visited++ % kMetricsPerCheck == 0) ended = watch.Check();
    if (!ended.ok()) return false;
    if (!part.empty()) {
      lower = mapping.name;
      absl::AsciiStrToLower(&lower);
      if (lower.find(part) == std::string::npos) return true;
    }
    if (!shows_levels && !SummarizedMetric(mapping.name).empty()) return true;
    Candidate candidate{.name = std::string(mapping.name), .uid = mapping.uid};
    const bool is_virtual =
        parts.virtual_metrics != nullptr && parts.virtual_metrics->Has(mapping.uid);
    if (counts_all) {
      const absl::StatusOr<uint64_t> count = CountSeriesOf(series, mapping.uid);
      if (!count.ok()) return ended = count.status(), false;
      if (*count == 0 && !is_virtual) return true;
      candidate.series = *count;
      ranking.series += *count;
    } else if (!is_virtual) {
      const absl::StatusOr<bool> has_series = series.HasListedSeries(mapping.uid);
      if (!has_series.ok()) return ended = has_series.status(), false;
      if (!*has_series) return true;
    }
    ++ranking.total;
    first.Add(std::move(candidate));
    return true;
  };
  HOURCELL_RETURN_IF_ERROR(parts.uids->VisitMappings(UidKind::kMetric, /*prefix=*/"", consider));
  HOURCELL_RETURN_IF_ERROR(ended);
  for (Candidate& candidate : first.Take()) {
    if (!counts_all) {
      HOURCELL_RETURN_IF_ERROR(watch.Check());
      HOURCELL_ASSIGN_OR_RETURN(candidate.series, CountSeriesOf(series, candidate.uid));
    }
    RankedMetric& metric = ranking.metrics.emplace_back();
    metric.name = std::move(candidate.name);
    AppendBigEndian(candidate.uid, parts.layout->metric_width, &metric.uid_bytes);
    metric.series = candidate.series;
  }
  return ranking;
}

}  // namespace hourcell
