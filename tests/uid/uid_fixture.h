// What the tests of uid/ begin with: a store in memory and a directory on it that can be reopened.

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codec/base/check.h"
#include "tests/support/mem_uid_store.h"
#include "uid/uid_directory.h"

namespace hourcell {

inline void PrintTo(const UidMapping& mapping, std::ostream* out) {
  *out << mapping.name << " <-> " << mapping.uid;
}

class UidFixture {
 public:
  explicit UidFixture(UidOptions options = {}) : options_(std::move(options)) { Reopen(); }

  // As a restart does: caches and counters come from the store.
  void Reopen() {
    directory_.reset();
    auto opened = UidDirectory::Open(options_, &store_);
    HOURCELL_CHECK(opened.ok());
    directory_ = *std::move(opened);
  }

  MemUidStore& store() { return store_; }
  UidDirectory& directory() { return *directory_; }
  UidOptions& options() { return options_; }

 private:
  UidOptions options_;
  MemUidStore store_;
  std::unique_ptr<UidDirectory> directory_;
};

}  // namespace hourcell
