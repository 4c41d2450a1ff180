// Trims the regions of a table until none has rows of its sisters.

#pragma once

#include <chrono>
#include <thread>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/table/region_store.h"

namespace hourcell {

// Repeats until no region has rows of another one, because files in use by an LSM compaction are
// left for the next round. Its duration depends on the machine: the limit of a minute is for those
// that hang.
inline absl::Status TrimAllRegions(RegionStore* store, TableId table) {
  constexpr int kTriesMax = 3000;
  constexpr std::chrono::milliseconds kTryAgainAfter(20);
  for (int i = 0; i < kTriesMax; ++i) {
    const absl::StatusOr<bool> more = store->TrimRegions(table);
    if (!more.ok() || !*more) return more.status();
    std::this_thread::sleep_for(kTryAgainAfter);
  }
  return absl::DeadlineExceededError("regions are not trimmed after a minute");
}

}  // namespace hourcell
