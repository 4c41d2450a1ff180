// RegionLedger: the regions of a table that is being written, what each has and gets, and when the
// policy cuts one. It knows the bytes of every row, so sizes are exact and the same in each run:
// bytes of keys and values, not of files, which RocksDB compresses when it likes. The policies,
// their facts and the search for the point are those of engine/regions, which the engine uses.
//
// The load is looked at in windows of equal numbers of points (WindowsOf in case_writer.h).
//
// Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/regions/region_info.h"
#include "engine/regions/split/append_detector.h"
#include "engine/regions/split/load_sampler.h"
#include "engine/regions/split/split_policy.h"
#include "engine/regions/split/split_settings.h"

namespace hourcell::layouts {

inline constexpr size_t kWindowsMax = 100;

// A run, as far as the ledger must know it beforehand.
struct LedgerRun {
  uint64_t points = 0;           // that will be written, at least 1
  size_t windows = kWindowsMax;  // that they are cut into
  uint64_t seed = 1;
};

// A write to one row, as the ledger counts it.
struct LedgerWrite {
  std::string_view row = {};  // the row key, without qualifier
  uint64_t bytes = 0;         // of key and value
  uint64_t points = 0;
};

// How the points of one window were spread over the regions; where there was a split in it, the
// mean of before and after, weighted by points.
struct LoadWindow {
  double hottest_share = 0;  // of the region that got most
  double gini = 0;
  size_t regions = 0;  // at its end
};

// Points by final region and window.
struct LoadMap {
  std::vector<std::string> starts = {};          // of the regions
  std::vector<std::vector<uint64_t>> rows = {};  // of each region, by window
};

class RegionLedger {
 public:
  RegionLedger(const SplitSettings& settings, const LedgerRun& run);

  // REQUIRES: nothing is written yet; keys ascend.
  void Presplit(std::span<const std::string> keys);

  // Counts a write. The key at which a region is to be cut now, and is cut from here on; mostly
  // empty.
  std::string Record(const LedgerWrite& write);

  // Ascending; the first is empty.
  std::vector<std::string> Starts() const;
  uint64_t splits() const { return splits_; }
  // Splits that the policy wanted, and for which there was no point.
  uint64_t refusals() const { return refusals_; }
  // Those that are complete.
  const std::vector<LoadWindow>& windows() const { return windows_; }
  LoadMap PointsByRegion() const;

 private:
  struct Row {
    uint64_t bytes = 0;
    // Points by window, those without left out.
    std::vector<std::pair<uint32_t, uint64_t>> points = {};
  };
  struct Region {
    RegionId id = {};
    uint64_t bytes = 0;
    uint64_t unflushed_bytes = 0;
    uint64_t window_points = 0;
    std::unique_ptr<AppendDetector> appends = {};
    std::unique_ptr<LoadSampler> load = {};
  };
  // Of a window so far, from one split to the next: sums, each weighted by its points.
  struct Stretches {
    double points = 0;
    double hottest_share = 0;
    double gini = 0;
  };
  using Regions = std::map<std::string, Region, std::less<>>;

  Region NewRegion(std::string_view largest);
  Regions::iterator RegionOf(std::string_view row);
  void CountRow(const LedgerWrite& write);
  void EndStretch();
  void EndWindow();
  uint64_t BytesBetween(std::string_view start, std::string_view end) const;
  std::string LastRowBefore(std::string_view end) const;
  // The policy is asked, as after a flush.
  std::string AskPolicy(Regions::iterator region);
  std::string Cut(Regions::iterator region,
                  const SplitDecision& decision,
                  const LoadVerdict& verdict);
  uint64_t now_ms() const;

  const std::unique_ptr<const SplitPolicy> policy_;
  const LedgerRun run_;
  uint64_t next_id_ = 1;
  uint64_t writes_ = 0;
  uint64_t points_ = 0;
  uint64_t splits_ = 0;
  uint64_t refusals_ = 0;
  Regions regions_;  // by start
  std::map<std::string, Row, std::less<>> rows_;
  Stretches window_;  // that is under way
  std::vector<LoadWindow> windows_;
};

}  // namespace hourcell::layouts
