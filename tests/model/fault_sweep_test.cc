// C1, C5, C6, C7 under failing disks. During a script of calls to a store, the n-th write to a file
// fails, or that and all after it, or the disk is full, or the n-th read fails, or returns too few
// bytes, for every n until the script runs without meeting the fault. After any failure, a store
// shows each acknowledged point or an error, shows nothing that was never put, and opens again.
// HOURCELL_SWEEP=all takes every n; the everyday suite takes some.

#include <atomic>
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

namespace hourcell::fault_sweep_test {
namespace {

constexpr uint64_t kSeed = 20130101;
// With ThreadSanitizer RocksDB rests for a second after each failure, see restless_env.h.
constexpr int kCalls = kIsSanitized ? 40 : 120;
constexpr uint64_t kSanitizedRuns = 3;
constexpr size_t kLogBytes = 2000;  // of the faults that occurred, in the output

struct Sweep {
  std::string name;
  FaultFs::Fault fault;
  Durability sync = Durability::kNever;
  size_t salt_width = 0;
  uint64_t stride = 2;  // how many n are left out, at most, for each that came before
  friend void PrintTo(const Sweep& sweep, std::ostream* out) { *out << sweep.name; }
};

class FaultSweepTest : public testing::TestWithParam<Sweep> {
 protected:
  static Options OptionsFor(const TempDir& directory, rocksdb::Env* env) {
    Options options = TinyOptions(directory.path() + "/store");
    options.env = env;
    options.sync = GetParam().sync;
    options.layout.salt_width = GetParam().salt_width;
    options.layout.salt_buckets = GetParam().salt_width == 0 ? 1 : 4;
    options.open_hours_bytes = 64 << 10;
    options.journal_segment_bytes = 4 << 10;
    options.journal_bytes = 32 << 10;
    options.block_cache_bytes = 16 << 10;
    return options;
  }

  // Returns whether the n-th operation came to pass.
  bool RunWith(uint64_t n) {
    TempDir directory;
    const auto fs = std::make_shared<FaultFs>();
    const std::unique_ptr<rocksdb::Env> env = NewRestlessEnv(fs);
    StoreScript script(kSeed, OptionsFor(directory, env.get()));
    EXPECT_OK(script.Reopen());
    FaultFs::Fault fault = GetParam().fault;
    fault.nth = n;
    fs->FailOn(fault);
    // A disk that stays broken lets no store open.
    for (int call = 0; call < kCalls && (script.tsdb() != nullptr || !fault.is_lasting); ++call)
      script.Step();
    const std::string failed = fs->Log();
    fs->Heal();
    Check(&script);
    if (HasFailure()) {
      std::printf("operation %lu:%s\n%s", n, script.history().c_str(),
                  failed.substr(0, kLogBytes).c_str());
    }
    return !failed.empty();
  }

  // An error, or every point.
  static void CheckPoints(StoreScript* script) {
    const auto shown = script->ReadAll();
    if (!shown.ok()) return;
    EXPECT_EQ(script->points()->Fault(*shown), "");
  }

  // As it is, and once it was opened anew, which must always be possible.
  static void Check(StoreScript* script) {
    EXPECT_TRUE(script->faults().empty()) << script->faults().front();
    if (script->tsdb() != nullptr) CheckPoints(script);
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
    n += takes_all ? 1 : 1 + random.Below((kIsSanitized ? 10 : 1) * GetParam().stride * n);
  }
  std::printf("%lu of the first %lu operations failed, one in each run\n", met, n);
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

// Bit flips are only in SST files, which have a checksum for every block. The last bytes of a
// damaged log or manifest cannot be distinguished from bytes that were never written.
INSTANTIATE_TEST_SUITE_P(
    ReadFaults,
    FaultSweepTest,
    testing::Values(Sweep{.name = "OneError",
                          .fault = {.operations = FaultFs::kAllReads},
                          .salt_width = 1,
                          .stride = 8},
                    Sweep{.name = "ErrorsFromThenOn",
                          .fault = {.operations = FaultFs::kAllReads, .is_lasting = true},
                          .stride = 8},
                    Sweep{.name = "ShortOnce",
                          .fault = {.operations = FaultFs::kRead, .with = FaultFs::Failure::kShort},
                          .stride = 8},
                    Sweep{.name = "ShortFromThenOn",
                          .fault = {.operations = FaultFs::kRead,
                                    .is_lasting = true,
                                    .with = FaultFs::Failure::kShort},
                          .stride = 8},
                    Sweep{.name = "EndedOnce",
                          .fault = {.operations = FaultFs::kRead, .with = FaultFs::Failure::kEnded},
                          .stride = 8},
                    Sweep{.name = "TableFlippedOnce",
                          .fault = {.operations = FaultFs::kRead,
                                    .with = FaultFs::Failure::kFlip,
                                    .files = FaultFs::kSstFile},
                          .stride = 8}),
    [](const auto& param_info) { return param_info.param.name; });

// An open reads data that is not in memory yet: manifest, logs, catalogue, journal. The test opens
// the store repeatedly as kill -9 would have left it, each time with one of these reads failing.
// HOURCELL_OPENS is the number of opens.
class OpenSweepTest : public FaultSweepTest {
 protected:
  static uint64_t Rounds() {
    const char* const text = std::getenv("HOURCELL_OPENS");
    if (text != nullptr) return std::strtoull(text, nullptr, 10);
    return kIsSanitized ? 4 : 14;
  }

  void Start() {
    fs_->SetHook([this](FaultFs::Operation operation, const std::string& path) {
      const FaultFs::Fault& fault = GetParam().fault;
      if ((fault.operations & operation) != 0 && (fault.files & FaultFs::KindOf(path)) != 0) {
        ++reads_;
      }
    });
    ASSERT_OK(script_.Reopen());
  }

  // Closes it without a write, so that all is left as it is.
  void Kill() {
    fs_->FailOn({.is_lasting = true});
    script_.Drop();
    fs_->Heal();
  }

  // Returns whether the n-th read came to pass.
  bool OpenWith(uint64_t n) {
    const size_t before = fs_->Log().size();
    FaultFs::Fault fault = GetParam().fault;
    fault.nth = n;
    fs_->FailOn(fault);
    if (script_.Reopen().ok()) CheckPoints(&script_);
    const std::string failed = fs_->Log().substr(before);
    fs_->Heal();
    if (script_.tsdb() != nullptr) Kill();
    reads_ = 0;
    EXPECT_OK(script_.Reopen());
    reads_of_open_ = reads_;
    Check(&script_);
    if (HasFailure()) {
      std::printf("%s\n%s", failed.substr(0, kLogBytes).c_str(), script_.history().c_str());
    }
    return !failed.empty();
  }

  std::atomic<uint64_t> reads_{0};
  uint64_t reads_of_open_ = 10;  // a guess, before the first
  TempDir directory_;
  const std::shared_ptr<FaultFs> fs_ = std::make_shared<FaultFs>();
  const std::unique_ptr<rocksdb::Env> env_ = NewRestlessEnv(fs_);
  StoreScript script_{kSeed, OptionsFor(directory_, env_.get())};
};

TEST_P(OpenSweepTest, WhatCannotBeReadIsNotTakenForWhatIsNotThere) {
  Start();
  Random random(kSeed);
  uint64_t met = 0;
  const uint64_t rounds = Rounds();
  for (uint64_t round = 0; round < rounds && !HasFailure(); ++round) {
    for (int call = 0; call < 10; ++call)
      script_.Step();
    Kill();
    // As many as the open before had, and a few that may be too many.
    const uint64_t n = 1 + random.Below(reads_of_open_ + 2);
    SCOPED_TRACE(testing::Message() << "round " << round << ", read " << n);
    if (OpenWith(n)) ++met;
  }
  std::printf("%lu of %lu opens met a failed read\n", met, rounds);
  EXPECT_GE(met, rounds / 3);
}

INSTANTIATE_TEST_SUITE_P(
    Reads,
    OpenSweepTest,
    testing::Values(
        Sweep{.name = "OneError", .fault = {.operations = FaultFs::kAllReads}, .salt_width = 1},
        Sweep{.name = "ErrorsFromThenOn",
              .fault = {.operations = FaultFs::kAllReads, .is_lasting = true}},
        Sweep{.name = "Short",
              .fault = {.operations = FaultFs::kRead, .with = FaultFs::Failure::kShort}},
        Sweep{.name = "ShortFromThenOn",
              .fault = {.operations = FaultFs::kRead,
                        .is_lasting = true,
                        .with = FaultFs::Failure::kShort}},
        Sweep{.name = "Ended",
              .fault = {.operations = FaultFs::kRead, .with = FaultFs::Failure::kEnded}},
        Sweep{.name = "JournalEnded",
              .fault = {.operations = FaultFs::kRead,
                        .with = FaultFs::Failure::kEnded,
                        .files = FaultFs::kJournalFile}},
        Sweep{.name = "JournalFlipped",
              .fault = {.operations = FaultFs::kRead,
                        .with = FaultFs::Failure::kFlip,
                        .files = FaultFs::kJournalFile}}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace hourcell::fault_sweep_test
