#include "server/cli/admin/store/salt.h"

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

namespace hourcell::salt_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class SaltTest : public testing::Test {
 protected:
  StoreOptions store() const {
    return {.data = dir_.file("store"),
            .settings = {"tsd.storage.salt.width=1", "tsd.storage.salt.buckets=4"}};
  }
  int Run(std::vector<std::string> words, const std::string& url = "") {
    return RunStoreCommand({.store = store(), .url = url, .words = std::move(words)},
                           terminal_.get());
  }

  TempDir dir_;
  CapturedTerminal terminal_;
};

TEST_F(SaltTest, ADirectorysBucketsAreChangedAndShown) {
  {
    const auto tsdb = OpenStore(store(), StoreUse::kCreate);
    ASSERT_OK(tsdb);
    OwnedPoint point("m", "host=a", 1356998400, 1);
    ASSERT_OK((*tsdb)->points().Put(point.view()));
  }
  EXPECT_EQ(Run({"salt"}), kExitOk);
  EXPECT_EQ(terminal_.out(), "1970/01/01-00:00:00 4\n");

  CapturedTerminal json;
  EXPECT_EQ(RunStoreCommand({.store = store(), .json = true, .words = {"salt"}}, json.get()),
            kExitOk);
  EXPECT_EQ(json.out(), "{\"epochs\":[{\"from\":0,\"buckets\":4}]}\n");
  EXPECT_EQ(RunStoreCommand({.store = store(), .json = true, .words = {"seal"}}, json.get()),
            kExitUsage);

  EXPECT_EQ(Run({"salt", "64", "2013/01/01-01:00"}), kExitOk);
  EXPECT_EQ(Run({"salt"}), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr("1970/01/01-00:00:00 4\n2013/01/01-01:00:00 64\n"
                                         "1970/01/01-00:00:00 4\n2013/01/01-01:00:00 64\n"));

  EXPECT_EQ(Run({"salt", "8", "2013/01/01-00:00"}), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("the store has rows of the hour from 2013-01-01 00"));
}

TEST_F(SaltTest, AServerIsAsked) {
  const std::string reply = R"({"epochs":[{"from":0,"buckets":20},{"from":3600,"buckets":64}]})";
  ScriptedServer server(
      {{HttpReplyText(200, reply)}, {HttpReplyText(200, reply)}, {HttpReplyText(200, reply)}});

  EXPECT_EQ(Run({"salt"}, server.url()), kExitOk);
  EXPECT_EQ(Run({"salt", "64"}, server.url()), kExitOk);
  EXPECT_EQ(Run({"salt", "64", "3600"}, server.url()), kExitOk);

  EXPECT_THAT(terminal_.out(), StartsWith("1970/01/01-00:00:00 20\n1970/01/01-01:00:00 64\n"));
  ASSERT_EQ(server.requests().size(), 3u);
  EXPECT_THAT(server.requests()[0], StartsWith("GET /api/admin/salt HTTP/1.1\r\n"));
  EXPECT_THAT(server.requests()[1], StartsWith("POST /api/admin/salt?async&key="));
  EXPECT_THAT(server.requests()[1], HasSubstr("{\"buckets\":64}"));
  EXPECT_THAT(server.requests()[2], HasSubstr("{\"buckets\":64,\"from\":3600}"));
}

TEST_F(SaltTest, OtherAnswersAreFailures) {
  ScriptedServer server({{HttpReplyText(200, R"({"epochs":[{"from":0}]})")},
                         {HttpReplyText(409, R"({"error":{"code":409,"message":"has rows"}})")}});

  EXPECT_EQ(Run({"salt"}, server.url()), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("expected an object with epochs"));
  EXPECT_EQ(Run({"salt", "2"}, server.url()), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("409 has rows"));
}

TEST_F(SaltTest, WordsThatMakeNoSenseAreUsageErrors) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"salt", "0"},
                                                {"salt", "many"},
                                                {"salt", "2", "soon"},
                                                {"salt", "2", "3601"},
                                                {"salt", "2", "3600", "x"}})
    EXPECT_EQ(Run(words), kExitUsage) << words.back();
  EXPECT_THAT(terminal_.err(), HasSubstr("expected a whole hour"));
}

}  // namespace
}  // namespace hourcell::salt_test
