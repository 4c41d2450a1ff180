// PausedCompactions: while there is one, no store of this process that is open merges files. Made
// after the store was opened.

#pragma once

#include <rocksdb/env.h>

namespace hourcell {

class PausedCompactions {
 public:
  PausedCompactions() { SetThreads(0); }
  ~PausedCompactions() { SetThreads(2); }
  PausedCompactions(const PausedCompactions&) = delete;
  PausedCompactions& operator=(const PausedCompactions&) = delete;

 private:
  static void SetThreads(int threads) {
    rocksdb::Env::Default()->SetBackgroundThreads(threads, rocksdb::Env::LOW);
  }
};

}  // namespace hourcell
