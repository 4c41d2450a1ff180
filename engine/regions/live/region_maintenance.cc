#include "engine/regions/live/region_maintenance.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "engine/regions/region_name.h"
#include "engine/regions/split/memory_budget.h"
#include "engine/regions/split/normalizer.h"
#include "engine/regions/split/split_point.h"

// Why policies run here, once a second, on facts that are gathered first: they are pure functions,
// which the simulator runs, too. A region that should be split and cannot be is named once: a line
// each second would hide the rest of the log.

namespace hourcell {
namespace {

constexpr TableId kKeptTable = TableId::kData;
static_assert(SpecOf(kKeptTable).regions == TableRegions::kAutomatic);

// Smaller memtables than this make many small files.
constexpr uint64_t kMemtableBytes = 2 << 20;

// The largest row of a region, or nothing.
std::string LargestKey(Tables* tables, const RegionInfo& region) {
  const std::unique_ptr<TableView> view = tables->Snapshot();
  const std::unique_ptr<RowCursor> row =
      view->NewCursor(kKeptTable, {.begin = region.range.start, .end = region.range.end});
  row->SeekToLast();
  return row->valid() ? std::string(row->key()) : std::string();
}

}  // namespace

RegionMaintenance::RegionMaintenance(const RegionSettings& settings, const Parts& parts)
    : settings_(settings),
      policy_(MakeSplitPolicy(settings.split)),
      parts_(parts),
      splits_(parts.stats->counter("region.splits")),
      merges_(parts.stats->counter("region.merges")),
      errors_(parts.stats->counter("region.errors")),
      unsplittable_(parts.stats->counter("region.unsplittable")),
      next_normalizing_ms_(MonotonicMs() + settings.normalizer.period_ms) {}

absl::Status RegionMaintenance::Tick() {
  MutexLock round(&round_);
  WatchRegions();
  const uint64_t changes = splits_->value() + merges_->value();
  absl::Status done = SplitWhatIsLarge();
  if (settings_.normalizer.is_enabled && MonotonicMs() >= next_normalizing_ms_) {
    next_normalizing_ms_ = MonotonicMs() + settings_.normalizer.period_ms;
    done.Update(Normalize());
  }
  // From now on, rows are counted for the new regions, not for the removed ones.
  if (splits_->value() + merges_->value() != changes) WatchRegions();
  if (!done.ok()) errors_->Add(1);
  return done;
}

absl::StatusOr<bool> RegionMaintenance::Trim() {
  MutexLock trimming(&trimming_);
  absl::StatusOr<bool> more = parts_.regions->TrimRegions(kKeptTable);
  if (!more.ok()) errors_->Add(1);
  return more;
}

std::string RegionMaintenance::ReasonOf(RegionId id) const {
  MutexLock lock(&mutex_);
  const auto found = reasons_.find(id);
  return found == reasons_.end() ? std::string() : found->second;
}

void RegionMaintenance::SetReason(RegionId id, std::string reason) {
  MutexLock lock(&mutex_);
  reasons_[id] = std::move(reason);
}

// Forgets the removed regions.
void RegionMaintenance::WatchRegions() {
  const std::vector<RegionInfo> regions = parts_.regions->Regions(kKeptTable);
  parts_.loads->SetRegions(
      regions, [this](const RegionInfo& region) { return LargestKey(parts_.tables, region); });
  std::set<RegionId> ids;
  for (const RegionInfo& region : regions)
    ids.insert(region.id);
  const auto is_gone = [&ids](const auto& entry) { return !ids.contains(entry.first); };
  std::erase_if(unsplittable_bytes_, is_gone);
  std::erase_if(busy_rates_, is_gone);
  WarnOfMemory(regions.size());
  MutexLock lock(&mutex_);
  std::erase_if(reasons_, is_gone);
}

void RegionMaintenance::WarnOfMemory(size_t regions) {
  if (regions <= regions_warned_of_ || !parts_.warn) return;
  const std::string warning = RegionCountWarning(
      regions,
      {.memory_bytes = parts_.write_buffers_bytes, .share = 1, .flush_bytes = kMemtableBytes});
  if (warning.empty()) return;
  parts_.warn(warning);
  regions_warned_of_ = regions + regions / 10;  // not with each that comes
}

// One key for all samples of a series and an hour: a store of a thousand series has a thousand.
void RegionMaintenance::NotePuts(PutSample::Taken taken) {
  std::ranges::sort(taken.puts);
  std::vector<SampledPut> distinct;
  std::vector<RegionHistory::PutsOfKey> noted;
  for (const SampledPut& put : taken.puts) {
    if (distinct.empty() || distinct.back() != put) {
      distinct.push_back(put);
      noted.emplace_back();
    }
    ++noted.back().count;
  }
  absl::StatusOr<std::vector<std::string>> keys = parts_.keys_of(distinct);
  if (!keys.ok()) return;
  HOURCELL_DCHECK(keys->size() == noted.size());
  for (size_t i = 0; i < noted.size(); ++i)
    noted[i].key = std::move((*keys)[i]);
  std::erase_if(noted, [](const RegionHistory::PutsOfKey& put) { return put.key.empty(); });
  parts_.history->NotePuts(noted, taken.points);
}

void RegionMaintenance::NoteHistory(std::span<const RegionUse> uses) {
  if (parts_.history == nullptr) return;
  if (parts_.puts != nullptr && parts_.keys_of) {
    // Counted for the regions of the round before, also puts to a region that was made since.
    NotePuts(parts_.puts->Take());
  }
  parts_.history->Note(NowMs(), uses);
}

absl::Status RegionMaintenance::SplitWhatIsLarge() {
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<RegionUse> uses, parts_.list->RegionUses(kKeptTable));
  NoteHistory(uses);
  size_t all = 0;
  for (const TableId table : kTableIds)
    all += parts_.regions->Regions(table).size();
  TableFacts facts{.regions = uses.size(), .store_regions = all};
  absl::Status done;
  for (const RegionUse& use : uses) {
    done.Update(Consider(use, facts));
  }
  return done;
}

RegionFacts RegionMaintenance::FactsOf(const RegionUse& use, uint64_t now_ms) const {
  RegionFacts facts;
  facts.state = use.region.state;
  facts.size = SizeOfStore(use.file_bytes);
  facts.has_references = use.region.has_references;
  // HBase counts all files of a store, which it keeps few; levels below the first are one file to
  // a reader.
  facts.files_max = use.young_files;
  facts.jitter_draw = JitterDraw(settings_.split.jitter_seed, use.region.id);
  facts.age_ms = now_ms - std::min(now_ms, use.region.id.value);
  return facts;
}

// The blocked share of the rows recently written to the region.
double RegionMaintenance::BlockedShareOf(const RegionUse& use, uint64_t now_ms) {
  const BusyRate::Counts counts{.writes = use.rows_written + use.rows_blocked,
                                .blocked = use.rows_blocked};
  BusyRate& rate = busy_rates_.try_emplace(use.region.id, now_ms, counts).first->second;
  return rate.Update(now_ms, counts, settings_.split.busy.window_ms);
}

absl::Status RegionMaintenance::Consider(const RegionUse& use, const TableFacts& table) {
  const uint64_t now_ms = NowMs();
  const RegionLoads::Load load = parts_.loads->Of(use.region.id, MonotonicMs());
  RegionFacts facts = FactsOf(use, now_ms);
  facts.append_share = load.append_share;
  facts.is_cold = load.is_cold;
  facts.load = &load.verdict;
  facts.blocked_share = BlockedShareOf(use, MonotonicMs());
  const SplitDecision decision = policy_->Decide(facts, table);
  if (!decision.should_split) {
    SetReason(use.region.id, decision.reason);
    return absl::OkStatus();
  }
  // A region without a split point is not tried again until its size changes.
  const auto tried = unsplittable_bytes_.find(use.region.id);
  if (tried != unsplittable_bytes_.end() && tried->second == use.file_bytes) {
    return absl::OkStatus();
  }
  const std::string hint =
      decision.place == SplitPlace::kEnd ? load.largest_key : load.verdict.point;
  // The halves of a split by load must not be merged at once for being small.
  const uint64_t pinned_until_ms =
      decision.cause == SplitCause::kLoad ? now_ms + settings_.normalizer.sticky_ms : 0;
  return SplitRegion(use, decision.place, hint, pinned_until_ms);
}

absl::Status RegionMaintenance::SplitRegion(const RegionUse& use,
                                            SplitPlace place,
                                            const std::string& hint,
                                            uint64_t pinned_until_ms) {
  absl::StatusOr<RegionProbe> probe = parts_.regions->ProbeRegion(kKeptTable, use.region.id);
  if (absl::IsNotFound(probe.status())) return absl::OkStatus();  // it is gone by now
  HOURCELL_RETURN_IF_ERROR(probe.status());
  const SplitPoint point =
      FindSplitPoint({.range = use.region.range,
                      .files = std::move(probe->files),
                      .place = place,
                      .hint = hint,
                      .restriction = RestrictionOf(settings_.split),
                      .daughter_bytes_min = settings_.split.daughter_bytes_min},
                     probe->probe);
  if (!point.found()) {
    NoteUnsplittable(use, point.reason);
    return absl::OkStatus();
  }
  HOURCELL_RETURN_IF_ERROR(
      parts_.regions->Split(kKeptTable, {.keys = {point.key}, .pinned_until_ms = pinned_until_ms}));
  splits_->Add(1);
  return absl::OkStatus();
}

void RegionMaintenance::NoteUnsplittable(const RegionUse& use, const std::string& reason) {
  SetReason(use.region.id, "should be split and cannot be: " + reason);
  const bool is_new = !unsplittable_bytes_.contains(use.region.id);
  unsplittable_bytes_[use.region.id] = use.file_bytes;
  if (!is_new) return;
  unsplittable_->Add(1);
  if (!parts_.warn) return;
  parts_.warn(fmt::format("region {} of table {}, from {}, has {} bytes and cannot be split: {}",
                          use.region.id.value, use.region.table,
                          ToStringBinary(use.region.range.start), use.file_bytes, reason));
}

absl::Status RegionMaintenance::Normalize() {
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<RegionUse> uses, parts_.list->RegionUses(kKeptTable));
  const uint64_t now_ms = NowMs();
  const TableFacts table{.regions = uses.size(), .store_regions = uses.size()};
  std::vector<NormalizerRegion> regions;
  for (const RegionUse& use : uses) {
    regions.push_back(
        {.region = use.region,
         .bytes = use.file_bytes,
         .load_split_ms = 0,  // it is pinned instead
         .split_threshold_bytes = policy_->ThresholdBytes(FactsOf(use, now_ms), table)});
  }
  NormalizerSettings settings = settings_.normalizer;
  if (const int64_t ttl_ms = parts_.ttl_ms ? parts_.ttl_ms() : 0; ttl_ms > 0) {
    settings.merge_age_ms_min = std::min(settings.merge_age_ms_min, static_cast<uint64_t>(ttl_ms));
  }
  // Without a target only the split policy defines a large region: where a TTL leaves small
  // regions, the average would cut the full ones.
  if (settings.target_bytes == 0 && settings.target_regions == 0) settings.allow_splits = false;
  const NormalizerPlan plan = PlanNormalization(regions, settings, now_ms);
  absl::Status done;
  for (const std::vector<size_t>& run : plan.merges) {
    std::vector<RegionId> ids;
    for (const size_t i : run)
      ids.push_back(uses[i].region.id);
    const absl::Status merged = parts_.regions->MergeRegions(kKeptTable, ids);
    if (merged.ok()) merges_->Add(1);
    // Another change came first, or a region is not trimmed yet: the next plan sees to it.
    if (!absl::IsNotFound(merged) && !absl::IsUnavailable(merged)) done.Update(merged);
  }
  for (const size_t i : plan.splits)
    done.Update(SplitRegion(uses[i], settings_.split.place, "", 0));
  return done;
}

}  // namespace hourcell
