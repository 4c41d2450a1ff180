// RegionLedger: the regions of a table during writes, their contents and load, and the times when
// the policy cuts one. It knows the bytes of every row, so sizes are exact and the same in each
// run: bytes of keys and values, not of files, which RocksDB compresses at its own times. The
// policies, their facts and the search for the split point are those of engine/regions, which the
// engine uses.
//
// Load is counted in windows of equal numbers of points (WindowsOf in case_writer.h).
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

// The size of a run, which the ledger needs beforehand.
struct LedgerRun {
  uint64_t points = 0;           // to be written, at least 1
  size_t windows = kWindowsMax;  // the run is divided into
  uint64_t seed = 1;
};

// A write to one row.
struct LedgerWrite {
  std::string_view row = {};  // the row key, without qualifier
  uint64_t bytes = 0;         // of key and value
  uint64_t points = 0;
};

// The spread of one window's points over the regions; with a split in the window, the mean of
// before and after, weighted by points.
struct LoadWindow {
  double hottest_share = 0;  // of the region with most points
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

  // REQUIRES: called before the first write; keys ascend.
  void Presplit(std::span<const std::string> keys);

  // Counts a write. Returns the key of a cut that is due now, and applies it; mostly empty.
  std::string Record(const LedgerWrite& write);

  // Ascending; the first is empty.
  std::vector<std::string> Starts() const;
  uint64_t splits() const { return splits_; }
  // Splits that the policy requested and that found no split point.
  uint64_t refusals() const { return refusals_; }
  // The complete windows.
  const std::vector<LoadWindow>& windows() const { return windows_; }
  LoadMap PointsByRegion() const;

 private:
  struct Row {
    uint64_t bytes = 0;
    // Points by window, without windows that have 0.
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
  // The current window so far, from one split to the next: sums, each weighted by its points.
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
  // Calls the policy, as after a flush.
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
  Stretches window_;  // of the current window
  std::vector<LoadWindow> windows_;
};

}  // namespace hourcell::layouts
