// C1 under power loss: a script of calls to a store is cut off at any write, unsynced bytes are
// lost at random, and the store is opened again. Points acknowledged as synced are there, points
// that were never put are not, and regions and UIDs are whole. This repeats on the same store.
// HOURCELL_POWER_SEEDS is the number of stores; the everyday suite has twenty.

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>

#include "codec/base/random.h"
#include "tests/model/store_script.h"
#include "tests/support/builders.h"
#include "tests/support/fault_fs.h"
#include "tests/support/restless_env.h"
#include "tests/support/sanitizers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::power_loss_test {
namespace {

constexpr uint64_t kFirstSeed = 1;
constexpr int kLossesOfAStore = 3;

uint64_t Seeds() {
  const char* const text = std::getenv("HOURCELL_POWER_SEEDS");
  if (text != nullptr) return std::strtoull(text, nullptr, 10);
  return kIsSanitized ? 2 : 20;
}

class PowerLossTest : public testing::Test {
 protected:
  void RunStore(uint64_t seed) {
    Random random(seed);
    TempDir directory;
    const auto fs = std::make_shared<FaultFs>();
    const std::unique_ptr<rocksdb::Env> env = NewRestlessEnv(fs);
    Options options = TinyOptions(directory.path() + "/store");
    options.env = env.get();
    options.sync = random.Below(2) == 0 ? Durability::kAlways : Durability::kInterval;
    options.layout.salt_width = random.Below(2);
    options.layout.salt_buckets = options.layout.salt_width == 0 ? 1 : 4;
    options.open_hours_bytes = 64 << 10;
    options.journal_segment_bytes = 4 << 10;
    options.journal_bytes = 32 << 10;
    StoreScript script(seed, options);
    ASSERT_OK(script.Reopen());
    for (int loss = 0; loss < kLossesOfAStore && !HasFailure(); ++loss) {
      // A failure that passes, if it comes first, and the one with which the power goes.
      fs->FailOn({.nth = 1 + random.Below(600)});
      fs->FailOn({.nth = 1 + random.Below(600), .is_lasting = true});
      // Where it was open no more when the power went, it will not open.
      for (int call = 0; call < 60 && script.tsdb() != nullptr; ++call)
        script.Step();
      script.Drop();
      fs->LoseUnsynced(random.Next(), FaultFs::Loss::kEnds);
      fs->Heal();
      certain_ += script.points()->certain();
      Check(&script);
    }
    if (HasFailure()) std::printf("seed %lu:%s\n", seed, script.history().c_str());
  }

  static void Check(StoreScript* script) {
    ASSERT_OK(script->Reopen());
    const auto shown = script->ReadAll();
    ASSERT_OK(shown);
    ASSERT_EQ(script->points()->FaultAfterPowerLoss(*shown), "");
    ASSERT_EQ(script->CheckRest(), "");
    EXPECT_TRUE(script->faults().empty()) << script->faults().front();
    script->points()->Settle(*shown);
  }

  uint64_t certain_ = 0;  // points that were to be found, summed over all losses
};

TEST_F(PowerLossTest, WhatWasSyncedIsThere) {
  const uint64_t seeds = Seeds();
  for (uint64_t seed = kFirstSeed; seed < kFirstSeed + seeds && !HasFailure(); ++seed)
    RunStore(seed);
  EXPECT_GT(certain_, 20 * seeds);
}

}  // namespace
}  // namespace hourcell::power_loss_test
