// BigtableEngine: a store on a separate FakeBigtable, for the conformance suite and other tests.
// GoogleEngine: one in separate tables on Google's emulator.

#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "engine/bigtable/bigtable_table_store.h"
#include "tests/engine/bigtable/bigtable_service.h"
#include "tests/engine/table/conformance/conformance.h"
#include "tests/support/bigtable/fake_bigtable.h"

namespace hourcell {

// Waits are so short that a test of many faults is quick.
inline BigtableOptions QuickBigtableOptions(const std::string& address) {
  BigtableOptions options;
  options.project = "project";
  options.instance = "instance";
  options.retry_first_ms = 1;
  options.retry_max_ms = 4;
  return AtEmulator(options, address);
}
inline BigtableOptions QuickBigtableOptions(const FakeBigtable& fake) {
  return QuickBigtableOptions(fake.address());
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

class GoogleEngine : public TestedEngine {
 public:
  // Null: the emulator is missing, which is a failure where it must not be.
  static std::unique_ptr<GoogleEngine> MakeIfPresent() {
    const std::string missing = MissingEmulator();
    if (missing.empty()) return std::make_unique<GoogleEngine>();
    if (MustHaveEmulator()) ADD_FAILURE() << missing;
    return nullptr;
  }

  absl::StatusOr<std::unique_ptr<TableStore>> Open() override {
    BigtableOptions options = QuickBigtableOptions(SharedGoogleEmulator().address());
    options.page_rows = page_rows;
    options.table_prefix = prefix_;
    return OpenBigtableTableStore(options);
  }

  size_t page_rows = 4096;

 private:
  const std::string prefix_ = FreshTablePrefix();
};

}  // namespace hourcell
