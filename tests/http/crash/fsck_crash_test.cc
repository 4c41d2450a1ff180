// hourcell fsck as its users run it: on a server under load, and repairs that are killed at every
// step: no point is lost, and the next call does the rest.

#include <signal.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/rocks/rocks_table_store.h"
#include "engine/rows/key_range.h"
#include "engine/rows/uid_key.h"
#include "engine/table/tables.h"
#include "tests/engine/backup/backup_testing.h"
#include "tests/http/crash/kill_points.h"
#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell::fsck_crash_test {
namespace {

using testing::HasSubstr;

constexpr int kDamagedRows = 5;

TEST(RunningFsckTest, AServerUnderLoadHasNoFaults) {
  TempDir dir;
  ServerProcess server(dir.file("store"), TinyBudgets("never"));
  ASSERT_NE(server.port(), 0);
  std::atomic<int> acknowledged{0};
  std::atomic<bool> is_done{false};
  // A store that is full for a moment answers with 503.
  std::atomic<int> failed{0};
  std::thread load([&] {
    while (!is_done && failed == 0) {
      const std::string body = PutBody(acknowledged, kBatch);
      const int status = HttpCall(server.port(), "POST", "/api/put", body).status;
      if (status == 204) {
        acknowledged += kBatch;
      } else if (status != 503) {
        failed = status;
      }
    }
  });
  const std::string url = fmt::format("http://127.0.0.1:{}", server.port());
  for (int round = 0; round < 3; ++round) {
    const int before = acknowledged;
    while (failed == 0 && acknowledged < before + 50 * kBatch)
      std::this_thread::yield();
    const ProgramResult fsck = RunProgram({"fsck", "--url", url});
    EXPECT_EQ(fsck.exit_code, 0) << fsck.out << fsck.err;
    EXPECT_THAT(fsck.out, HasSubstr("no faults found"));
  }
  is_done = true;
  load.join();
  EXPECT_EQ(failed, 0);
  const ProgramResult beside = RunProgram({"fsck", "--data", dir.file("store")});
  EXPECT_EQ(beside.exit_code, 3);
  EXPECT_THAT(beside.err, HasSubstr("in use"));
  EXPECT_EQ(RunProgram({"fsck", "--url", url, "--fix-cells"}).exit_code, 2);
}

class KilledFsckTest : public KillPointTest {
 protected:
  // The first row that begins so; of tsuids the last, whose number the first row has not.
  static Mutation DeleteIndexRow(Tables* tables, const std::string& prefix) {
    std::string key;
    EXPECT_OK(tables->Snapshot()->Scan(TableId::kSeries, PrefixRange(prefix),
                                       [&](std::string_view found, std::string_view) {
                                         key = found;
                                         return prefix == "t";
                                       }));
    return {TableId::kSeries, Mutation::Kind::kDelete, key, {}};
  }

  // Names, cells and index rows with faults; returns the contents of the store before.
  std::string MakeDamagedStore() {
    const Options options = TinyOptions(path_);
    std::string dump;
    {
      const std::unique_ptr<Tsdb> tsdb = OpenTiny(options);
      PutPoints(tsdb.get(), 0, 200);
      PutManySeries(tsdb.get());
      dump = Dump(tsdb.get());
      EXPECT_OK(tsdb->Close());
    }
    const auto tables = OpenRocksTableStore(path_ + "/db", options);
    EXPECT_OK(tables);
    std::vector<Mutation> group = {{TableId::kUid,
                                    Mutation::Kind::kDelete,
                                    UidReverseKey(options.layout, UidKind::kMetric, 1),
                                    {}},
                                   {TableId::kUid,
                                    Mutation::Kind::kDelete,
                                    UidReverseKey(options.layout, UidKind::kTagv, 2),
                                    {}}};
    EXPECT_OK((*tables)->Snapshot()->Scan(
        TableId::kData, {}, [&](std::string_view key, std::string_view) {
          group.push_back({TableId::kData, Mutation::Kind::kMerge, std::string(key), "\1no cell"});
          return group.size() < kDamagedRows + 2;
        }));
    // A set is not whole, and the store does not mark it as whole.
    group.push_back({TableId::kSystem, Mutation::Kind::kSet, "active_mark", "0"});
    for (const std::string prefix : {"a", "m", "n", "p", "t"})
      group.push_back(DeleteIndexRow(tables->get(), prefix));
    EXPECT_OK((*tables)->Apply(group, /*sync=*/true));
    EXPECT_OK((*tables)->Close());
    return dump;
  }

  TempDir dir_;
  const std::string path_ = dir_.file("store");
  const std::vector<std::string> fix_ = {"fsck",        "--data",     path_,
                                         "--fix-cells", "--fix-uids", "--fix-index"};
};

TEST_P(KilledFsckTest, NoPointIsLostAndTheNextCallDoesTheRest) {
  const std::string before = MakeDamagedStore();

  EXPECT_EQ(RunProgram(fix_, {}, "HOURCELL_KILL_AT=" + GetParam()).exit_code, -SIGKILL);
  const ProgramResult rest = RunProgram(fix_);
  EXPECT_EQ(rest.exit_code, 1) << rest.err;

  // Only the rows set aside are reported, and a third call changes nothing.
  EXPECT_THAT(RunProgram({"fsck", "--data", path_, "--json"}).out,
              HasSubstr(fmt::format("\"fixed\":0,\"faults\":{{\"aside\":{}}}", kDamagedRows)));
  EXPECT_THAT(RunProgram(fix_).out, HasSubstr(fmt::format("aside: {} faults", kDamagedRows)));
  EXPECT_EQ(Dump(OpenTiny(TinyOptions(path_)).get()), before);
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledFsckTest,
                         testing::Values("fsck:names",
                                         "fsck:names#2",
                                         "fsck:before_index",
                                         "fsck:index",
                                         "fsck:index#30",
                                         "fsck:before_active",
                                         "fsck:active",
                                         "fsck:before_cell",
                                         "fsck:cell",
                                         "fsck:before_cell#3",
                                         "fsck:cell#5"),
                         KillPointName);

class KilledDropTest : public KillPointTest {};

TEST_P(KilledDropTest, ASeriesIsThereOrGone) {
  TempDir dir;
  const Options options = TinyOptions(dir.file("store"));
  std::string dump;
  {
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options);
    PutPoints(tsdb.get(), 0, 10);
    PutManySeries(tsdb.get());
    ASSERT_OK(tsdb->points().DeletePoints(
        MakeQuery(Aggregator::kSum, "many", {}, kBackupHour, kBackupHour + 3600)));
    dump = Dump(tsdb.get());
    ASSERT_OK(tsdb->Close());
  }
  const std::vector<std::string> drop = {"fsck", "--data", options.path, "--drop-empty-series"};

  EXPECT_EQ(RunProgram(drop, {}, "HOURCELL_KILL_AT=" + GetParam()).exit_code, -SIGKILL);

  EXPECT_THAT(RunProgram({"fsck", "--data", options.path}).out, HasSubstr("no faults found"));
  const ProgramResult again = RunProgram(drop);
  EXPECT_EQ(again.exit_code, 0) << again.out << again.err;
  // Of 138 series the last eleven lack index rows yet, and ten have points.
  EXPECT_THAT(RunProgram({"fsck", "--data", options.path}).out, HasSubstr(" 21 series"));
  EXPECT_EQ(Dump(OpenTiny(options).get()), dump);
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledDropTest,
                         testing::Values("series:before_drop", "series:dropped"),
                         KillPointName);

}  // namespace
}  // namespace hourcell::fsck_crash_test
