#include "bench/lab/simulate/report/prediction.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "bench/lab/keys/key_sample.h"
#include "bench/lab/simulate/input/fleet.h"
#include "codec/base/check.h"
#include "engine/regions/region_name.h"
#include "engine/regions/split/memory_budget.h"

namespace hourcell {
namespace {

// A row or group with this share of a region's bytes leaves no useful place for a split.
constexpr double kDominantShare = 0.5;
// A region with this share of the puts is hot, unless a table with under 3 regions is still
// splitting.
constexpr double kHotShare = 0.5;
constexpr double kEmptyShare = 0.4;
constexpr size_t kNamedMax = 3;

std::string Named(std::string_view key) {
  return fmt::format("\"{}\"", ToStringBinary(key));
}

class Predictor {
 public:
  explicit Predictor(const SimulationResult& result) : result_(result) {}

  std::vector<Prediction> Run() {
    Rows();
    HotRegion();
    Unused();
    Empty();
    Cycle();
    Buckets();
    Memory();
    Blocked();
    Presplit();
    std::stable_partition(predictions_.begin(), predictions_.end(),
                          [](const Prediction& prediction) { return prediction.is_warning; });
    return std::move(predictions_);
  }

 private:
  void Warn(PredictionKind kind, std::string text) {
    predictions_.push_back({.kind = kind, .is_warning = true, .text = std::move(text)});
  }
  void Advise(PredictionKind kind, std::string text) {
    predictions_.push_back({.kind = kind, .is_warning = false, .text = std::move(text)});
  }

  // Regions that are too large and cannot be split.
  void Rows() {
    size_t rows = 0;
    size_t prefixes = 0;
    const bool is_restricted = RestrictionOf(result_.design.settings.regions.split).is_active();
    for (const SimulatedRegion& region : result_.regions) {
      if (region.why_unsplittable.empty()) continue;
      if (region.heaviest_share >= kDominantShare) {
        if (++rows > kNamedMax) continue;
        Warn(PredictionKind::kDominantRow,
             fmt::format("region {} has {:.0f} % of its {} bytes in the row {} and cannot be "
                         "split; give the row more parts, a shorter time in its key for example",
                         region.info.id.value, 100 * region.heaviest_share, region.file_bytes,
                         Named(region.heaviest_row)));
      } else if (is_restricted) {
        if (++prefixes > kNamedMax) continue;
        Warn(PredictionKind::kPrefixTooShort,
             fmt::format("region {} of {} bytes, threshold {}, is one prefix group or nearly so: "
                         "{}; use a longer prefix",
                         region.info.id.value, region.file_bytes, region.threshold_bytes,
                         region.why_unsplittable));
      }
    }
    if (rows > kNamedMax) {
      Warn(PredictionKind::kDominantRow, fmt::format("{} more such regions", rows - kNamedMax));
    }
    if (prefixes > kNamedMax) {
      Warn(PredictionKind::kPrefixTooShort,
           fmt::format("{} more such regions", prefixes - kNamedMax));
    }
  }

  void HotRegion() {
    const double share = result_.windows.mean_hot_share();
    if (result_.regions.size() < 3 || share < kHotShare) return;
    Warn(PredictionKind::kHotRegion,
         fmt::format("at each moment one of {} regions takes {:.0f} % of the writes on average{}; "
                     "splits do not help, a salt or a hash before the key does",
                     result_.regions.size(), 100 * share,
                     result_.begins_with_time ? ", because keys begin with the time" : ""));
  }

  void Unused() {
    if (result_.split_keys.empty()) return;
    const auto unused =
        std::count_if(result_.regions.begin(), result_.regions.end(),
                      [](const SimulatedRegion& region) { return region.puts == 0; });
    if (unused == 0) return;
    Warn(PredictionKind::kUnusedRegions,
         fmt::format("{} of {} regions never got a put: no key falls between their bounds; the "
                     "pre-split {} is not for these keys",
                     unused, result_.regions.size(), result_.design.presplit));
  }

  void Empty() {
    if (result_.design.settings.ttl_ms == 0) return;
    const auto emptied = std::count_if(
        result_.regions.begin(), result_.regions.end(),
        [](const SimulatedRegion& region) { return region.puts > 0 && region.cells == 0; });
    const auto regions = static_cast<double>(result_.regions.size());
    if (static_cast<double>(emptied) < kEmptyShare * regions) return;
    const double days = static_cast<double>(result_.end_ms - result_.start_ms) / 86'400'000.0;
    Warn(PredictionKind::kEmptyRegions,
         fmt::format("{} of {} regions are empty after the TTL, {:.1f} more each day; turn "
                     "the normaliser on, or use keys that do not begin with the time",
                     emptied, result_.regions.size(),
                     static_cast<double>(emptied) / std::max(days, 1.0)));
  }

  void Cycle() {
    std::string fault = CycleFault(result_.design.distributor, result_.design.settings);
    if (!fault.empty()) Warn(PredictionKind::kCycleTooShort, std::move(fault));
  }

  // The regions of a salted table differ by the number of series in each bucket.
  void Buckets() {
    const uint64_t buckets = result_.scan_ranges;
    if (buckets < 2 || result_.totals.puts == 0 || result_.spread.max_over_mean < 1.5) return;
    if (result_.regions.size() < buckets) return;
    Warn(PredictionKind::kFewSeries,
         fmt::format("the busiest region has {:.2f} times the mean; with a hash of the series over "
                     "{} buckets 1.1 times the mean takes about {:.0f} series, alike in rate",
                     result_.spread.max_over_mean, buckets,
                     200 * std::log(static_cast<double>(buckets)) * static_cast<double>(buckets)));
  }

  MemoryBudget Budget() const {
    const ModelSettings& settings = result_.design.settings;
    return {.memory_bytes = settings.memory_bytes,
            .share = settings.memstore_share,
            .flush_bytes = settings.regions.split.flush_bytes};
  }

  void Memory() {
    uint64_t written = 0;
    for (const SimulatedRegion& region : result_.regions)
      written += region.memory_bytes > 0 ? 1 : 0;
    std::string warning = RegionCountWarning(written, Budget());
    if (!warning.empty()) Warn(PredictionKind::kMemory, std::move(warning));
  }

  void Blocked() {
    const TableTotals& totals = result_.totals;
    if (totals.blocked == 0) return;
    Warn(PredictionKind::kBlockedWrites,
         fmt::format("{} of {} puts would have been blocked, in {} stalls of {:.1f} s in all: "
                     "memory fills faster than the disk of the model takes {} bytes/s",
                     totals.blocked, totals.puts, result_.timeline.count(IncidentKind::kStall),
                     static_cast<double>(totals.stall_ms) / 1'000,
                     result_.design.settings.disk_bytes_per_s / 2));
  }

  void Presplit() {
    const double room = std::max(1.0, std::floor(RegionsInMemory(Budget())));
    if (result_.design.presplit.empty()) {
      Advise(PredictionKind::kPresplit,
             fmt::format("memory has room for the memstores of {:.0f} regions: a pre-split into at "
                         "most that many keeps flushes at their full size",
                         room));
    }
    constexpr std::string_view kSample = "sample:";
    if (result_.design.presplit.starts_with(kSample)) {
      const auto regions = static_cast<uint32_t>(result_.split_keys.size() + 1);
      Advise(PredictionKind::kSampleSize,
             fmt::format("{} regions by sample: their shares scatter by sqrt(R / N) of the mean, "
                         "{:.2f} % with 100,000 keys, {:.2f} % with a million",
                         regions, 100 * PredictedSpread(regions, 1e5),
                         100 * PredictedSpread(regions, 1e6)));
    }
  }

  const SimulationResult& result_;
  std::vector<Prediction> predictions_;
};

// The time after `name=` in a cyclic distributor; 0 if it is missing.
uint64_t SpanIn(std::string_view text, std::string_view name) {
  const size_t at = text.find(name);
  if (at == std::string_view::npos) return 0;
  const std::string_view rest = text.substr(at + name.size());
  const absl::StatusOr<uint64_t> span_ms = ParseSpanMs(rest.substr(0, rest.find(',')));
  return span_ms.ok() ? *span_ms : 0;
}

}  // namespace

std::string_view PredictionName(PredictionKind kind) {
  switch (kind) {
    case PredictionKind::kDominantRow:
      return "dominant-row";
    case PredictionKind::kPrefixTooShort:
      return "prefix-too-short";
    case PredictionKind::kHotRegion:
      return "hot-region";
    case PredictionKind::kUnusedRegions:
      return "unused-regions";
    case PredictionKind::kEmptyRegions:
      return "empty-regions";
    case PredictionKind::kCycleTooShort:
      return "cycle-too-short";
    case PredictionKind::kFewSeries:
      return "few-series";
    case PredictionKind::kMemory:
      return "memory";
    case PredictionKind::kBlockedWrites:
      return "blocked-writes";
    case PredictionKind::kPresplit:
      return "presplit";
    case PredictionKind::kSampleSize:
      return "sample-size";
  }
  HOURCELL_CHECK(false);
}

std::vector<Prediction> Predict(const SimulationResult& result) {
  return Predictor(result).Run();
}

std::string CycleFault(std::string_view distributor, const ModelSettings& settings) {
  constexpr std::string_view kCyclic = "cyclic:";
  if (!distributor.starts_with(kCyclic)) return "";
  const double period_ms = static_cast<double>(SpanIn(distributor, "period="));
  const double longest_ms = static_cast<double>(settings.major_ms) * (1 + settings.major_jitter);
  const double wanted_ms = static_cast<double>(settings.ttl_ms) + 2 * longest_ms;
  constexpr double kDay = 86'400'000;
  if (settings.ttl_ms == 0) {
    return "cyclic keys without a TTL: each lap is written over the one before; set a TTL";
  }
  if (period_ms >= wanted_ms) return "";
  return fmt::format(
      "cyclic keys with a period of {:.1f} d: a slot is written again before the last lap is gone; "
      "use at least {:.1f} d, the TTL and twice the {:.1f} d between major LSM compactions",
      period_ms / kDay, wanted_ms / kDay, longest_ms / kDay);
}

}  // namespace hourcell
