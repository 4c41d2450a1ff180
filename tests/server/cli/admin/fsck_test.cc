#include "server/cli/admin/fsck.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/admin/fsck_json.h"
#include "tests/server/cli/captured_terminal.h"
#include "tests/server/http/scripted_server.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/store_copy.h"
#include "tests/support/temp_dir.h"

namespace hourcell::fsck_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class FsckCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto tsdb = OpenStore({.data = dir_.file("store")}, StoreUse::kCreate);
    ASSERT_OK(tsdb);
    OwnedPoint point("m", "host=a", 1356998400, 42);
    ASSERT_OK((*tsdb)->points().Put(point.view()));
    ASSERT_OK((*tsdb)->Close());
  }
  int Run(FsckCommandOptions options = {}) {
    if (options.store.data.empty()) options.store.data = dir_.file("store");
    return RunFsckCommand(options, terminal_.get());
  }
  // A name without its UID's.
  void Damage() {
    const auto tsdb = OpenStore({.data = dir_.file("store")}, StoreUse::kExisting);
    ASSERT_OK(tsdb);
    ASSERT_OK((*tsdb)->names().DeleteUid(UidKind::kMetric, "m"));
    ASSERT_OK((*tsdb)->Close());
  }

  TempDir dir_;
  CapturedTerminal terminal_;
};

TEST_F(FsckCommandTest, AGoodStoreIsExit0) {
  EXPECT_EQ(Run(), kExitOk) << terminal_.out() << terminal_.err();
  EXPECT_THAT(terminal_.out(), HasSubstr("checked 1 rows, 1 points, 0 annotations, 1 series, "));
  EXPECT_THAT(terminal_.out(), HasSubstr("no faults found\n"));
  EXPECT_EQ(Run({.json = true}), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr("\"faults\":{},\"examples\":[]}\n"));
}

TEST_F(FsckCommandTest, FaultsAreExit1AndSayWhere) {
  Damage();
  EXPECT_EQ(Run(), kExitFailure);
  EXPECT_THAT(terminal_.out(), HasSubstr("name: row 00000150e22700000001000001 (metric 000001, "
                                         "2013-01-01 00:00:00): metrics UID 1: "));
  EXPECT_THAT(terminal_.out(), HasSubstr("\nname: 1 fault\n1 fault found\n"));
  EXPECT_EQ(Run({.json = true}), kExitFailure);
  EXPECT_THAT(terminal_.out(), HasSubstr("\"faults\":{\"name\":1},\"examples\":[{\"fault\":"));
}

TEST_F(FsckCommandTest, WhatCannotBeCheckedIsExit3) {
  EXPECT_EQ(Run({.store = {.data = dir_.file("none")}}), kExitNotChecked);
  EXPECT_THAT(terminal_.err(), HasSubstr("expected a store"));
  EXPECT_EQ(Run({.store = {.settings = {"tsd.no.such=1"}}}), kExitUsage);
}

// A store that is never synced, killed with a damaged byte in the newest block of its journal.
class CutCommandTest : public testing::Test {
 protected:
  static constexpr int kPoints = 20;

  void SetUp() override {
    const auto tsdb = OpenStore(
        {.data = dir_.file("store"), .settings = {"tsd.storage.sync=never"}}, StoreUse::kCreate);
    ASSERT_OK(tsdb);
    for (int i = 0; i < kPoints; ++i) {
      OwnedPoint point("m", "host=a", 1356998400 + i, i);
      ASSERT_OK((*tsdb)->points().Put(point.view()));
    }
    killed_ = CopyStore(dir_.file("store"), dir_);
    for (const std::string& path : Journal()) {
      std::ifstream in(path, std::ios::binary);
      std::string bytes(std::istreambuf_iterator<char>(in), {});
      const size_t last = bytes.find_last_not_of('\0');
      if (!path.ends_with(".log") || last == std::string::npos) continue;
      bytes[last] = static_cast<char>(~bytes[last]);
      WriteFile(path, bytes);
    }
  }
  std::vector<std::string> Journal() const {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(killed_ + "/journal"))
      paths.push_back(entry.path().string());
    return paths;
  }
  int Run(bool acknowledge) {
    return RunFsckCommand({.store = {.data = killed_}, .acknowledge_cuts = acknowledge},
                          terminal_.get());
  }
  // How many files of the journal have that ending.
  size_t Count(std::string_view ending) const {
    return static_cast<size_t>(std::ranges::count_if(
        Journal(), [&](const std::string& path) { return path.ends_with(ending); }));
  }

  TempDir dir_;
  std::string killed_;
  CapturedTerminal terminal_;
};

TEST_F(CutCommandTest, IsToldUntilItIsAcknowledged) {
  for (const bool acknowledge : {false, false, true}) {
    EXPECT_EQ(Count(".seen"), 0U);
    EXPECT_EQ(Run(acknowledge), kExitFailure);
    EXPECT_THAT(terminal_.out(), HasSubstr("cut: 00000000000000000001.log: removed bytes "));
    EXPECT_THAT(terminal_.out(),
                testing::EndsWith(acknowledge ? "\ncut: 1 fault\n1 fixed\n1 fault found\n"
                                              : "\ncut: 1 fault\n1 fault found\n"));
    EXPECT_THAT(terminal_.out(), HasSubstr(" with 19 points in "));
  }
  EXPECT_EQ(Count(".cut"), 0U);
  EXPECT_EQ(Count(".cut.seen"), 1U);
  EXPECT_EQ(Run(false), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr(" with 19 points in "));
  EXPECT_THAT(terminal_.out(), testing::EndsWith("no faults found\n"));
}

TEST_F(CutCommandTest, AServersAreNotAcknowledged) {
  EXPECT_EQ(
      RunFsckCommand({.url = "http://127.0.0.1:1", .acknowledge_cuts = true}, terminal_.get()),
      kExitUsage);
  EXPECT_THAT(terminal_.err(), HasSubstr("--acknowledge-cuts is not supported"));
}

// A job that has ended, as /api/admin/jobs tells it.
std::string EndedJob(int status, const std::string& answer) {
  return fmt::format(R"({{"id":4,"kind":"fsck","state":"{}","started_ms":5,"ms":1,"phase":"",)"
                     R"("done":0,"total":0,"unit":"","status":{},"answer":{}}})",
                     status == 200 ? "done" : "failed", status, answer);
}

TEST_F(FsckCommandTest, AServerIsAskedUntilItIsDone) {
  FsckReport report;
  const auto done = [&report] {
    std::string body;
    AppendFsckReport(report, 42, &body);
    return EndedJob(200, body);
  };
  report.rows = 7;
  const std::string running =
      R"({"id":4,"kind":"fsck","state":"running","started_ms":5,"ms":1,"phase":"rows",)"
      R"("done":9,"total":0,"unit":"points"})";
  std::vector<ScriptedReply> script = {{HttpReplyText(202, running)}, {HttpReplyText(200, done())}};
  report.Add(FsckFault::kCell, "row 1: bad", 10);
  script.push_back({HttpReplyText(202, done())});
  ScriptedServer server(script);

  EXPECT_EQ(Run({.url = server.url()}), kExitOk) << terminal_.err();
  EXPECT_THAT(terminal_.out(), HasSubstr("checked 7 rows, "));
  EXPECT_THAT(terminal_.out(), HasSubstr(" in 42 ms\nno faults found\n"));
  EXPECT_EQ(Run({.url = server.url(), .json = true, .examples = 3}), kExitFailure);
  EXPECT_THAT(terminal_.out(), HasSubstr("\"faults\":{\"cell\":1},\"examples\":[{\"fault\":"));
  EXPECT_THAT(server.requests()[0], StartsWith("POST /api/admin/fsck?examples=10&async&key="));
  EXPECT_THAT(server.requests()[1], StartsWith("GET /api/admin/jobs?id=4 "));
  EXPECT_THAT(server.requests()[2], StartsWith("POST /api/admin/fsck?examples=3&async&key="));
}

TEST_F(FsckCommandTest, AServerThatCannotIsExit3) {
  ScriptedServer server({{HttpReplyText(202, EndedJob(500, R"({"error":{"message":"a disk"}})"))},
                         {HttpReplyText(409, R"({"error":{"message":"Busy"}})")},
                         {HttpReplyText(200, "<html>")}});
  for (const char* why : {"500 a disk", "Busy", "expected the report of a check"}) {
    EXPECT_EQ(Run({.url = server.url()}), kExitNotChecked);
    EXPECT_THAT(terminal_.err(), HasSubstr(why));
  }
  EXPECT_EQ(Run({.url = server.url(), .fix_cells = true}), kExitUsage);
  EXPECT_EQ(Run({.url = "ftp://x"}), kExitUsage);
}

}  // namespace
}  // namespace hourcell::fsck_test
