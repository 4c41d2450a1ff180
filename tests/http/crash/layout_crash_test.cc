// C1 where it changes how rows are laid out: salt epochs, and a store that is written again in
// another layout. Killed at every step, every point is found.

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
#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell::layout_crash_test {
namespace {

using testing::HasSubstr;

// The salt of a store gets other buckets from the next hour on, is killed on the way, and the same
// again an hour later, under load.
class KilledSaltTest : public KillPointTest {
 protected:
  // Points are a second apart.
  static constexpr int kOfAnHour = 3600;
  static constexpr int kHoursOfAStore = 20;

  std::vector<std::string> Arguments() const {
    std::vector<std::string> arguments = TinyBudgets("never");
    arguments.insert(arguments.end(), {"--set", "tsd.storage.salt.width=1"});
    return arguments;
  }

  // Until a change is taken, and so the server gone: the next hours may have rows already.
  static void ChangeUntilGone(uint16_t port, int hour) {
    HttpResult changed;
    changed.status = 409;
    for (int64_t from = 1356998400 + 3600 * (hour + 1); changed.status == 409; from += 3600) {
      const std::string body = fmt::format(R"({{"buckets":{},"from":{}}})", 2 + hour * 7, from);
      changed = HttpCall(port, "POST", "/api/admin/salt", body);
    }
    EXPECT_EQ(changed.status, 0) << changed.body;
  }

  // Half of the points are of the hour, half of the next.
  void RunHour(const std::string& directory, int hour) {
    const int first = hour * kOfAnHour + kOfAnHour / 2;
    int acknowledged = 0;
    {
      ServerProcess server(directory, Arguments(), "HOURCELL_KILL_AT=" + GetParam());
      ASSERT_NE(server.port(), 0);
      const auto put = [&] {
        const std::string body = PutBody(first + acknowledged, kBatch);
        if (HttpCall(server.port(), "POST", "/api/put", body).status != 204) return false;
        acknowledged += kBatch;
        return true;
      };
      ASSERT_TRUE(put());
      const std::jthread changer([&] { ChangeUntilGone(server.port(), hour); });
      while (acknowledged < kOfAnHour && put())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      EXPECT_EQ(server.Wait(), -SIGKILL);
    }
    ServerProcess next(directory, Arguments());
    ASSERT_NE(next.port(), 0);
    const int found = CountPoints(next.port());
    EXPECT_GE(found, all_ + acknowledged);
    EXPECT_LE(found, all_ + acknowledged + kBatch);
    if (acknowledged < kOfAnHour) {
      const std::string body = PutBody(first + acknowledged, kBatch);
      EXPECT_EQ(HttpCall(next.port(), "POST", "/api/put", body).status, 204);
      acknowledged += kBatch;
    }
    all_ += acknowledged;
    EXPECT_EQ(CountPoints(next.port()), all_);
    EXPECT_EQ(HttpCall(next.port(), "POST", "/api/admin/seal?wait").status, 200);
    EXPECT_EQ(CountPoints(next.port()), all_);
    EXPECT_EQ(next.End(hour % 2 == 0 ? SIGTERM : SIGKILL), hour % 2 == 0 ? 0 : -SIGKILL);
  }

  int all_ = 0;  // points that are there
};

TEST_P(KilledSaltTest, EveryPointIsFoundInTheBucketOfItsTime) {
  const uint64_t rounds = FromEnvironment("HOURCELL_REGION_KILLS", 2);
  std::unique_ptr<TempDir> directory;
  for (uint64_t round = 0; round < rounds && !HasFailure(); ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    if (round % kHoursOfAStore == 0) {
      directory = std::make_unique<TempDir>();
      all_ = 0;
    }
    RunHour(directory->path(), static_cast<int>(round % kHoursOfAStore));
  }
}

INSTANTIATE_TEST_SUITE_P(Points,
                         KilledSaltTest,
                         testing::Values("change:sealed",
                                         "salt:checked",
                                         "salt:written",
                                         "change:done",
                                         "change:sealed_again"),
                         KillPointName);

// A migration that is killed between its steps, and run again.
class KilledMigrationTest : public KillPointTest {
 protected:
  static void RunStore();
};

void KilledMigrationTest::RunStore() {
  TempDir from;
  TempDir parent;
  const std::string to = parent.file("to");
  {
    ServerProcess server(from.path());
    for (int first = 0; first < 60'000; first += 3000) {
      const std::string body = PutBody(first, 3000);
      ASSERT_EQ(HttpCall(server.port(), "POST", "/api/put", body).status, 204);
    }
    server.End(SIGKILL);
  }

  const std::vector<std::string> migrate = {"migrate", from.path(), to, "--set",
                                            "tsd.storage.salt.width=1"};
  EXPECT_EQ(RunProgram(migrate, {}, "HOURCELL_KILL_AT=" + GetParam()).exit_code, -SIGKILL);
  EXPECT_TRUE(std::filesystem::exists(to + "/migration"));
  const ProgramResult again = RunProgram(migrate);
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("migrated 60000 points"));
  EXPECT_THAT(again.out, HasSubstr("both stores have the same points"));
  EXPECT_FALSE(std::filesystem::exists(to + "/migration"));

  for (const std::string& directory : {from.path(), to}) {
    ServerProcess server(
        directory, {"--set", fmt::format("tsd.storage.salt.width={}", directory == to ? 1 : 0)});
    EXPECT_EQ(CountPoints(server.port()), 60'000);
  }
}

TEST_P(KilledMigrationTest, TheNextOneIsWhole) {
  const uint64_t rounds = FromEnvironment("HOURCELL_REGION_KILLS", 1);
  for (uint64_t round = 0; round < rounds && !HasFailure(); ++round)
    RunStore();
}

INSTANTIATE_TEST_SUITE_P(
    Points,
    KilledMigrationTest,
    testing::Values("migrate:names", "migrate:batch#2", "migrate:points", "migrate:flushed"),
    KillPointName);

}  // namespace
}  // namespace hourcell::layout_crash_test
