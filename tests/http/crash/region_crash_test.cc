// C4: regions tile the table whatever step of a pre-split, a split, a merge or a trim the server is
// killed at, and every point is found.

#include <signal.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/crash/kill_points.h"
#include "tests/http/crash/region_changes.h"
#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell::region_crash_test {
namespace {

using testing::HasSubstr;

// A new store that is killed while its regions are made.
class KilledPresplitTest : public KillPointTest {
 protected:
  static void RunStore();
};

void KilledPresplitTest::RunStore() {
  TempDir directory;
  std::vector<std::string> arguments = TinyBudgets("never");
  // Between the first metrics.
  arguments.insert(arguments.end(),
                   {"--set", R"(tsd.region.presplit=keys:\x00\x00\x02,\x00\x00\x03)"});
  {
    ServerProcess server(directory.path(), arguments, "HOURCELL_KILL_AT=" + GetParam());
    EXPECT_EQ(server.port(), 0);
    EXPECT_EQ(server.Wait(), -SIGKILL);
  }

  for (int round = 0; round < 2; ++round) {
    ServerProcess server(directory.path(), arguments);
    ASSERT_NE(server.port(), 0);
    EXPECT_EQ(HttpCall(server.port(), "POST", "/api/put", PutBody(round * kBatch, kBatch)).status,
              204);
    EXPECT_EQ(CountPoints(server.port()), (round + 1) * kBatch);
    EXPECT_EQ(server.End(round == 0 ? SIGKILL : SIGTERM), round == 0 ? -SIGKILL : 0);
  }
  ExpectCleanUids(directory.path());
}

TEST_P(KilledPresplitTest, TheNextStartMakesThemOrHasThem) {
  const uint64_t rounds = FromEnvironment("HOURCELL_REGION_KILLS", 1);
  for (uint64_t round = 0; round < rounds && !HasFailure(); ++round)
    RunStore();
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledPresplitTest,
                         testing::Values("presplit:families", "presplit:committed"),
                         KillPointName);

// A rolling split of a store with points that is killed between its cuts, and again, and again.
class KilledRollingSplitTest : public KillPointTest {
 protected:
  void RunStore();

  uint64_t all_deaths_ = 0;
};

void KilledRollingSplitTest::RunStore() {
  const std::string uri = "/api/admin/regions/rolling?wait";
  // Between the series of the metric, 20 in one hour; twice a key that no row has.
  std::string keys;
  for (const int tagv : {4, 8, 12, 16, 20, 200, 201})
    keys += fmt::format(
        "{}\\\\x00\\\\x00\\\\x01P\\\\xE2'\\\\x00\\\\x00\\\\x00\\\\x01\\\\x00\\\\x00\\\\x{:02X}",
        keys.empty() ? "keys:" : ",", tagv);
  const std::string body = fmt::format(R"({{"split":"{}"}})", keys);
  TempDir directory;
  int deaths = 0;
  for (; deaths < 20; ++deaths) {
    ServerProcess server(directory.path(), TinyBudgets("never"), "HOURCELL_KILL_AT=" + GetParam());
    ASSERT_NE(server.port(), 0);
    if (deaths == 0) {
      ASSERT_EQ(HttpCall(server.port(), "POST", "/api/put", PutBody(0, 200)).status, 204);
      ASSERT_EQ(HttpCall(server.port(), "POST", "/api/admin/seal?wait").status, 200);
    }
    EXPECT_EQ(CountPoints(server.port()), 200);
    // The first call starts the change, the others continue it.
    const HttpResult rolled = HttpCall(server.port(), "POST", uri, deaths == 0 ? body : "{}");
    if (rolled.status == 200) {
      EXPECT_THAT(rolled.body, HasSubstr("\"keys\":7,"));
      EXPECT_THAT(rolled.body, HasSubstr("\"resumed\":true"));
      EXPECT_THAT(HttpCall(server.port(), "GET", "/api/admin/regions/check").body,
                  HasSubstr("\"findings\":[]"));
      EXPECT_EQ(server.End(SIGTERM), 0);
      break;
    }
    ASSERT_EQ(rolled.status, 0) << rolled.body;
    EXPECT_EQ(server.Wait(), -SIGKILL);
  }
  all_deaths_ += static_cast<uint64_t>(deaths);
  EXPECT_GE(deaths, 1);
  EXPECT_LT(deaths, 20) << "never through";

  ServerProcess server(directory.path());
  EXPECT_EQ(CountPoints(server.port()), 200);
  const std::string regions = HttpCall(server.port(), "GET", "/api/admin/regions").body;
  size_t count = 0;
  for (size_t at = 0; (at = regions.find("\"encoded\":", at)) != std::string::npos; ++at)
    ++count;
  EXPECT_EQ(count, 8u) << regions;
  EXPECT_EQ(regions.find("\"rolling\""), std::string::npos);
}

TEST_P(KilledRollingSplitTest, TheNextOneGoesOn) {
  const uint64_t kills = FromEnvironment("HOURCELL_REGION_KILLS", 1);
  while (all_deaths_ < kills && !HasFailure())
    RunStore();
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledRollingSplitTest,
                         testing::Values("rolling:step", "rolling:step#3", "split:committed#2"),
                         KillPointName);

// A rolling split that is killed before its first cut.
class KilledRollingBeginTest : public KillPointTest {};

TEST_P(KilledRollingBeginTest, TheNextOneMakesThemAll) {
  const std::string uri = "/api/admin/regions/rolling?wait";
  TempDir directory;
  {
    ServerProcess server(directory.path(), {}, "HOURCELL_KILL_AT=" + GetParam());
    EXPECT_EQ(HttpCall(server.port(), "POST", uri, R"({"split":"hex:4"})").status, 0);
    EXPECT_EQ(server.Wait(), -SIGKILL);
  }

  ServerProcess server(directory.path());
  const HttpResult rolled = HttpCall(server.port(), "POST", uri, "{}");
  EXPECT_THAT(rolled.body, HasSubstr("\"made\":3"));
  EXPECT_THAT(rolled.body, HasSubstr("\"resumed\":true"));
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledRollingBeginTest,
                         testing::Values("rolling:begun"),
                         KillPointName);

// A start that is killed as it forgets a split which another death has cut short.
class KilledForgettingTest : public KillPointTest {};

TEST_P(KilledForgettingTest, TheNextStartHasTheRegionsOfBefore) {
  TempDir directory;
  {
    ServerProcess server(directory.path(), {}, "HOURCELL_KILL_AT=split:intent");
    ASSERT_EQ(HttpCall(server.port(), "POST", "/api/put", PutBody(0, 200)).status, 204);
    HttpCall(server.port(), "POST", "/api/admin/regions/split?wait",
             R"({"region":"1","at":"\\x00\\x00\\x01P\\xE2'\\x08"})");
    EXPECT_EQ(server.Wait(), -SIGKILL);
  }
  {
    ServerProcess server(directory.path(), {}, "HOURCELL_KILL_AT=" + GetParam());
    EXPECT_EQ(server.port(), 0);
    EXPECT_EQ(server.Wait(), -SIGKILL);
  }

  ServerProcess server(directory.path());
  EXPECT_EQ(CountPoints(server.port()), 200);
  EXPECT_THAT(HttpCall(server.port(), "GET", "/api/admin/regions/check").body,
              HasSubstr("\"findings\":[]"));
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledForgettingTest,
                         testing::Values("open:catalogue"),
                         KillPointName);

// Splits, merges and trims are killed between their steps, under load.
class KilledRegionChangeTest : public KillPointTest {};

TEST_P(KilledRegionChangeTest, TheStoreHasTheRegionsOfBeforeOrAfter) {
  constexpr int kPointsMax = 80'000;  // a second each: CountPoints reads one day
  const uint64_t rounds = FromEnvironment("HOURCELL_REGION_KILLS", 1);
  std::unique_ptr<TempDir> directory;
  int acknowledged = 0;
  for (uint64_t round = 0; round < rounds && !HasFailure(); ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    // Without new points files are soon cut at every key there is, and nothing is left to trim.
    if (directory == nullptr || acknowledged > kPointsMax / 2) {
      directory = std::make_unique<TempDir>();
      acknowledged = 0;
    }
    // Rows of hours: the single day of the points has a small number of keys to split at.
    std::vector<std::string> arguments = TinyBudgets("never");
    arguments.insert(arguments.end(), {"--set", "tsd.storage.day_row_points=0"});
    ServerProcess server(directory->path(), arguments,
                         fmt::format("HOURCELL_KILL_AT={}#{}", GetParam(), 1 + round % 5));
    ASSERT_NE(server.port(), 0);
    const std::jthread changer(
        [&] { ChangeRegionsUntilGone(server.port(), round * 100 + GetParam().size()); });
    for (int status = 204; status != 0 && acknowledged < kPointsMax;) {
      status = HttpCall(server.port(), "POST", "/api/put", PutBody(acknowledged, kBatch)).status;
      if (status == 204) acknowledged += kBatch;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(server.Wait(), -SIGKILL);

    ServerProcess next(directory->path());
    ASSERT_NE(next.port(), 0);
    const int found = acknowledged == 0 ? 0 : CountPoints(next.port());
    EXPECT_GE(found, acknowledged);
    EXPECT_LE(found, acknowledged + kBatch);
    EXPECT_THAT(HttpCall(next.port(), "GET", "/api/admin/regions/check").body,
                HasSubstr("\"findings\":[]"));
    EXPECT_EQ(next.End(SIGTERM), 0);
    EXPECT_FALSE(std::filesystem::exists(directory->path() + "/db.split"));
  }
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledRegionChangeTest,
                         testing::Values("split:intent",
                                         "split:flushed",
                                         "region:exported",
                                         "split:imported",
                                         "split:committed",
                                         "trim:rewritten",
                                         "trim:noted",
                                         "merge:intent",
                                         "merge:flushed",
                                         "merge:imported",
                                         "merge:committed"),
                         KillPointName);

}  // namespace
}  // namespace hourcell::region_crash_test
