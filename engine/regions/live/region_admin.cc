#include "engine/region_admin.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <memory>
#include <span>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/clock.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/base/try_slot.h"
#include "codec/rows/row_key.h"
#include "engine/regions/live/region_history.h"
#include "engine/regions/live/region_selector.h"
#include "engine/regions/live/rolling_split_state.h"
#include "engine/regions/live/row_split_probe.h"
#include "engine/regions/live/write_sample.h"
#include "engine/regions/live/write_split.h"
#include "engine/regions/presplit/equal_parts.h"
#include "engine/regions/presplit/presplit.h"
#include "engine/regions/region_info.h"
#include "engine/regions/region_invariants.h"
#include "engine/regions/region_name.h"
#include "engine/regions/split/split_policy.h"
#include "engine/rows/key_description.h"
#include "engine/rows/region_catalogue.h"
#include "engine/table/region_list.h"
#include "engine/table/region_store.h"
#include "engine/table/table.h"
#include "engine/table/table_maintenance.h"
#include "engine/table/tables.h"

// Why a change by a user waits for a trim and is not refused: a region that was just split has rows
// of its sister until they are trimmed, which is soon. A rolling split cuts at the middle key
// first, and keeps its progress in the system table, so that a killed one is resumed. The limits
// that keep the engine from splitting too often do not apply to a user's request (docs/regions.md).

namespace hourcell {
namespace {

// Regions up to this size are cut by their rows, larger ones by storage's sizes of their files.
constexpr uint64_t kProbedByRowsBytesMax = 8 << 20;

// Bytes that are not in files are ignored if they are at most one in this number.
constexpr uint64_t kMemoryShareMin = 20;

// How long a rolling split waits for a region to be rid of its sister's rows.
constexpr int kMergeTrimsMax = 600;
constexpr std::chrono::milliseconds kMergeTrimAgainAfter(50);

absl::StatusOr<TableId> TableNamed(std::string_view name) {
  for (const TableId table : kTableIds) {
    if (TableName(table) == name) return table;
  }
  return absl::InvalidArgumentError(
      fmt::format("table: expected data or annotation, got {}", QuoteForMessage(name)));
}

absl::StatusOr<size_t> FindUse(const std::vector<RegionUse>& uses, std::string_view selector) {
  std::vector<RegionInfo> regions;
  for (const RegionUse& use : uses)
    regions.push_back(use.region);
  return FindRegion(regions, selector);
}

RegionFacts FactsOf(const RegionUse& use) {
  return {.state = use.region.state,
          .size = SizeOfStore(use.file_bytes),
          .has_references = use.region.has_references,
          .files_max = use.files,
          .is_user_request = true};
}

// A table's catalogue on disk; rows that cannot be read are in `lines`.
struct Catalogue {
  std::vector<RegionInfo> regions;  // ascending by start
  std::vector<std::string> faults;
};

absl::StatusOr<Catalogue> ReadCatalogue(TableView* view, std::string_view table) {
  Catalogue catalogue;
  const std::string prefix = fmt::format("{}{}/", kRegionPrefix, table);
  HOURCELL_RETURN_IF_ERROR(view->Scan(TableId::kSystem, {.begin = prefix, .end = {}},
                                      [&](std::string_view key, std::string_view value) {
                                        if (!key.starts_with(prefix)) return false;
                                        absl::StatusOr<RegionInfo> region =
                                            DecodeRegion(key, value);
                                        if (region.ok()) {
                                          catalogue.regions.push_back(*std::move(region));
                                        } else {
                                          catalogue.faults.emplace_back(region.status().message());
                                        }
                                        return true;
                                      }));
  std::ranges::sort(catalogue.regions, {},
                    [](const RegionInfo& region) { return region.range.start; });
  return catalogue;
}

absl::Status AnotherOneRuns() {
  return absl::UnavailableError(
      "rolling split: another one is running; try again when it has ended");
}

}  // namespace

class RegionAdmin::Impl {
 public:
  Impl(const SplitSettings& settings, const Parts& parts);

  // As RegionAdmin has them.
  absl::StatusOr<std::vector<ListedRegion>> List(std::string_view table, ListDetail detail);
  absl::StatusOr<ExplainedKey> Explain(std::string_view table, std::string_view key);
  absl::StatusOr<RegionLoadReport> Loads(std::string_view table,
                                         uint64_t since_ms,
                                         ListDetail detail);
  absl::StatusOr<SplitDone> Split(const SplitRequest& request);
  absl::StatusOr<SplitPlan> PlanSplit(const SplitRequest& request) const;
  absl::StatusOr<ListedRegion> Merge(std::string_view table,
                                     const std::vector<std::string>& regions);
  absl::StatusOr<std::vector<std::string>> Check(std::string_view table);
  absl::StatusOr<RollingProgress> RollingSplit(std::string_view table, std::string_view split);
  absl::StatusOr<std::optional<RollingProgress>> UnfinishedRollingSplit(std::string_view table);
  absl::Status AbandonRollingSplit(std::string_view table);

  absl::Status BeforeRead() const {
    return parts_.check_is_writer ? parts_.check_is_writer() : absl::OkStatus();
  }
  absl::Status BeforeChange() const {
    return parts_.before_change ? parts_.before_change() : absl::OkStatus();
  }

  // The result of a change, a status or one with a value, as this process may acknowledge it.
  template <typename Answer>
  Answer Acknowledged(Answer changed) const {
    if (!changed.ok() || !parts_.check_is_writer) return changed;
    HOURCELL_RETURN_IF_ERROR(parts_.check_is_writer());
    return changed;
  }

 private:
  ListedRegion Listed(TableId table, const RegionUse& use, ListDetail detail) const;
  absl::Status CheckMaySplit(const RegionFacts& facts, uint64_t regions) const;
  // A region and the keys that cut it.
  struct ChosenCut {
    TableId table = TableId::kData;
    RegionUse parent = {};
    RegionCut cut = {};
    SplitSource source = SplitSource::kPolicy;
    std::string undivided = {};             // as SplitPlan has it
    std::vector<SampledWrite> writes = {};  // to the parent
  };
  absl::StatusOr<ChosenCut> ChooseCut(const SplitRequest& request) const;
  absl::Status CutAtHottest(ChosenCut* chosen) const;
  std::vector<SampledWrite> WritesTo(TableId table, RegionId region) const;
  absl::StatusOr<RegionCut> FindCut(TableId table, const RegionUse& use, uint32_t parts) const;
  absl::StatusOr<RegionProbe> Probe(TableId table, const RegionUse& use, SplitPlace place) const;
  absl::StatusOr<std::vector<std::string>> RollingKeys(std::string_view split) const;
  absl::StatusOr<std::optional<RollingSplitState>> ReadRolling(TableId table) const;
  absl::StatusOr<RollingSplitState> WantedRolling(
      std::string_view split, const std::optional<RollingSplitState>& before) const;
  absl::Status Write(Mutation mutation) const;
  absl::StatusOr<bool> CutAt(TableId table, const std::string& key);
  absl::Status WaitForTrim(TableId table, RegionId id);
  uint64_t PinnedUntilMs() const;

  const Parts parts_;
  const KeyDescriber explainer_;
  const std::unique_ptr<const SplitPolicy> policy_;
  std::atomic<bool> is_rolling_{false};
};

RegionAdmin::Impl::Impl(const SplitSettings& settings, const Parts& parts)
    : parts_(parts), explainer_(parts.row_keys, parts.uids), policy_(MakeSplitPolicy(settings)) {}

uint64_t RegionAdmin::Impl::PinnedUntilMs() const {
  return static_cast<uint64_t>(parts_.clock->NowMs()) + kPinnedMs;
}

ListedRegion RegionAdmin::Impl::Listed(TableId table,
                                       const RegionUse& use,
                                       ListDetail detail) const {
  const RegionInfo& region = use.region;
  ListedRegion listed{
      .id = region.id.value,
      .name = PrintableRegionName(region.table, region.range.start, region.id),
      .encoded_name = EncodedRegionName(region.table, region.range.start, region.id),
      .start = ToStringBinary(region.range.start),
      .end = ToStringBinary(region.range.end),
      .state = std::string(RegionStateName(region.state)),
      .column_family = ColumnFamilyOf(region),
      .pinned_until_ms = region.pinned_until_ms,
      .has_references = region.has_references,
      .file_bytes = use.file_bytes,
      .memory_bytes = use.memory_bytes,
      .files = use.files,
      .young_files = use.young_files};
  for (const RegionId parent : region.parents)
    listed.parents.push_back(parent.value);
  if (detail == ListDetail::kExplained) {
    listed.explained = explainer_.Explain(table, region.range.start);
  }
  return listed;
}

absl::StatusOr<std::vector<ListedRegion>> RegionAdmin::Impl::List(std::string_view table,
                                                                  ListDetail detail) {
  HOURCELL_ASSIGN_OR_RETURN(const TableId id, TableNamed(table));
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<RegionUse> uses, parts_.list->RegionUses(id));
  std::vector<ListedRegion> list;
  for (const RegionUse& use : uses)
    list.push_back(Listed(id, use, detail));
  return list;
}

absl::StatusOr<ExplainedKey> RegionAdmin::Impl::Explain(std::string_view table,
                                                        std::string_view key) {
  HOURCELL_ASSIGN_OR_RETURN(const TableId id, TableNamed(table));
  HOURCELL_ASSIGN_OR_RETURN(const std::string bytes, FromStringBinary(key));
  return explainer_.Explain(id, bytes);
}

absl::StatusOr<RegionLoadReport> RegionAdmin::Impl::Loads(std::string_view table,
                                                          uint64_t since_ms,
                                                          ListDetail detail) {
  HOURCELL_ASSIGN_OR_RETURN(const TableId id, TableNamed(table));
  if (SpecOf(id).regions != TableRegions::kAutomatic) {
    return absl::InvalidArgumentError(
        fmt::format("table: expected data, got {}: the loads of other tables are not kept",
                    QuoteForMessage(table)));
  }
  if (parts_.history == nullptr) return RegionLoadReport();
  RegionLoadReport report = parts_.history->Read(since_ms);
  for (RegionLoad& load : report.regions) {
    if (detail == ListDetail::kExplained) load.explained = explainer_.Explain(id, load.start);
    load.start = ToStringBinary(load.start);
    load.end = ToStringBinary(load.end);
  }
  for (RegionEvent& event : report.events) {
    const std::string words = KeyText(explainer_.Explain(id, event.cut));
    event.cut = words.empty() ? ToStringBinary(event.cut) : words;
  }
  return report;
}

absl::Status RegionAdmin::Impl::CheckMaySplit(const RegionFacts& facts, uint64_t regions) const {
  const SplitDecision decision =
      policy_->Decide(facts, {.regions = regions, .store_regions = regions});
  if (decision.should_split) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("split: refused: {}; see the settings tsd.region.split.*", decision.reason));
}

absl::StatusOr<RegionAdmin::Impl::ChosenCut> RegionAdmin::Impl::ChooseCut(
    const SplitRequest& request) const {
  HOURCELL_ASSIGN_OR_RETURN(const TableId table, TableNamed(request.table));
  if (parts_.regions == nullptr) return NoRegionStore(parts_.engine);
  if (request.into < 2 || request.into > kEqualPartsMax) {
    return absl::InvalidArgumentError(
        fmt::format("into: expected 2 to {} parts, got {}", kEqualPartsMax, request.into));
  }
  if (request.at.has_value() && request.into > 2) {
    return absl::InvalidArgumentError(
        fmt::format("split: expected one or the other, got a key and {} parts", request.into));
  }
  HOURCELL_ASSIGN_OR_RETURN(std::vector<RegionUse> uses, parts_.list->RegionUses(table));
  HOURCELL_ASSIGN_OR_RETURN(const size_t index, FindUse(uses, request.region));
  HOURCELL_RETURN_IF_ERROR(CheckMaySplit(FactsOf(uses[index]), uses.size()));
  ChosenCut chosen{.table = table, .parent = std::move(uses[index])};
  chosen.writes = WritesTo(table, chosen.parent.region.id);
  if (request.at == kAtHottest) {
    HOURCELL_RETURN_IF_ERROR(CutAtHottest(&chosen));
  } else if (request.at.has_value()) {
    HOURCELL_ASSIGN_OR_RETURN(const std::string key, FromStringBinary(*request.at));
    const SplitRestriction restriction = RestrictionOf(policy_->settings());
    HOURCELL_ASSIGN_OR_RETURN(chosen.cut.keys.emplace_back(),
                              CheckUserPoint(chosen.parent.region.range, restriction, key));
    chosen.source = SplitSource::kGiven;
  } else {
    HOURCELL_ASSIGN_OR_RETURN(chosen.cut, FindCut(table, chosen.parent, request.into));
  }
  chosen.cut.pinned_until_ms = PinnedUntilMs();
  return chosen;
}

absl::Status RegionAdmin::Impl::CutAtHottest(ChosenCut* chosen) const {
  const RegionRange& range = chosen->parent.region.range;
  WriteSplit split =
      FindWriteSplit(range, RestrictionOf(policy_->settings()), *parts_.row_keys, chosen->writes,
                     ADayLater(*parts_.row_keys, range, chosen->writes));
  if (!split.key.empty()) {
    chosen->cut.keys.push_back(std::move(split.key));
    chosen->source = SplitSource::kWrites;
    return absl::OkStatus();
  }
  chosen->undivided = std::move(split.reason);
  absl::StatusOr<RegionCut> cut = FindCut(chosen->table, chosen->parent, /*parts=*/2);
  if (absl::IsFailedPrecondition(cut.status())) {
    return absl::FailedPreconditionError(fmt::format("{}; no key divides the writes either: {}",
                                                     std::string(cut.status().message()),
                                                     chosen->undivided));
  }
  HOURCELL_ASSIGN_OR_RETURN(chosen->cut, std::move(cut));
  return absl::OkStatus();
}

std::vector<SampledWrite> RegionAdmin::Impl::WritesTo(TableId table, RegionId region) const {
  // The history is of the data table, and ids are of one table.
  if (parts_.history == nullptr || SpecOf(table).regions != TableRegions::kAutomatic) return {};
  return parts_.history->WritesTo(region);
}

absl::StatusOr<SplitPlan> RegionAdmin::Impl::PlanSplit(const SplitRequest& request) const {
  HOURCELL_ASSIGN_OR_RETURN(ChosenCut chosen, ChooseCut(request));
  const RegionInfo& parent = chosen.parent.region;
  const std::vector<SampledWrite> later = ADayLater(*parts_.row_keys, parent.range, chosen.writes);
  HOURCELL_ASSIGN_OR_RETURN(const RegionProbe probe,
                            Probe(chosen.table, chosen.parent, SplitPlace::kBytes));
  SplitPlan plan{.parent = parent.id.value,
                 .source = chosen.source,
                 .sampled_writes = later.size(),
                 .undivided = std::move(chosen.undivided)};
  RegionRange range = parent.range;
  for (size_t i = 0; i <= chosen.cut.keys.size(); ++i) {
    range.end = i < chosen.cut.keys.size() ? chosen.cut.keys[i] : parent.range.end;
    plan.daughters.push_back({.start = ToStringBinary(range.start),
                              .end = ToStringBinary(range.end),
                              .start_hex = ToHex(range.start),
                              .explained = explainer_.Explain(chosen.table, range.start),
                              .bytes = probe.probe.bytes_between(range.start, range.end),
                              .write_share = ShareIn(range, later)});
    range.start = range.end;
  }
  return plan;
}

absl::StatusOr<SplitDone> RegionAdmin::Impl::Split(const SplitRequest& request) {
  HOURCELL_ASSIGN_OR_RETURN(const ChosenCut chosen, ChooseCut(request));
  HOURCELL_RETURN_IF_ERROR(parts_.regions->Split(chosen.table, chosen.cut));

  SplitDone done{.parent = chosen.parent.region.id.value};
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<RegionUse> uses,
                            parts_.list->RegionUses(chosen.table));
  for (const RegionUse& use : uses) {
    if (std::ranges::find(use.region.parents, RegionId{done.parent}) == use.region.parents.end()) {
      continue;
    }
    done.daughters.push_back(Listed(chosen.table, use, ListDetail::kPlain));
  }
  return done;
}

absl::StatusOr<RegionProbe> RegionAdmin::Impl::Probe(TableId table,
                                                     const RegionUse& use,
                                                     SplitPlace place) const {
  const bool is_small = use.file_bytes + use.memory_bytes <= kProbedByRowsBytesMax;
  if (is_small && place == SplitPlace::kBytes) {
    const std::unique_ptr<TableView> view = parts_.tables->Snapshot();
    return ProbeRows(view.get(), table, use.region.range);
  }
  // Points are found by files.
  if (use.memory_bytes > use.file_bytes / kMemoryShareMin) {
    HOURCELL_RETURN_IF_ERROR(parts_.maintenance->Flush(table));
  }
  return parts_.regions->ProbeRegion(table, use.region.id);
}

absl::StatusOr<RegionCut> RegionAdmin::Impl::FindCut(TableId table,
                                                     const RegionUse& use,
                                                     uint32_t parts) const {
  const SplitSettings& settings = policy_->settings();
  SplitTarget target{.range = use.region.range,
                     .place = settings.place,
                     .restriction = RestrictionOf(settings),
                     .daughter_bytes_min = 1};
  HOURCELL_ASSIGN_OR_RETURN(RegionProbe probe, Probe(table, use, target.place));
  target.files = std::move(probe.files);
  EqualParts found = FindEqualParts(target, probe.probe, parts);
  if (found.found()) return RegionCut{.keys = std::move(found.keys)};
  return absl::FailedPreconditionError(
      fmt::format("split: region {} cannot be cut into {} parts: {}; give a key to cut it there",
                  use.region.id.value, parts, found.reason));
}

absl::StatusOr<ListedRegion> RegionAdmin::Impl::Merge(std::string_view table,
                                                      const std::vector<std::string>& regions) {
  HOURCELL_ASSIGN_OR_RETURN(const TableId table_id, TableNamed(table));
  if (parts_.regions == nullptr) return NoRegionStore(parts_.engine);
  if (regions.size() < 2) {
    return absl::InvalidArgumentError(
        fmt::format("regions: expected two neighbours or more, got {}", regions.size()));
  }
  HOURCELL_ASSIGN_OR_RETURN(std::vector<RegionUse> uses, parts_.list->RegionUses(table_id));
  std::vector<size_t> indexes;
  std::vector<RegionId> ids;
  for (const std::string& selector : regions) {
    HOURCELL_ASSIGN_OR_RETURN(const size_t index, FindUse(uses, selector));
    if (std::ranges::find(indexes, index) != indexes.end()) {
      return absl::InvalidArgumentError(fmt::format(
          "regions: {} is there twice; expected each once", uses[index].region.id.value));
    }
    indexes.push_back(index);
    ids.push_back(uses[index].region.id);
  }
  const std::string start = uses[*std::ranges::min_element(indexes)].region.range.start;
  HOURCELL_RETURN_IF_ERROR(parts_.regions->MergeRegions(table_id, ids));
  HOURCELL_ASSIGN_OR_RETURN(uses, parts_.list->RegionUses(table_id));
  const auto merged = std::ranges::find_if(
      uses, [&](const RegionUse& use) { return use.region.range.Contains(start); });
  if (merged == uses.end()) return absl::InternalError("merge: no region has its start");
  return Listed(table_id, *merged, ListDetail::kPlain);
}

absl::StatusOr<std::vector<std::string>> RegionAdmin::Impl::Check(std::string_view table) {
  HOURCELL_ASSIGN_OR_RETURN(const TableId id, TableNamed(table));
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<RegionUse> uses, parts_.list->RegionUses(id));
  std::vector<RegionInfo> regions;
  for (const RegionUse& use : uses)
    regions.push_back(use.region);
  std::vector<std::string> lines;
  for (const RegionFinding& finding : CheckInvariants(regions))
    lines.push_back(finding.text);

  const std::unique_ptr<TableView> view = parts_.tables->Snapshot();
  HOURCELL_ASSIGN_OR_RETURN(Catalogue catalogue, ReadCatalogue(view.get(), table));
  std::ranges::move(catalogue.faults, std::back_inserter(lines));
  // A table that was never cut has an empty catalogue.
  if (catalogue.regions.empty()) return lines;
  for (const RegionFinding& finding : CheckInvariants(catalogue.regions))
    lines.push_back("catalogue: " + finding.text);
  return lines;
}

absl::StatusOr<std::vector<std::string>> RegionAdmin::Impl::RollingKeys(
    std::string_view split) const {
  HOURCELL_ASSIGN_OR_RETURN(const PresplitSpec spec, ParsePresplit(split));
  if (spec.kind == PresplitSpec::Kind::kFile) {
    return absl::InvalidArgumentError(
        fmt::format("split: expected the keys themselves, as keys:a,b,c, got {}: the store reads "
                    "no files of others",
                    QuoteForMessage(split)));
  }
  Layout layout = parts_.row_keys->layout();
  if (layout.salt_width > 0) {
    layout.salt_buckets = parts_.row_keys->salt_epochs().epochs().back().buckets;
  }
  HOURCELL_ASSIGN_OR_RETURN(std::vector<std::string> keys, PresplitKeys(spec, layout, {}));
  if (keys.empty() || keys.size() >= kEqualPartsMax) {
    return absl::InvalidArgumentError(fmt::format("split: {} gives {} keys; expected 1 to {}",
                                                  QuoteForMessage(split), keys.size(),
                                                  kEqualPartsMax - 1));
  }
  const SplitRestriction restriction = RestrictionOf(policy_->settings());
  for (const std::string& key : keys) {
    const std::string_view cut = restriction.Truncate(key);
    if (cut == key) continue;
    return absl::InvalidArgumentError(
        fmt::format("split: key \"{}\": the restriction tsd.region.split.restriction cuts it to "
                    "\"{}\"; expected keys that it leaves alone",
                    ToStringBinary(key), ToStringBinary(cut)));
  }
  return keys;
}

absl::StatusOr<std::optional<RollingSplitState>> RegionAdmin::Impl::ReadRolling(
    TableId table) const {
  const std::string_view name = TableName(table);
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> row,
                            parts_.tables->Snapshot()->Get(TableId::kSystem, RollingKey(name)));
  if (!row.has_value()) return std::nullopt;
  HOURCELL_ASSIGN_OR_RETURN(RollingSplitState journal, DecodeRolling(name, *row));
  return journal;
}

absl::StatusOr<RollingProgress> RegionAdmin::Impl::RollingSplit(std::string_view table,
                                                                std::string_view split) {
  HOURCELL_ASSIGN_OR_RETURN(const TableId id, TableNamed(table));
  if (parts_.regions == nullptr) return NoRegionStore(parts_.engine);
  const TrySlot slot(&is_rolling_);
  if (!slot.taken()) return AnotherOneRuns();
  HOURCELL_RETURN_IF_ERROR(parts_.list->RegionUses(id).status());
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<RollingSplitState> before, ReadRolling(id));
  HOURCELL_ASSIGN_OR_RETURN(const RollingSplitState wanted, WantedRolling(split, before));
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> keys, RollingKeys(wanted.split));
  HOURCELL_RETURN_IF_ERROR(CheckMaySplit({.is_user_request = true}, 1));

  RollingSplitState journal = wanted;
  journal.keys = keys.size();
  HOURCELL_RETURN_IF_ERROR(Write(SetRolling(table, journal)));
  HOURCELL_KILL_POINT("rolling:begun");
  RollingProgress progress{
      .split = journal.split, .keys = keys.size(), .is_resumed = before.has_value()};
  for (const std::string& key : MiddleFirst(keys)) {
    HOURCELL_ASSIGN_OR_RETURN(const bool is_new, CutAt(id, key));
    if (!is_new) {
      ++progress.there;
      continue;
    }
    ++journal.made;
    HOURCELL_RETURN_IF_ERROR(Write(SetRolling(table, journal)));
    HOURCELL_KILL_POINT("rolling:step");
  }
  progress.made = journal.made;
  HOURCELL_RETURN_IF_ERROR(Write(DeleteRolling(table)));
  return progress;
}

absl::StatusOr<RollingSplitState> RegionAdmin::Impl::WantedRolling(
    std::string_view split, const std::optional<RollingSplitState>& before) const {
  if (split.empty()) {
    if (before.has_value()) return *before;
    return absl::FailedPreconditionError(
        "rolling split: no unfinished one to continue; give split keys, such as hex:16");
  }
  HOURCELL_ASSIGN_OR_RETURN(const PresplitSpec spec, ParsePresplit(split));
  const std::string text = FormatPresplit(spec);
  if (!before.has_value()) {
    return RollingSplitState{.split = text,
                             .started_ms = static_cast<uint64_t>(parts_.clock->NowMs())};
  }
  if (text == before->split) return *before;
  return absl::FailedPreconditionError(fmt::format(
      "rolling split {}: rolling split {} is unfinished, {} of {} keys; continue or abandon "
      "that one first",
      QuoteForMessage(text), QuoteForMessage(before->split), before->made, before->keys));
}

absl::Status RegionAdmin::Impl::Write(Mutation mutation) const {
  return parts_.tables->Apply({&mutation, 1}, /*sync=*/true);
}

// False if a region begins there already.
absl::StatusOr<bool> RegionAdmin::Impl::CutAt(TableId table, const std::string& key) {
  const std::vector<RegionInfo> regions = parts_.regions->Regions(table);
  const auto parent = std::ranges::find_if(
      regions, [&](const RegionInfo& region) { return region.range.Contains(key); });
  if (parent == regions.end()) return absl::InternalError("rolling split: no region has the key");
  if (parent->range.start == key) return false;
  if (parent->has_references && !policy_->settings().allow_nested_references) {
    HOURCELL_RETURN_IF_ERROR(WaitForTrim(table, parent->id));
  }
  HOURCELL_RETURN_IF_ERROR(
      parts_.regions->Split(table, {.keys = {key}, .pinned_until_ms = PinnedUntilMs()}));
  return true;
}

absl::Status RegionAdmin::Impl::WaitForTrim(TableId table, RegionId id) {
  for (int i = 0; i < kMergeTrimsMax; ++i) {
    if (i > 0) std::this_thread::sleep_for(kMergeTrimAgainAfter);
    HOURCELL_RETURN_IF_ERROR(parts_.regions->TrimRegions(table).status());
    const std::vector<RegionInfo> regions = parts_.regions->Regions(table);
    const auto found = std::ranges::find(regions, id, &RegionInfo::id);
    if (found == regions.end() || !found->has_references) return absl::OkStatus();
  }
  return absl::UnavailableError(fmt::format(
      "rolling split: region {} still has rows of its sister; continue later", id.value));
}

absl::StatusOr<std::optional<RollingProgress>> RegionAdmin::Impl::UnfinishedRollingSplit(
    std::string_view table) {
  HOURCELL_ASSIGN_OR_RETURN(const TableId id, TableNamed(table));
  HOURCELL_RETURN_IF_ERROR(parts_.list->RegionUses(id).status());
  HOURCELL_ASSIGN_OR_RETURN(std::optional<RollingSplitState> journal, ReadRolling(id));
  if (!journal.has_value()) return std::nullopt;
  return RollingProgress{
      .split = std::move(journal->split), .keys = journal->keys, .made = journal->made};
}

absl::Status RegionAdmin::Impl::AbandonRollingSplit(std::string_view table) {
  const TrySlot slot(&is_rolling_);
  if (!slot.taken()) return AnotherOneRuns();
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<RollingProgress> unfinished,
                            UnfinishedRollingSplit(table));
  if (!unfinished.has_value()) {
    return absl::NotFoundError(fmt::format("rolling split: table {} has none", table));
  }
  return Write(DeleteRolling(table));
}

RegionAdmin::RegionAdmin(const SplitSettings& settings, const Parts& parts)
    : impl_(std::make_unique<Impl>(settings, parts)) {}

RegionAdmin::~RegionAdmin() = default;

absl::StatusOr<std::vector<ListedRegion>> RegionAdmin::List(std::string_view table,
                                                            ListDetail detail) {
  HOURCELL_RETURN_IF_ERROR(impl_->BeforeRead());
  return impl_->List(table, detail);
}

absl::StatusOr<ExplainedKey> RegionAdmin::Explain(std::string_view table, std::string_view key) {
  HOURCELL_RETURN_IF_ERROR(impl_->BeforeRead());
  return impl_->Explain(table, key);
}

absl::StatusOr<RegionLoadReport> RegionAdmin::Loads(std::string_view table,
                                                    uint64_t since_ms,
                                                    ListDetail detail) {
  HOURCELL_RETURN_IF_ERROR(impl_->BeforeRead());
  return impl_->Loads(table, since_ms, detail);
}

absl::StatusOr<SplitDone> RegionAdmin::Split(const SplitRequest& request) {
  HOURCELL_RETURN_IF_ERROR(impl_->BeforeChange());
  return impl_->Acknowledged(impl_->Split(request));
}

absl::StatusOr<SplitPlan> RegionAdmin::PlanSplit(const SplitRequest& request) {
  HOURCELL_RETURN_IF_ERROR(impl_->BeforeChange());
  return impl_->Acknowledged(impl_->PlanSplit(request));
}

absl::StatusOr<ListedRegion> RegionAdmin::Merge(std::string_view table,
                                                const std::vector<std::string>& regions) {
  HOURCELL_RETURN_IF_ERROR(impl_->BeforeChange());
  return impl_->Acknowledged(impl_->Merge(table, regions));
}

absl::StatusOr<std::vector<std::string>> RegionAdmin::Check(std::string_view table) {
  HOURCELL_RETURN_IF_ERROR(impl_->BeforeRead());
  return impl_->Check(table);
}

absl::StatusOr<RollingProgress> RegionAdmin::RollingSplit(std::string_view table,
                                                          std::string_view split) {
  HOURCELL_RETURN_IF_ERROR(impl_->BeforeChange());
  return impl_->Acknowledged(impl_->RollingSplit(table, split));
}

absl::StatusOr<std::optional<RollingProgress>> RegionAdmin::UnfinishedRollingSplit(
    std::string_view table) {
  HOURCELL_RETURN_IF_ERROR(impl_->BeforeRead());
  return impl_->UnfinishedRollingSplit(table);
}

absl::Status RegionAdmin::AbandonRollingSplit(std::string_view table) {
  HOURCELL_RETURN_IF_ERROR(impl_->BeforeChange());
  return impl_->Acknowledged(impl_->AbandonRollingSplit(table));
}

absl::StatusOr<std::string> SplitOfFile(std::string_view file_text) {
  if (file_text.size() > kSplitTextBytesMax) {
    return absl::InvalidArgumentError(fmt::format("splits file: expected at most {} bytes, got {}",
                                                  kSplitTextBytesMax, file_text.size()));
  }
  PresplitSpec spec{.kind = PresplitSpec::Kind::kKeys, .regions = 0, .keys = {}, .path = {}};
  HOURCELL_ASSIGN_OR_RETURN(spec.keys, ParseSplitsFile(file_text));
  if (spec.keys.empty()) return absl::InvalidArgumentError("splits file: it has no keys");
  return FormatPresplit(spec);
}

}  // namespace hourcell
