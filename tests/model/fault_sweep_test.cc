// C1, C5, C7 under failing disks: a script of calls to a store during which the n-th write to a
// file fails, or that and all after it, or there is no space, for every n until the script runs
// without meeting the fault. Whatever fails, what was acknowledged is shown, nothing is that was
// never put, and the store opens again. HOURCELL_SWEEP=all takes every n; the everyday suite takes
// some of them.

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <ostream>
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

namespace hourcell {
namespace {

constexpr uint64_t kSeed = 20130101;
// RocksDB rests for a second after each failure there, see restless_env.h.
constexpr int kCalls = kIsSanitized ? 40 : 120;
constexpr uint64_t kSanitizedRuns = 3;

struct Sweep {
  std::string name;
  FaultFs::Fault fault;
  Durability sync = Durability::kNever;
  size_t salt_width = 0;
  friend void PrintTo(const Sweep& sweep, std::ostream* out) { *out << sweep.name; }
};

class FaultSweepTest : public testing::TestWithParam<Sweep> {
 protected:
  // Returns whether the n-th write came to pass.
  bool RunWith(uint64_t n) {
    TempDir directory;
    const auto fs = std::make_shared<FaultFs>();
    const std::unique_ptr<rocksdb::Env> env = NewRestlessEnv(fs);
    Options options = TinyOptions(directory.path() + "/store");
    options.env = env.get();
    options.sync = GetParam().sync;
    options.layout.salt_width = GetParam().salt_width;
    options.layout.salt_buckets = GetParam().salt_width == 0 ? 1 : 4;
    options.open_hours_bytes = 64 << 10;
    options.journal_segment_bytes = 4 << 10;
    options.journal_bytes = 32 << 10;
    StoreScript script(kSeed, options);
    EXPECT_OK(script.Reopen());
    const uint64_t before = fs->Count();
    FaultFs::Fault fault = GetParam().fault;
    fault.nth = n;
    fs->FailOn(fault);
    // A disk that stays broken lets no store open.
    for (int call = 0; call < kCalls && (script.tsdb() != nullptr || !fault.is_lasting); ++call)
      script.Step();
    const bool has_failed = fs->Count() - before >= n;
    fs->Heal();
    Check(&script);
    if (HasFailure()) std::printf("write %lu:%s\n", n, script.history().c_str());
    return has_failed;
  }

  // As it is, and once it was opened anew, which must always be possible.
  static void Check(StoreScript* script) {
    EXPECT_TRUE(script->faults().empty()) << script->faults().front();
    if (script->tsdb() != nullptr) {
      const auto shown = script->ReadAll();
      if (shown.ok()) {
        EXPECT_EQ(script->points()->Fault(*shown), "");
      }
    }
    ASSERT_OK(script->Reopen());
    const auto shown = script->ReadAll();
    ASSERT_OK(shown);
    ASSERT_EQ(script->points()->Fault(*shown), "") << "after the store was opened anew";
    EXPECT_EQ(script->CheckRest(), "");
    // And it works.
    script->points()->Settle(*shown);
    const uint64_t failed = script->failed_calls();
    for (int call = 0; call < 20; ++call)
      script->Step();
    EXPECT_EQ(script->failed_calls(), failed) << "a healthy store";
    EXPECT_TRUE(script->faults().empty()) << script->faults().front();
  }
};

TEST_P(FaultSweepTest, NothingAcknowledgedIsLost) {
  const bool takes_all = std::getenv("HOURCELL_SWEEP") != nullptr;
  Random random(kSeed);
  uint64_t n = 1;
  uint64_t met = 0;
  while (RunWith(n) && !HasFailure()) {
    ++met;
    if (kIsSanitized && met == kSanitizedRuns) break;
    // The first ones, where much is made anew, then fewer and fewer.
    n += takes_all ? 1 : 1 + random.Below(kIsSanitized ? 20 * n : 2 * n);
  }
  std::printf("%lu of the first %lu writes failed, one in each run\n", met, n);
  EXPECT_GT(met, 2u) << "the sweep ended at once";
}

INSTANTIATE_TEST_SUITE_P(
    Faults,
    FaultSweepTest,
    testing::Values(Sweep{.name = "OneError", .fault = {}},
                    Sweep{.name = "OneErrorSyncAlways", .fault = {}, .sync = Durability::kAlways},
                    Sweep{.name = "ErrorsFromThenOn", .fault = {.is_lasting = true}},
                    Sweep{.name = "OneErrorSalted", .fault = {}, .salt_width = 1},
                    Sweep{.name = "ShortWrite", .fault = {.append_bytes = 100}},
                    Sweep{.name = "NoSpaceOnce", .fault = {.with = FaultFs::Failure::kNoSpace}},
                    Sweep{.name = "NoSpaceFromThenOn",
                          .fault = {.is_lasting = true, .with = FaultFs::Failure::kNoSpace}},
                    Sweep{.name = "SyncsFailSyncAlways",
                          .fault = {.operations = FaultFs::kSync | FaultFs::kDirectorySync},
                          .sync = Durability::kAlways}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace hourcell
