#include "server/cli/admin/region.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/region_admin.h"
#include "tests/server/cli/captured_terminal.h"
#include "tests/server/http/scripted_server.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::region_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

class RegionTest : public testing::Test {
 protected:
  StoreOptions store() const { return {.data = dir_.file("store")}; }
  RegionOptions Words(std::vector<std::string> words) const {
    return {.store = store(), .words = std::move(words)};
  }
  int Run(std::vector<std::string> words) {
    return RunRegion(Words(std::move(words)), terminal_.get());
  }

  void MakeStore() {
    const auto tsdb = OpenStore(store(), StoreUse::kCreate);
    ASSERT_OK(tsdb);
    for (const char* const metric : {"cpu", "disk", "net"}) {
      for (int host = 0; host < 20; ++host) {
        OwnedPoint point(metric, fmt::format("host=h{}", host), 1356998400, host);
        ASSERT_OK((*tsdb)->points().Put(point.view()));
      }
    }
  }
  std::vector<std::string> Starts() {
    const auto tsdb = OpenStore(store(), StoreUse::kExisting);
    EXPECT_OK(tsdb);
    const auto regions = (*tsdb)->maintenance().regions()->List("data", ListDetail::kPlain);
    EXPECT_OK(regions);
    std::vector<std::string> starts;
    for (const ListedRegion& region : *regions)
      starts.push_back(region.start);
    return starts;
  }

  TempDir dir_;
  CapturedTerminal terminal_;
};

TEST_F(RegionTest, ADirectorysRegionsAreCutMergedAndListed) {
  MakeStore();
  RegionOptions at = Words({"split", "1"});
  at.at = "\\x00\\x00\\x02";
  EXPECT_EQ(RunRegion(at, terminal_.get()), kExitOk);
  EXPECT_THAT(terminal_.out(), StartsWith("region 1 was split into\n"));
  EXPECT_THAT(Starts(), ElementsAre("", "\\x00\\x00\\x02"));

  RegionOptions into = Words({"split", "\\x00\\x00\\x02"});
  into.into = 3;
  EXPECT_EQ(RunRegion(into, terminal_.get()), kExitOk);
  EXPECT_THAT(Starts(), SizeIs(4));

  EXPECT_EQ(Run({"merge", "\\x00", "\\x00\\x00\\x02"}), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr("2 regions were merged into\n"));
  EXPECT_THAT(Starts(), SizeIs(3));

  RegionOptions list = Words({"list"});
  list.explain = true;
  EXPECT_EQ(RunRegion(list, terminal_.get()), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr("begins with\n"));
  EXPECT_EQ(Run({"check"}), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr("0 findings\n"));
}

TEST_F(RegionTest, ADryRunSplitsNothing) {
  MakeStore();
  RegionOptions hottest = Words({"split", "1"});
  hottest.at = "hottest";
  hottest.dry_run = true;
  EXPECT_EQ(RunRegion(hottest, terminal_.get()), kExitOk);
  EXPECT_THAT(terminal_.out(),
              AllOf(StartsWith("region 1 would be split into\n"),
                    HasSubstr("No key divides the writes: no writes to the region were sampled")));
  EXPECT_THAT(Starts(), ElementsAre(""));
  hottest.dry_run = false;
  EXPECT_EQ(RunRegion(hottest, terminal_.get()), kExitOk);
  EXPECT_THAT(Starts(), SizeIs(2));
  RegionOptions check = Words({"check"});
  check.dry_run = true;
  EXPECT_EQ(RunRegion(check, terminal_.get()), kExitUsage);
  EXPECT_THAT(terminal_.err(), HasSubstr("check: --dry-run works only with split"));
}

TEST_F(RegionTest, APlanOfAServerIsPrinted) {
  ScriptedServer server({{HttpReplyText(
      200, R"({"table":"data","parent":7,"dryRun":true,"source":"writes","note":"It divides.",)"
           R"("sampledWrites":8,"daughters":[{"start":"","end":"b","hex":"","explained":)"
           R"({"text":""},"bytes":2048,"writeShare":0.5},{"start":"b","end":"","hex":"62",)"
           R"("explained":{"text":"cpu"},"bytes":10,"writeShare":0.5}]})")}});
  RegionOptions split = Words({"split", "7"});
  split.url = server.url();
  split.at = "hottest";
  split.dry_run = true;
  EXPECT_EQ(RunRegion(split, terminal_.get()), kExitOk);
  EXPECT_EQ(terminal_.out(),
            "region 7 would be split into\n"
            "   size  writes  start  begins with\n"
            "2.0 KiB    50 %  -      -\n"
            "   10 B    50 %  b      cpu\n"
            "It divides.\n");
  EXPECT_THAT(server.requests().at(0), HasSubstr(R"("at":"hottest","dryRun":true})"));
}

// The rows of points that only the journal has are looked at, too.
TEST_F(RegionTest, ASplitWithoutAKeyFindsOne) {
  MakeStore();
  EXPECT_EQ(Run({"split", "1"}), kExitOk);
  EXPECT_THAT(Starts(), SizeIs(2));
}

TEST_F(RegionTest, ARollingSplitTakesAFileOfKeys) {
  MakeStore();
  WriteFile(dir_.file("keys"), "\\x00\\x00\\x03\n\\x00\\x00\\x02\n");
  EXPECT_EQ(Run({"rolling-split", "file:" + dir_.file("keys")}), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr("2 keys, 2 cuts made, 0 were region starts before\n"));
  EXPECT_THAT(Starts(), ElementsAre("", "\\x00\\x00\\x02", "\\x00\\x00\\x03"));
  EXPECT_EQ(Run({"rolling-split", "file:" + dir_.file("none")}), kExitUsage);
  EXPECT_EQ(Run({"rolling-split"}), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("no unfinished one"));
}

TEST_F(RegionTest, WhatTheStoreRefusesIsAFailure) {
  MakeStore();
  EXPECT_EQ(Run({"split", "17"}), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("hourcell region: 404 region \"17\": no such region"));
  EXPECT_EQ(Run({"merge", "1", "1"}), kExitFailure);
  RegionOptions list = Words({"list"});
  list.table = "none";
  EXPECT_EQ(RunRegion(list, terminal_.get()), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("table: expected data or annotation, got \"none\""));
  list.table = "data";
  list.store.data = dir_.file("nowhere");
  EXPECT_EQ(RunRegion(list, terminal_.get()), kExitFailure);
}

constexpr const char* kRegion =
    R"({"id":7,"name":"n","encoded":"e7","start":"","end":"b","state":"OPEN","family":"data.7",)"
    R"("parents":[],"pinnedUntil":0,"references":false,"fileBytes":10,"memoryBytes":0,"files":1,)"
    R"("youngFiles":0,"explained":{"text":"cpu"}})";

TEST_F(RegionTest, AServerIsAsked) {
  ScriptedServer server(
      {{HttpReplyText(200, fmt::format(R"({{"table":"data","regions":[{}],"rolling":)"
                                       R"({{"split":"hex:4","keys":3,"made":1}}}})",
                                       kRegion))},
       {HttpReplyText(200,
                      fmt::format(R"({{"table":"data","parent":1,"daughters":[{}]}})", kRegion))},
       {HttpReplyText(200, R"({"table":"data","rolling":{"split":"hex:4","keys":3,"made":3,)"
                           R"("there":0,"resumed":true}})")},
       {HttpReplyText(200, R"({"table":"data","findings":["a hole"]})")},
       {HttpReplyText(200, R"({"table":"data","abandoned":true})")}});
  RegionOptions list = Words({"list"});
  list.url = server.url();
  list.explain = true;
  EXPECT_EQ(RunRegion(list, terminal_.get()), kExitOk);
  EXPECT_THAT(terminal_.out(), AllOf(HasSubstr(" 7  e7  "), HasSubstr("  cpu\n")));
  EXPECT_THAT(terminal_.err(), HasSubstr("rolling split hex:4: 1 cuts made for 3 keys"));
  RegionOptions split = Words({"split", "a\\x00"});
  split.url = server.url();
  split.at = "b\\x01";
  EXPECT_EQ(RunRegion(split, terminal_.get()), kExitOk);
  RegionOptions rolling = Words({"rolling-split"});
  rolling.url = server.url();
  EXPECT_EQ(RunRegion(rolling, terminal_.get()), kExitOk);
  RegionOptions check = Words({"check"});
  check.url = server.url();
  EXPECT_EQ(RunRegion(check, terminal_.get()), kExitFailure);
  EXPECT_THAT(terminal_.out(), HasSubstr("a hole\n1 finding\n"));
  rolling.abandon = true;
  EXPECT_EQ(RunRegion(rolling, terminal_.get()), kExitOk);

  const std::vector<std::string> requests = server.requests();
  ASSERT_THAT(requests, SizeIs(5));
  EXPECT_THAT(requests[0], StartsWith("GET /api/admin/regions?table=data&explain HTTP/1.1\r\n"));
  EXPECT_THAT(requests[1], AllOf(StartsWith("POST /api/admin/regions/split?async&key="),
                                 HasSubstr(R"({"table":"data","region":"a\\x00","at":"b\\x01"})")));
  EXPECT_THAT(requests[2], AllOf(StartsWith("POST /api/admin/regions/rolling?async&key="),
                                 HasSubstr(R"({"table":"data"})")));
  EXPECT_THAT(requests[3], StartsWith("GET /api/admin/regions/check?table=data HTTP/1.1\r\n"));
  EXPECT_THAT(requests[4], HasSubstr(R"({"table":"data","abandon":true})"));
}

TEST_F(RegionTest, JsonIsPassedOn) {
  const std::string findings = R"({"table":"data","findings":["a hole"]})";
  ScriptedServer server(
      {{HttpReplyText(200, R"({"table":"data","regions":[]})")}, {HttpReplyText(200, findings)}});
  RegionOptions options = Words({"list"});
  options.url = server.url();
  options.json = true;
  EXPECT_EQ(RunRegion(options, terminal_.get()), kExitOk);
  options.words = {"check"};
  EXPECT_EQ(RunRegion(options, terminal_.get()), kExitFailure);
  EXPECT_EQ(terminal_.out(), R"({"table":"data","regions":[]})"
                             "\n" +
                                 findings + "\n");
}

TEST_F(RegionTest, OtherAnswersAreFailures) {
  ScriptedServer server({{HttpReplyText(200, "{}")},
                         {HttpReplyText(200, "no json")},
                         {HttpReplyText(200, R"({"regions":[{"id":1}]})")},
                         {HttpReplyText(503, R"({"error":{"code":503,"message":"busy"}})")}});
  RegionOptions list = Words({"list"});
  list.url = server.url();
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(RunRegion(list, terminal_.get()), kExitFailure) << i;
  EXPECT_THAT(terminal_.err(), HasSubstr("the server may be of another version"));
  EXPECT_EQ(RunRegion(list, terminal_.get()), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("503 busy"));
}

TEST_F(RegionTest, WordsThatMakeNoSenseAreUsageErrors) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{},
                                             {"lists"},
                                             {"list", "x"},
                                             {"check", "x"},
                                             {"split"},
                                             {"split", "1", "2"},
                                             {"merge"},
                                             {"merge", "1"},
                                             {"rolling-split", "a", "b"}}) {
    EXPECT_EQ(Run(words), kExitUsage) << testing::PrintToString(words);
  }
  EXPECT_THAT(terminal_.err(),
              HasSubstr("expected list, check, split, merge or rolling-split, got \"lists\""));
  EXPECT_THAT(terminal_.err(), HasSubstr("merge: expected two or more regions, got 1"));

  RegionOptions options = Words({"list"});
  options.at = "k";
  EXPECT_EQ(RunRegion(options, terminal_.get()), kExitUsage);
  EXPECT_THAT(terminal_.err(), HasSubstr("list: --at works only with split"));
  options = Words({"split", "1"});
  options.at = "k";
  options.into = 2;
  EXPECT_EQ(RunRegion(options, terminal_.get()), kExitUsage);
  options = Words({"rolling-split", "hex:4"});
  options.abandon = true;
  EXPECT_EQ(RunRegion(options, terminal_.get()), kExitUsage);
  options = Words({"list"});
  options.url = "ftp://x";
  EXPECT_EQ(RunRegion(options, terminal_.get()), kExitUsage);
}

TEST(RegionMainTest, ASplitIsAtAKeyOrIntoParts) {
  CapturedTerminal terminal;

  EXPECT_EQ(RegionMain({"split", "1", "--at", "k", "--into", "2"}, terminal.get()), kExitUsage);

  EXPECT_THAT(terminal.err(), testing::HasSubstr("hourcell region: --at excludes --into\n"));
}

}  // namespace
}  // namespace hourcell::region_test
