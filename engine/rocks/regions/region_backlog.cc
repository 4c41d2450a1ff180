#include "engine/rocks/regions/region_backlog.h"

// Why two limits: with one limit a region would stop again as soon as it had resumed. It stops at
// 36 files of level 0 and resumes below 24 (docs/regions.md).

namespace hourcell {

void RegionBacklog::Note(uint64_t young_files, uint64_t memtables) {
  if (young_files >= kYoungFilesMax || memtables >= kMemtablesMax) {
    is_lagging_.store(true, std::memory_order_relaxed);
  } else if (young_files < kYoungFilesAgain && memtables < kMemtablesAgain) {
    is_lagging_.store(false, std::memory_order_relaxed);
  }
}

}  // namespace hourcell
