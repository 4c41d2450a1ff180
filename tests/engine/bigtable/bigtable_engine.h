// BigtableEngine: a store on a FakeBigtable of its own, for the conformance suite and other tests.

#pragma once

#include <memory>

#include "engine/bigtable/bigtable_table_store.h"
#include "tests/engine/table/conformance/conformance.h"
#include "tests/support/bigtable/fake_bigtable.h"

namespace hourcell {

// Waits are so short that a test of many faults is quick.
inline BigtableOptions QuickBigtableOptions(const FakeBigtable& fake) {
  BigtableOptions options;
  options.project = "project";
  options.instance = "instance";
  options.retry_first_ms = 1;
  options.retry_max_ms = 4;
  return AtEmulator(options, fake.address());
}

class BigtableEngine : public TestedEngine {
 public:
  explicit BigtableEngine(const BigtableFaults& faults = {}) { fake_.SetFaults(faults); }

  absl::StatusOr<std::unique_ptr<TableStore>> Open() override {
    BigtableOptions options = QuickBigtableOptions(fake_);
    options.call_timeout_ms = call_timeout_ms;
    options.page_rows = page_rows;
    return OpenBigtableTableStore(options);
  }

  FakeBigtable* fake() { return &fake_; }

  // Of the stores that are opened from now on.
  int64_t call_timeout_ms = 60'000;
  size_t page_rows = 4096;

 private:
  FakeBigtable fake_;
};

}  // namespace hourcell
