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

// A ranking, while the names of metrics are visited.
class Ranker {
 public:
  // All are borrowed.
  Ranker(const MetricSearch& search, const RankingParts& parts, const QueryWatch& watch)
      : parts_(parts),
        series_(*parts.series),
        watch_(watch),
        part_(LowerCase(search.part)),
        shows_levels_(part_.starts_with(kRollupMetricPrefix)),
        counts_all_(search.order == MetricOrder::kSeries),
        first_(search.order, search.limit) {}

  absl::Status Consider(const UidMapping& mapping) {
    if (visited_++ % kMetricsPerCheck == 0) HOURCELL_RETURN_IF_ERROR(watch_.Check());
    if (!HasPart(mapping.name)) return absl::OkStatus();
    if (!shows_levels_ && !SummarizedMetric(mapping.name).empty()) return absl::OkStatus();
    Candidate candidate{.name = std::string(mapping.name), .uid = mapping.uid};
    HOURCELL_ASSIGN_OR_RETURN(const bool is_listed, IsListed(&candidate));
    if (!is_listed) return absl::OkStatus();
    ranking_.series += candidate.series;
    ++ranking_.total;
    first_.Add(std::move(candidate));
    return absl::OkStatus();
  }

  absl::StatusOr<MetricRanking> Finish() {
    for (Candidate& candidate : first_.Take()) {
      if (!counts_all_) {
        HOURCELL_RETURN_IF_ERROR(watch_.Check());
        HOURCELL_ASSIGN_OR_RETURN(candidate.series, CountSeriesOf(series_, candidate.uid));
      }
      RankedMetric& metric = ranking_.metrics.emplace_back();
      metric.name = std::move(candidate.name);
      AppendBigEndian(candidate.uid, parts_.layout->metric_width, &metric.uid_bytes);
      metric.series = candidate.series;
    }
    return std::move(ranking_);
  }

 private:
  bool HasPart(std::string_view name) {
    if (part_.empty()) return true;
    lower_ = name;
    absl::AsciiStrToLower(&lower_);
    return lower_.find(part_) != std::string::npos;
  }

  // Whether the metric is virtual or has series. Counts these if the order needs all counts.
  absl::StatusOr<bool> IsListed(Candidate* candidate) const {
    const bool is_virtual =
        parts_.virtual_metrics != nullptr && parts_.virtual_metrics->Has(candidate->uid);
    if (counts_all_) {
      HOURCELL_ASSIGN_OR_RETURN(candidate->series, CountSeriesOf(series_, candidate->uid));
      return is_virtual || candidate->series > 0;
    }
    return is_virtual ? true : series_.HasListedSeries(candidate->uid);
  }

  const RankingParts& parts_;
  const SeriesTable& series_;
  const QueryWatch& watch_;
  const std::string part_;
  const bool shows_levels_;
  const bool counts_all_;
  size_t visited_ = 0;
  std::string lower_;  // a name, in lower case
  FirstCandidates first_;
  MetricRanking ranking_;
};

}  // namespace

absl::StatusOr<MetricRanking> RankMetrics(const MetricSearch& search,
                                          const RankingParts& parts,
                                          const QueryWatch& watch) {
  Ranker ranker(search, parts, watch);
  absl::Status ended;
  const auto consider = [&](const UidMapping& mapping) {
    ended = ranker.Consider(mapping);
    return ended.ok();
  };
  HOURCELL_RETURN_IF_ERROR(parts.uids->VisitMappings(UidKind::kMetric, /*prefix=*/"", consider));
  HOURCELL_RETURN_IF_ERROR(ended);
  return ranker.Finish();
}

}  // namespace hourcell
