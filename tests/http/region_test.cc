// `hourcell region` on a running server, and on its directory once it has ended.

#include <signal.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell::region_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

ProgramResult Region(std::vector<std::string> words, const std::vector<std::string>& where) {
  words.insert(words.begin(), "region");
  words.insert(words.end(), where.begin(), where.end());
  return RunProgram(words);
}

TEST(RegionProgramTest, ManagesAServersRegionsAndADirectorys) {
  TempDir directory;
  std::string put = "[";
  for (int i = 0; i < 40; ++i) {
    put += fmt::format(R"({}{{"metric":"m","timestamp":1356998400,"value":1,"tags":{{"h":"{}"}}}})",
                       i == 0 ? "" : ",", i);
  }
  const std::string query = "/api/query?start=1356998400&end=1356998401&m=sum:m";
  {
    ServerProcess server(directory.path());
    ASSERT_NE(server.port(), 0);
    ASSERT_EQ(HttpCall(server.port(), "POST", "/api/put", put + "]").status, 204);
    ASSERT_EQ(HttpCall(server.port(), "POST", "/api/admin/seal?wait").status, 200);
    const std::vector<std::string> url = {"--url",
                                          fmt::format("http://127.0.0.1:{}", server.port())};

    const ProgramResult split = Region({"split", "1", "--into", "4"}, url);
    EXPECT_EQ(split.exit_code, 0) << split.err;
    EXPECT_THAT(split.out, StartsWith("region 1 was split into\n"));
    const ProgramResult list = Region({"list", "--explain"}, url);
    EXPECT_EQ(list.exit_code, 0) << list.err;
    EXPECT_THAT(list.out, HasSubstr("m, 2013-01-01 00:00:00, h="));
    const ProgramResult merge = Region({"merge", "\\x00", "\\xFF"}, url);
    EXPECT_EQ(merge.exit_code, 1);
    EXPECT_THAT(merge.err, AllOf(StartsWith("hourcell region: "), HasSubstr(": 400 merge: ")));
    EXPECT_EQ(Region({"check"}, url).exit_code, 0);
    EXPECT_THAT(HttpCall(server.port(), "GET", query).body, HasSubstr("\"1356998400\":40"));
    EXPECT_EQ(server.End(SIGTERM), 0);
  }

  const std::vector<std::string> data = {"--data", directory.path()};
  const ProgramResult at = Region({"split", "\\xFF", "--at", "\\x00\\x00\\x02"}, data);
  EXPECT_EQ(at.exit_code, 0) << at.err;
  const ProgramResult rolling = Region({"rolling-split", "keys:\\x01,\\x02"}, data);
  EXPECT_EQ(rolling.exit_code, 0) << rolling.err;
  EXPECT_THAT(rolling.out, HasSubstr("2 keys, 2 cuts made"));
  const ProgramResult merged = Region({"merge", "\\x00\\x00\\x02", "\\x01", "\\xFF"}, data);
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  const ProgramResult json = Region({"list", "--json"}, data);
  EXPECT_THAT(json.out, HasSubstr(R"("start":"\\x00\\x00\\x02","end":"","state":"OPEN")"));
  EXPECT_EQ(Region({"check"}, data).out, "0 findings\n");
  EXPECT_EQ(Region({"split"}, data).exit_code, 2);

  ServerProcess server(directory.path());
  EXPECT_THAT(HttpCall(server.port(), "GET", query).body, HasSubstr("\"1356998400\":40"));
}

TEST(RegionProgramTest, SplitsWhereTheWritesAreAndSaysSoBefore) {
  TempDir directory;
  ServerProcess server(directory.path());
  ASSERT_NE(server.port(), 0);
  std::string put = "[";
  for (int i = 0; i < 6'400; ++i) {
    put += fmt::format(R"({}{{"metric":"m{}","timestamp":{},"value":1,"tags":{{"h":"{}"}}}})",
                       i == 0 ? "" : ",", i % 8, 1'356'998'400 + i / 64, i % 64 / 8);
  }
  put += "]";
  const std::vector<std::string> url = {"--url", fmt::format("http://127.0.0.1:{}", server.port())};
  // The server counts sampled puts once a second, and those before its first count are not kept.
  ProgramResult plan;
  for (int i = 0; i < 100 && plan.out.find("divides the recent writes") == plan.out.npos; ++i) {
    ASSERT_EQ(HttpCall(server.port(), "POST", "/api/put", put).status, 204);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    plan = Region({"split", "1", "--at", "hottest", "--dry-run"}, url);
  }
  EXPECT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_THAT(plan.out, AllOf(StartsWith("region 1 would be split into\n"), HasSubstr(" %  "),
                              HasSubstr("The key divides the recent writes.\n")));
  EXPECT_THAT(HttpCall(server.port(), "GET", "/api/admin/regions").body,
              Not(HasSubstr("\"id\":2")));
  const ProgramResult split = Region({"split", "1", "--at", "hottest"}, url);
  EXPECT_EQ(split.exit_code, 0) << split.err;
  EXPECT_THAT(split.out, StartsWith("region 1 was split into\n"));
}

}  // namespace
}  // namespace hourcell::region_test
