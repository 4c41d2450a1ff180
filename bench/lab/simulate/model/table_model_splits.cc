// TableModel: splits and merges by the rules of engine/regions.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "bench/lab/simulate/model/table_model.h"
#include "codec/base/check.h"
#include "engine/regions/split/normalizer.h"

namespace hourcell {

RegionFacts TableModel::FactsOf(const RegionModel& region) const {
  const SplitSettings& split = options_.settings.regions.split;
  return {.state = region.info.state,
          .size = SizeOfStore(region.store.file_bytes()),
          .has_references = region.store.has_references(),
          .files_max = region.store.files(),
          .jitter_draw = JitterDraw(split.jitter_seed, region.info.id),
          .age_ms = now_ms_ - region.opened_ms,
          .append_share = split.append.is_enabled ? region.append.share() : 0,
          .is_cold = region.append.is_cold()};
}

TableFacts TableModel::Facts() const {
  return {.regions = regions_.size(), .store_regions = regions_.size()};
}

uint64_t TableModel::ThresholdOf(const RegionModel& region) const {
  return policy_->ThresholdBytes(FactsOf(region), Facts());
}

bool TableModel::MaybeSplit(RegionModel* region) {
  const SplitSettings& split = options_.settings.regions.split;
  RegionFacts facts = FactsOf(*region);
  if (split.policy == SplitPolicyKind::kBusy) {
    facts.blocked_share = region->busy.Update(
        now_ms_, {.writes = region->writes, .blocked = region->blocked}, split.busy.window_ms);
  }
  LoadVerdict verdict;
  if (region->load.has_value()) {
    verdict = region->load->Judge(now_ms_, region->info.range.start);
    facts.load = &verdict;
  }
  const SplitDecision decision = policy_->Decide(facts, Facts());
  if (!decision.should_split) return false;
  const std::string hint =
      decision.place == SplitPlace::kEnd ? region->append.largest() : verdict.point;
  return SplitAt(region, decision.place, hint, decision.cause);
}

bool TableModel::SplitAt(RegionModel* region,
                         SplitPlace place,
                         const std::string& hint,
                         SplitCause cause) {
  const SplitSettings& split = options_.settings.regions.split;
  const SplitTarget target{.range = region->info.range,
                           .files = region->store.Spans(),
                           .place = place,
                           .hint = hint,
                           .restriction = RestrictionOf(split),
                           .daughter_bytes_min = split.daughter_bytes_min};
  const SplitPoint point = FindSplitPoint(target, region->store.Probe());
  if (point.found()) {
    Cut(region, point, cause);
    return true;
  }
  region->why_unsplittable = point.reason;
  if (std::exchange(region->is_unsplittable, true)) return false;
  const StoreModel::HeavyKey heaviest = region->store.HeaviestKey();
  const uint64_t bytes = region->store.file_bytes();
  timeline_.Add(
      {.time_ms = now_ms_,
       .kind = IncidentKind::kUnsplittable,
       .region = region->info.id,
       .key = heaviest.key,
       .left_share =
           bytes == 0 ? 0 : static_cast<double>(heaviest.bytes) / static_cast<double>(bytes),
       .bytes = bytes,
       .regions = regions_.size(),
       .cause = cause,
       .reason = point.reason});
  return false;
}

void TableModel::Cut(RegionModel* region, const SplitPoint& point, SplitCause cause) {
  EndStall(region);
  FlushAtOnce(region);
  const auto at = std::find_if(regions_.begin(), regions_.end(),
                               [&](const auto& other) { return other.get() == region; });
  HOURCELL_CHECK(at != regions_.end());
  const std::unique_ptr<RegionModel> parent = std::move(*at);
  const uint64_t bytes = parent->store.file_bytes();
  const double puts_share = parent->store.ShareOfCellsBelow(point.key);
  const auto window = static_cast<size_t>(options_.settings.regions.split.append.window);

  auto left = NewRegion({.start = parent->info.range.start, .end = point.key}, {parent->info.id});
  auto right = NewRegion({.start = point.key, .end = parent->info.range.end}, {parent->info.id});
  // Bins across the point now end at it, perhaps without a key there; the largest key must not be
  // one that all later writes stay below.
  left->append = AppendDetector(window, parent->store.LargestBelow(point.key));
  const bool is_above = parent->append.largest() >= point.key;
  right->append = AppendDetector(window, is_above ? parent->append.largest() : std::string());
  right->store = parent->store.CutFrom(point.key);
  left->store = std::move(parent->store);
  const uint64_t left_bytes = left->store.file_bytes();
  const double left_share =
      bytes == 0 ? 0 : static_cast<double>(left_bytes) / static_cast<double>(bytes);
  const auto left_of = [&](uint64_t count) {
    return std::min(count, static_cast<uint64_t>(static_cast<double>(count) * puts_share));
  };
  left->puts = left_of(parent->puts);
  right->puts = parent->puts - left->puts;
  left->window_puts = left_of(parent->window_puts);
  right->window_puts = parent->window_puts - left->window_puts;
  for (const auto& daughter : {left.get(), right.get()}) {
    daughter->left_share = left_share;
    if (cause == SplitCause::kLoad) daughter->load_split_ms = now_ms_;
  }
  RegionModel* const daughters[] = {left.get(), right.get()};
  *at = std::move(left);
  regions_.insert(at + 1, std::move(right));
  SetMap();
  timeline_.Add({.time_ms = now_ms_,
                 .kind = IncidentKind::kSplit,
                 .region = parent->info.id,
                 .key = point.key,
                 .left_share = left_share,
                 .bytes = bytes,
                 .regions = regions_.size(),
                 .cause = cause,
                 .reason = point.reason});
  for (RegionModel* const daughter : daughters)
    RequestRewrite(daughter);
}

// The normaliser's rules in the engine of these cells: Hourcell may merge every region older than
// the TTL, and without a target only its split policy decides which regions are too large.
NormalizerSettings TableModel::NormalizerRules() const {
  NormalizerSettings rules = options_.settings.regions.normalizer;
  if (options_.settings.cells.model == CellModel::kHBase) return rules;
  const uint64_t ttl_ms = options_.settings.ttl_ms;
  if (ttl_ms > 0) rules.merge_age_ms_min = std::min(rules.merge_age_ms_min, ttl_ms);
  if (rules.target_bytes == 0 && rules.target_regions == 0) rules.allow_splits = false;
  return rules;
}

void TableModel::Normalize() {
  std::vector<NormalizerRegion> regions;
  for (const auto& region : regions_) {
    regions.push_back({.region = region->info,
                       .bytes = region->store.file_bytes() + region->store.memory_bytes(),
                       .load_split_ms = region->load_split_ms,
                       .split_threshold_bytes = ThresholdOf(*region)});
  }
  const NormalizerPlan plan = PlanNormalization(regions, NormalizerRules(), now_ms_);
  // Positions change with the first split or merge; ids remain.
  std::vector<std::vector<RegionId>> merges;
  for (const std::vector<size_t>& merge : plan.merges) {
    std::vector<RegionId>& ids = merges.emplace_back();
    for (const size_t i : merge)
      ids.push_back(regions[i].region.id);
  }
  for (const size_t i : plan.splits) {
    RegionModel* const region = FindById(regions[i].region.id);
    if (region != nullptr && options_.settings.regions.split.is_enabled) {
      SplitAt(region, options_.settings.regions.split.place, "", SplitCause::kUser);
    }
  }
  for (const std::vector<RegionId>& merge : merges)
    MergeRegions(merge);
}

void TableModel::MergeRegions(std::span<const RegionId> ids) {
  HOURCELL_CHECK(ids.size() > 1);
  const auto first = std::find_if(regions_.begin(), regions_.end(), [&](const auto& region) {
    return region->info.id == ids.front();
  });
  HOURCELL_CHECK(first != regions_.end());
  const auto last = first + static_cast<std::ptrdiff_t>(ids.size());
  std::vector<RegionRange> ranges;
  for (auto it = first; it != last; ++it) {
    EndStall(it->get());
    FlushAtOnce(it->get());
    ranges.push_back((*it)->info.range);
  }
  auto merged = NewRegion(MergedRange(ranges), {ids.begin(), ids.end()});
  std::string largest;
  for (auto it = first; it != last; ++it) {
    merged->store.Absorb(std::move((*it)->store));
    largest = std::max(largest, (*it)->append.largest());
    merged->puts += (*it)->puts;
    merged->window_puts += (*it)->window_puts;
  }
  merged->append =
      AppendDetector(static_cast<size_t>(options_.settings.regions.split.append.window), largest);
  RegionModel* const region = merged.get();
  const size_t count = ids.size();
  *first = std::move(merged);
  regions_.erase(first + 1, last);
  SetMap();
  timeline_.Add({.time_ms = now_ms_,
                 .kind = IncidentKind::kMerge,
                 .region = region->info.id,
                 .key = region->info.range.start,
                 .bytes = region->store.file_bytes(),
                 .regions = count});
  RequestRewrite(region);
}

}  // namespace hourcell
