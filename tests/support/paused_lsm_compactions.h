// PausedLsmCompactions: while there is one, no store of this process merges files. To be made
// after the store was opened.

#pragma once

#include <rocksdb/env.h>

namespace hourcell {

class PausedLsmCompactions {
 public:
  // ThreadSanitizer does not see the locking of the pool's mutex, only that it is unlocked.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  static constexpr bool kWorks = false;
#else
  static constexpr bool kWorks = true;
#endif
#else
  static constexpr bool kWorks = true;
#endif

  PausedLsmCompactions() { SetThreads(0); }
  ~PausedLsmCompactions() { SetThreads(2); }
  PausedLsmCompactions(const PausedLsmCompactions&) = delete;
  PausedLsmCompactions& operator=(const PausedLsmCompactions&) = delete;

 private:
  static void SetThreads(int threads) {
    rocksdb::Env::Default()->SetBackgroundThreads(threads, rocksdb::Env::LOW);
  }
};

}  // namespace hourcell
