#include "server/cluster/relay_choice.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/api/route_table.h"

namespace hourcell::relay_choice_test {
namespace {

RelayChoice ChoiceOf(std::string_view method_and_target, bool may_delete = false) {
  return ChooseByFirstBytes(fmt::format("{} HTTP/1.1\r\nHost: a\r\n", method_and_target),
                            may_delete);
}

TEST(RelayChoiceTest, QueriesAreAnsweredHere) {
  for (const std::string_view line :
       {"GET /api/query?start=1h-ago&m=sum:m", "POST /api/query", "POST /api/query/",
        "GET /api/v1/query?m=sum:m", "GET /API/Query", "GET /api/query/last?timeseries=m",
        "POST /api/query/last", "GET /api/v1/query/last", "GET /q?start=1h-ago&m=sum:m&png",
        "GET /q", "GET /api/%71uery?m=sum:m{h=*}", "GET /api/query/changes?tag=host=a",
        "POST /api/query/changes", "GET /api/query/churn?metric=m"}) {
    EXPECT_EQ(ChoiceOf(line), RelayChoice::kFollower) << line;
  }
  EXPECT_EQ(ChooseByFirstBytes("GET /q HTTP/1.0\n", false), RelayChoice::kFollower);
}

TEST(RelayChoiceTest, AllElseIsTheWriters) {
  for (const std::string_view line : {"DELETE /api/query?m=sum:m",
                                      "PUT /api/query",
                                      "HEAD /api/query",
                                      "OPTIONS /api/query",
                                      "GET /api/query?m=sum:m&delete=true",
                                      "GET /api/query?delete",
                                      "GET /api/query?method_override=delete",
                                      "GET /api/query?%64elete=true",
                                      "POST /q",
                                      "GET /q?delete=1",
                                      "POST /api/put",
                                      "GET /api/suggest?type=metrics",
                                      "GET /api/stats/query",
                                      "GET /api/queries",
                                      "GET /query",
                                      "GET /api/query/other",
                                      "GET /",
                                      "GET api/query",
                                      "GET /api/query%",
                                      "GET  /api/query",
                                      "get /api/query",
                                      "GETS /api/query"}) {
    EXPECT_EQ(ChoiceOf(line), RelayChoice::kWriter) << line;
  }
  EXPECT_EQ(ChooseByFirstBytes("GET /api/query\r\n", false), RelayChoice::kWriter);
  EXPECT_EQ(ChooseByFirstBytes("GET /api/query SPDY/3\r\n", false), RelayChoice::kWriter);
  EXPECT_EQ(ChooseByFirstBytes("put m 1356998400 1 a=b\n", false), RelayChoice::kWriter);
  EXPECT_EQ(ChooseByFirstBytes("\x16\x03\x01", false), RelayChoice::kWriter);  // TLS
}

TEST(RelayChoiceTest, ABodyMayAskForADeletionWhereThatIsAllowed) {
  EXPECT_EQ(ChoiceOf("POST /api/query", /*may_delete=*/true), RelayChoice::kWriter);
  EXPECT_EQ(ChoiceOf("GET /api/query", /*may_delete=*/true), RelayChoice::kFollower);
  EXPECT_EQ(ChoiceOf("POST /api/query/last", /*may_delete=*/true), RelayChoice::kFollower);
}

TEST(RelayChoiceTest, EachPieceOfALineNeedsMore) {
  const std::string_view line = "POST /api/query HTTP/1.1\r\n";
  for (size_t size = 0; size < line.size(); ++size)
    EXPECT_EQ(ChooseByFirstBytes(line.substr(0, size), false), RelayChoice::kNeedsMore) << size;
  EXPECT_EQ(ChooseByFirstBytes(line, false), RelayChoice::kFollower);
  EXPECT_EQ(ChooseByFirstBytes("p", false), RelayChoice::kWriter);
  EXPECT_EQ(ChooseByFirstBytes("GEN", false), RelayChoice::kWriter);
}

TEST(RelayChoiceTest, ALineThatDoesNotEndIsTheWriters) {
  std::string line = "GET /q?";
  line.resize(kFirstLineBytesMax - 1, 'a');
  EXPECT_EQ(ChooseByFirstBytes(line, false), RelayChoice::kNeedsMore);
  EXPECT_EQ(ChooseByFirstBytes(line + "a", false), RelayChoice::kWriter);
}

// The table of routes alone decides which routes a follower answers.
TEST(RelayChoiceTest, TheTableOfRoutesDecides) {
  for (const RouteRow& row : RouteTable()) {
    for (const bool may_delete : {false, true}) {
      const bool is_get = row.follower_may_answer && row.get.offered;
      const bool is_post =
          row.follower_may_answer && row.post.offered && !(may_delete && row.del.offered);
      EXPECT_EQ(ChoiceOf(fmt::format("GET {}", row.path), may_delete),
                is_get ? RelayChoice::kFollower : RelayChoice::kWriter)
          << row.path;
      EXPECT_EQ(ChoiceOf(fmt::format("POST {}", row.path), may_delete),
                is_post ? RelayChoice::kFollower : RelayChoice::kWriter)
          << row.path;
    }
  }
}

TEST(RelayChoiceTest, AFollowerOnlyReads) {
  std::vector<std::string_view> paths;
  for (const RouteRow& row : RouteTable()) {
    if (!row.follower_may_answer) continue;
    paths.push_back(row.path);
    for (const VerbRow& verb : {row.get, row.post}) {
      if (!verb.offered) continue;
      EXPECT_EQ(verb.effect, Effect::kReads) << row.path;
      EXPECT_EQ(verb.right, Right::kRead) << row.path;
    }
  }
  EXPECT_THAT(paths, testing::ElementsAre("/api/query", "/api/query/exp", "/api/query/gexp",
                                          "/api/query/changes", "/api/query/churn",
                                          "/api/query_range", "/api/query/last", "/q"));
}

}  // namespace
}  // namespace hourcell::relay_choice_test
