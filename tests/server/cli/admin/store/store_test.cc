#include "server/cli/admin/store/store.h"

#include <csignal>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"
#include "tests/server/http/scripted_server.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/store_copy.h"
#include "tests/support/temp_dir.h"

namespace hourcell::local_store_test {
namespace {

using testing::HasSubstr;

class AdminTest : public testing::Test {
 protected:
  StoreOptions store() const { return {.data = dir_.file("store")}; }
  int Run(std::vector<std::string> words, const std::string& url = "") {
    return RunStoreCommand({.store = store(), .url = url, .words = std::move(words)},
                           terminal_.get());
  }

  // A store as kill -9 leaves it: three hours of points that only the journal has.
  void MakeKilledStore() {
    TempDir killed;
    const auto tsdb = OpenStore({.data = killed.file("store")}, StoreUse::kCreate);
    ASSERT_OK(tsdb);
    for (int64_t hour = 0; hour < 3; ++hour) {
      OwnedPoint point("m", "host=a", 1356998400 + 3600 * hour, hour);
      ASSERT_OK((*tsdb)->points().Put(point.view()));
    }
    TempDir copies;
    std::filesystem::rename(CopyStore(killed.file("store"), copies), dir_.file("store"));
  }

  TempDir dir_;
  CapturedTerminal terminal_;
};

TEST_F(AdminTest, ADirectoryIsReplayedSealedAndClosed) {
  for (const std::string action : {"seal", "flush", "compact"}) {
    SCOPED_TRACE(action);
    std::filesystem::remove_all(dir_.file("store"));
    MakeKilledStore();

    EXPECT_EQ(Run({action}), kExitOk);

    EXPECT_THAT(terminal_.out(), HasSubstr(action + ": 3 hours sealed in 0 ms\n"));
    const auto again = OpenStore(store(), StoreUse::kExisting);
    ASSERT_OK(again);
    EXPECT_EQ((*again)->stats().counter("journal.replayed_points")->value(), 0u);
    size_t rows = 0;
    EXPECT_OK((*again)->queries().Scan({}, [&](const ScannedRow&) { return ++rows > 0; }));
    EXPECT_EQ(rows, 3u);
  }
}

TEST_F(AdminTest, ASignalEndsSealingAndNoPointIsLost) {
  for (const std::string action : {"seal", "flush", "compact"}) {
    SCOPED_TRACE(action);
    std::filesystem::remove_all(dir_.file("store"));
    MakeKilledStore();
    SignallingClock clock(SIGTERM, 2);
    terminal_.get().clock = &clock;
    // A compaction looks at the clock once sealing is done.
    EXPECT_EQ(Run({action}), 143);
    terminal_.get().clock = &terminal_.clock();
    EXPECT_THAT(terminal_.err(), HasSubstr("hourcell store " + action + ": interrupted; "));
    const auto again = OpenStore(store(), StoreUse::kExisting);
    ASSERT_OK(again);
    size_t rows = 0;
    EXPECT_OK((*again)->queries().Scan({}, [&](const ScannedRow&) { return ++rows > 0; }));
    EXPECT_EQ(rows, 3u);
  }
}

TEST_F(AdminTest, AServerIsAskedByPost) {
  ScriptedServer server({{HttpReplyText(200, R"({"sealed":7,"ms":42})")}});

  EXPECT_EQ(Run({"compact"}, server.url()), kExitOk);

  EXPECT_EQ(terminal_.out(), "compact: 7 hours sealed in 42 ms\n");
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_THAT(server.requests()[0], testing::StartsWith("POST /api/admin/compact?async&key="));
}

TEST_F(AdminTest, TheServersErrorIsSaid) {
  ScriptedServer server({{HttpReplyText(
      503, R"({"error":{"code":503,"message":"Busy","details":"another one is under way"}})")}});

  EXPECT_EQ(Run({"flush"}, server.url()), kExitFailure);

  EXPECT_THAT(terminal_.err(), HasSubstr("hourcell store: 127.0.0.1:"));
  EXPECT_THAT(terminal_.err(), HasSubstr("503 Busy: another one is under way"));
}

TEST_F(AdminTest, AnAnswerOfSomethingElseIsRefused) {
  ScriptedServer server({{HttpReplyText(200, "<html>")}});

  EXPECT_EQ(Run({"seal"}, server.url()), kExitFailure);

  EXPECT_THAT(
      terminal_.err(),
      HasSubstr(
          "unexpected answer from the server: \"<html>\"; expected an object with sealed and ms"));
}

TEST_F(AdminTest, AMissingStoreIsNotMade) {
  EXPECT_EQ(Run({"seal"}), kExitFailure);

  EXPECT_FALSE(std::filesystem::exists(dir_.file("store")));
}

TEST_F(AdminTest, WordsThatMakeNoSenseAreUsageErrors) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{}, {"compaction"}, {"seal", "flush"}}) {
    EXPECT_EQ(Run(words), kExitUsage) << testing::PrintToString(words);
  }
  EXPECT_EQ(Run({"seal"}, "ftp://host"), kExitUsage);
  EXPECT_THAT(terminal_.err(),
              HasSubstr("expected one of seal, flush, compact, ttl and salt, got \"seal flush\""));
}

}  // namespace
}  // namespace hourcell::local_store_test
