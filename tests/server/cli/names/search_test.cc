#include "server/cli/names/search.h"

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

namespace hourcell::search_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class SearchTest : public testing::Test {
 protected:
  StoreOptions store() const { return {.data = dir_.file("store")}; }

  // The exit code; what was printed is in out_ and err_.
  int Run(std::vector<std::string> words, const std::string& url = "") {
    CapturedTerminal terminal;
    const int exit_code =
        RunSearch({.store = store(), .url = url, .words = std::move(words)}, terminal.get());
    out_ = terminal.out();
    err_ = terminal.err();
    return exit_code;
  }

  void PutSome() {
    const auto tsdb = OpenStore(store(), StoreUse::kCreate);
    ASSERT_OK(tsdb);
    for (const auto& [metric, tags] : {std::pair("cpu", "host=a"), std::pair("cpu", "host=b dc=x"),
                                       std::pair("mem", "host=a")}) {
      ASSERT_OK((*tsdb)->points().Put(OwnedPoint(metric, tags, 1356998400, 1).view()));
    }
  }

  TempDir dir_;
  std::string out_;
  std::string err_;
};

TEST_F(SearchTest, ListsWhatMatches) {
  PutSome();

  EXPECT_EQ(Run({"lookup", "cpu"}), kExitOk);
  EXPECT_EQ(out_,
            "000001000001000001 cpu host=a\n"
            "000001000001000002000002000003 cpu host=b dc=x\n");
  EXPECT_EQ(Run({"lookup", "host=a"}), kExitOk);
  EXPECT_EQ(out_, "000001000001000001 cpu host=a\n000002000001000001 mem host=a\n");
  EXPECT_EQ(Run({"lookup", "cpu", "host=a", "host=b", "dc=*"}), kExitOk);
  EXPECT_EQ(out_, "000001000001000002000002000003 cpu host=b dc=x\n");
  EXPECT_EQ(Run({"lookup", "*", "*=x"}), kExitOk);
  EXPECT_EQ(out_, "000001000001000002000002000003 cpu host=b dc=x\n");
}

TEST_F(SearchTest, JsonIsAnObjectForEachSeries) {
  PutSome();
  CapturedTerminal terminal;

  EXPECT_EQ(RunSearch({.store = store(), .json = true, .words = {"lookup", "cpu"}}, terminal.get()),
            kExitOk);

  EXPECT_EQ(terminal.out(),
            "{\"tsuid\":\"000001000001000001\",\"metric\":\"cpu\",\"tags\":{\"host\":\"a\"}}\n"
            "{\"tsuid\":\"000001000001000002000002000003\",\"metric\":\"cpu\","
            "\"tags\":{\"host\":\"b\",\"dc\":\"x\"}}\n");
}

TEST_F(SearchTest, NothingFoundOrUnknownExitsOne) {
  PutSome();

  EXPECT_EQ(Run({"lookup", "mem", "dc=x"}), kExitFailure);
  EXPECT_EQ(out_ + err_, "");
  EXPECT_EQ(Run({"lookup", "disk"}), kExitFailure);
  EXPECT_THAT(err_, HasSubstr("No such name for 'metrics': 'disk'"));
}

TEST_F(SearchTest, WordsThatMakeNoSense) {
  EXPECT_EQ(Run({}), kExitUsage);
  EXPECT_EQ(Run({"find", "cpu"}), kExitUsage);
  EXPECT_THAT(err_, HasSubstr("expected lookup [metric] [tagk=tagv ...], got find"));
  EXPECT_EQ(Run({"lookup"}), kExitUsage);
  EXPECT_EQ(Run({"lookup", "cpu", "mem"}), kExitUsage);
  EXPECT_THAT(err_, HasSubstr("expected tagk=tagv, got mem"));
  EXPECT_EQ(Run({"lookup", "cpu"}, "ftp://x"), kExitUsage);
}

TEST_F(SearchTest, AServerIsAsked) {
  ScriptedServer server(
      {{HttpReplyText(200, R"({"type":"LOOKUP","results":[{"tsuid":"0A","metric":"m",)"
                           R"("tags":{"host":"a","dc":"x"}}],"totalResults":1})")},
       {HttpReplyText(404, R"({"error":{"code":404,"message":"Unable to resolve"}})")},
       {HttpReplyText(200, R"({"results":[{"tsuid":"0A"}]})")}});

  EXPECT_EQ(Run({"lookup", "m", "host=a|b", "=x"}, server.url()), kExitOk);
  EXPECT_EQ(out_, "0A m host=a dc=x\n");
  EXPECT_EQ(Run({"lookup", "m"}, server.url()), kExitFailure);
  EXPECT_THAT(err_, HasSubstr("Unable to resolve"));
  EXPECT_EQ(Run({"lookup", "m"}, server.url()), kExitFailure);
  EXPECT_THAT(err_, HasSubstr("expected an object with results"));

  ASSERT_EQ(server.requests().size(), 3u);
  EXPECT_THAT(server.requests()[0], StartsWith("POST /api/search/lookup HTTP/1.1\r\n"));
  EXPECT_THAT(server.requests()[0],
              HasSubstr(R"({"limit":0,"metric":"m","tags":[{"key":"host","value":"a"},)"
                        R"({"key":"host","value":"b"},{"key":"","value":"x"}]})"));
}

}  // namespace
}  // namespace hourcell::search_test
