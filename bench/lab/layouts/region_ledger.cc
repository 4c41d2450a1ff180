#include "bench/lab/layouts/region_ledger.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "bench/lab/layouts/split_rule.h"
#include "bench/lab/simulate/region_report.h"
#include "codec/base/check.h"
#include "engine/regions/split/split_point.h"
#include "engine/regions/split/split_restriction.h"

namespace hourcell::layouts {

RegionLedger::RegionLedger(const SplitSettings& settings, const LedgerRun& run)
    : policy_(MakeSplitPolicy(settings)), run_(run) {
  HOURCELL_CHECK(run.points > 0 && run.windows > 0 && run.windows <= kWindowsMax);
  regions_.emplace("", NewRegion(""));
}

RegionLedger::Region RegionLedger::NewRegion(std::string_view largest) {
  const SplitSettings& settings = policy_->settings();
  Region region{.id = {next_id_++}};
  region.appends = std::make_unique<AppendDetector>(settings.append.window, largest);
  region.load = std::make_unique<LoadSampler>(settings.load, run_.seed + region.id.value);
  return region;
}

void RegionLedger::Presplit(std::span<const std::string> keys) {
  HOURCELL_CHECK(points_ == 0 && regions_.size() == 1);
  for (const std::string& key : keys)
    regions_.emplace(key, NewRegion(""));
}

RegionLedger::Regions::iterator RegionLedger::RegionOf(std::string_view row) {
  return std::prev(regions_.upper_bound(row));
}

uint64_t RegionLedger::now_ms() const {
  return writes_ * 1000 / kWritesPerS;
}

std::string RegionLedger::Record(const LedgerWrite& write) {
  ++writes_;
  CountRow(write);
  const auto region = RegionOf(write.row);
  Region& counts = region->second;
  counts.bytes += write.bytes;
  counts.unflushed_bytes += write.bytes;
  counts.window_points += write.points;
  counts.appends->Record(write.row);
  const SplitSettings& settings = policy_->settings();
  if (settings.policy == SplitPolicyKind::kLoad) counts.load->RecordKey(now_ms(), write.row);

  points_ += write.points;
  while (windows_.size() < run_.windows &&
         points_ * run_.windows >= run_.points * (windows_.size() + 1)) {
    EndWindow();
  }
  if (counts.unflushed_bytes < settings.flush_bytes) return "";
  counts.unflushed_bytes = 0;
  return AskPolicy(region);
}

void RegionLedger::CountRow(const LedgerWrite& write) {
  auto row = rows_.find(write.row);
  if (row == rows_.end()) row = rows_.emplace(std::string(write.row), Row()).first;
  row->second.bytes += write.bytes;
  const auto window = static_cast<uint32_t>(windows_.size());
  auto& points = row->second.points;
  if (points.empty() || points.back().first != window) points.emplace_back(window, 0);
  points.back().second += write.points;
}

void RegionLedger::EndStretch() {
  std::vector<uint64_t> counts;
  for (auto& [start, region] : regions_)
    counts.push_back(std::exchange(region.window_points, 0));
  const SpreadOfCounts spread = SpreadOf(counts);
  const auto weight = static_cast<double>(spread.total);
  window_.points += weight;
  window_.hottest_share += weight * spread.hottest_share;
  window_.gini += weight * spread.gini;
}

void RegionLedger::EndWindow() {
  EndStretch();
  const Stretches all = std::exchange(window_, {});
  const double points = std::max(1.0, all.points);
  windows_.push_back({.hottest_share = all.hottest_share / points,
                      .gini = all.gini / points,
                      .regions = regions_.size()});
}

uint64_t RegionLedger::BytesBetween(std::string_view start, std::string_view end) const {
  uint64_t bytes = 0;
  for (auto row = rows_.lower_bound(start); row != rows_.end(); ++row) {
    if (!end.empty() && row->first >= end) break;
    bytes += row->second.bytes;
  }
  return bytes;
}

std::string RegionLedger::LastRowBefore(std::string_view end) const {
  const auto after = end.empty() ? rows_.end() : rows_.lower_bound(end);
  return after == rows_.begin() ? std::string() : std::prev(after)->first;
}

std::string RegionLedger::AskPolicy(Regions::iterator region) {
  const SplitSettings& settings = policy_->settings();
  const bool is_by_load = settings.policy == SplitPolicyKind::kLoad;
  LoadVerdict verdict;
  if (is_by_load) verdict = region->second.load->Judge(now_ms(), region->first);
  const RegionFacts facts{.size = SizeOfStore(region->second.bytes),
                          .jitter_draw = JitterDraw(settings.jitter_seed, region->second.id),
                          .append_share = region->second.appends->share(),
                          .load = is_by_load ? &verdict : nullptr};
  const TableFacts table{.regions = regions_.size(), .store_regions = regions_.size()};
  const SplitDecision decision = policy_->Decide(facts, table);
  return decision.should_split ? Cut(region, decision, verdict) : "";
}

std::string RegionLedger::Cut(Regions::iterator region,
                              const SplitDecision& decision,
                              const LoadVerdict& verdict) {
  const SplitSettings& settings = policy_->settings();
  const auto next = std::next(region);
  const std::string& start = region->first;
  const std::string end = next == regions_.end() ? "" : next->first;
  const std::string last = LastRowBefore(end);
  SplitTarget target{.range = {.start = start, .end = end},
                     .files = {{.smallest = rows_.lower_bound(start)->first,
                                .largest = last,
                                .bytes = region->second.bytes}},
                     .place = decision.place,
                     .hint = decision.place == SplitPlace::kEnd ? last : verdict.point,
                     .restriction = RestrictionOf(settings),
                     .daughter_bytes_min = settings.daughter_bytes_min};
  const SplitProbe probe{.bytes_between = [this](std::string_view a,
                                                 std::string_view b) { return BytesBetween(a, b); },
                         .first_row_from =
                             [this](std::string_view key) {
                               const auto row = rows_.lower_bound(key);
                               return row == rows_.end() ? std::string() : row->first;
                             }};
  const SplitPoint point = FindSplitPoint(target, probe);
  if (!point.found()) {
    ++refusals_;
    return "";
  }
  EndStretch();
  Region left = NewRegion(LastRowBefore(point.key));
  Region right = NewRegion(last >= point.key ? last : "");
  left.bytes = BytesBetween(start, point.key);
  right.bytes = BytesBetween(point.key, end);
  region->second = std::move(left);
  regions_.emplace(point.key, std::move(right));
  ++splits_;
  return point.key;
}

std::vector<std::string> RegionLedger::Starts() const {
  std::vector<std::string> starts;
  for (const auto& [start, region] : regions_)
    starts.push_back(start);
  return starts;
}

LoadMap RegionLedger::PointsByRegion() const {
  LoadMap map{.starts = Starts()};
  map.rows.assign(map.starts.size(), std::vector<uint64_t>(run_.windows + 1));
  size_t region = 0;
  for (const auto& [key, row] : rows_) {
    while (region + 1 < map.starts.size() && key >= map.starts[region + 1])
      ++region;
    for (const auto& [window, points] : row.points)
      map.rows[region][window] += points;
  }
  for (std::vector<uint64_t>& windows : map.rows)
    windows.resize(run_.windows);  // the last window is complete and was the last one written
  return map;
}

}  // namespace hourcell::layouts
