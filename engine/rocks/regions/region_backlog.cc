#include "engine/rocks/regions/region_backlog.h"

namespace hourcell {

void RegionBacklog::Note(uint64_t young_files, uint64_t memtables) {
  if (young_files >= kYoungFilesMax || memtables >= kMemtablesMax) {
    is_lagging_.store(true, std::memory_order_relaxed);
  } else if (young_files < kYoungFilesAgain && memtables < kMemtablesAgain) {
    is_lagging_.store(false, std::memory_order_relaxed);
  }
}

}  // namespace hourcell
