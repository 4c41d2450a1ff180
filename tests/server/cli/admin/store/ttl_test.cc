#include "server/cli/admin/store/ttl.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"
#include "tests/server/http/scripted_server.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::ttl_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class TtlTest : public testing::Test {
 protected:
  StoreOptions store() const { return {.data = dir_.file("store")}; }
  int Run(std::vector<std::string> words, const std::string& url = "") {
    return RunStoreCommand({.store = store(), .url = url, .words = std::move(words)},
                           terminal_.get());
  }

  TempDir dir_;
  CapturedTerminal terminal_;
};

TEST_F(TtlTest, ADirectorysTtlsAreSetAndShown) {
  {
    const auto tsdb = OpenStore(store(), StoreUse::kCreate);
    ASSERT_OK(tsdb);
    OwnedPoint point("debug.requests", "host=a", 1356998400, 1);
    ASSERT_OK((*tsdb)->points().Put(point.view()));
  }
  EXPECT_EQ(Run({"ttl"}), kExitOk);
  EXPECT_EQ(terminal_.out(), "(default) forever\n");

  EXPECT_EQ(Run({"ttl", "debug.requests", "7d"}), kExitOk);
  EXPECT_EQ(Run({"ttl"}), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr("(default) forever\ndebug.requests 7d\n"
                                         "(default) forever\ndebug.requests 7d\n"));

  CapturedTerminal json;
  EXPECT_EQ(RunStoreCommand({.store = store(), .json = true, .words = {"ttl"}}, json.get()),
            kExitOk);
  EXPECT_EQ(json.out(), "{\"store\":0,\"metrics\":{\"debug.requests\":604800}}\n");

  EXPECT_EQ(Run({"ttl", "debug", "7d"}), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("debug"));
}

// A tool that is not told the server's settings goes by what the store has.
TEST_F(TtlTest, TheStoresOwnTtlIsKnownWithoutItsSettings) {
  StoreOptions with_ttl = store();
  with_ttl.settings = {"tsd.storage.ttl=86400"};
  ASSERT_OK(OpenStore(with_ttl, StoreUse::kCreate));

  EXPECT_EQ(Run({"ttl"}), kExitOk);

  EXPECT_EQ(terminal_.out(), "(default) 1d\n");
}

TEST_F(TtlTest, AServerIsAsked) {
  ScriptedServer server({{HttpReplyText(200, R"({"store":86400,"metrics":{"m":0,"n":90}})")},
                         {HttpReplyText(200, R"({"store":0,"metrics":{}})")}});

  EXPECT_EQ(Run({"ttl"}, server.url()), kExitOk);
  EXPECT_EQ(Run({"ttl", "a\"b", "12h"}, server.url()), kExitOk);

  EXPECT_EQ(terminal_.out(), "(default) 1d\nm forever\nn 90s\n(default) forever\n");
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_THAT(server.requests()[0], StartsWith("GET /api/admin/ttl HTTP/1.1\r\n"));
  EXPECT_THAT(server.requests()[1], StartsWith("POST /api/admin/ttl HTTP/1.1\r\n"));
  EXPECT_THAT(server.requests()[1], HasSubstr(R"({"metric":"a\"b","ttl":"12h"})"));
}

TEST_F(TtlTest, OtherAnswersAreFailures) {
  ScriptedServer server({{HttpReplyText(200, "{}")},
                         {HttpReplyText(404, R"({"error":{"code":404,"message":"no m"}})")}});

  EXPECT_EQ(Run({"ttl"}, server.url()), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("expected an object with store and metrics"));
  EXPECT_EQ(Run({"ttl", "m", "1d"}, server.url()), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("404 no m"));
}

TEST_F(TtlTest, WordsThatMakeNoSenseAreUsageErrors) {
  EXPECT_EQ(Run({"ttl", "m"}), kExitUsage);
  EXPECT_EQ(Run({"ttl", "m", "soon"}), kExitUsage);
  EXPECT_EQ(Run({"ttl", "m", "1d", "2d"}), kExitUsage);
  EXPECT_THAT(terminal_.err(), HasSubstr("ttl: expected no arguments, or METRIC TTL, got 1"));
}

}  // namespace
}  // namespace hourcell::ttl_test
