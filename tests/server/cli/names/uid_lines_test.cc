#include "server/cli/names/uid_lines.h"

#include <fstream>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "server/cli/names/uid.h"
#include "tests/server/cli/captured_terminal.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::uid_lines_test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

// "kind|name|hex", "none" or the error's text.
std::string Parsed(std::string_view line) {
  const absl::StatusOr<std::optional<UidRow>> row = ParseUidLine(line);
  if (!row.ok()) return std::string(row.status().message());
  if (!row->has_value()) return "none";
  return std::string(KindName((*row)->kind)) + "|" + (*row)->name + "|" + ToHex((*row)->uid_bytes);
}

TEST(UidLinesTest, ReadsWhatOpenTsdbPrints) {
  EXPECT_EQ(Parsed("metrics cpu.user: [0, 0, 1]"), "metrics|cpu.user|000001");
  EXPECT_EQ(Parsed("tagk host: [0, -30, 39]"), "tagk|host|00e227");
  EXPECT_EQ(Parsed("tagv a: [: [127]"), "tagv|a: [|7f");
  EXPECT_EQ(Parsed("2013-01-01 12:00:00 INFO [main] HBaseClient: started"), "none");
  EXPECT_EQ(Parsed(""), "none");
}

TEST(UidLinesTest, RefusesALineOfAKindThatIsNoMapping) {
  for (const std::string line :
       {"metrics cpu", "metrics cpu: []", "metrics cpu: [0, 0, 128]", "metrics cpu: [0,0,1]",
        "metrics cpu: [0, 0, 1", "metrics : [0, 0, 1]", "metrics cpu: [0, 0, x]"}) {
    EXPECT_THAT(Parsed(line), HasSubstr("expected KIND NAME: [0, 0, 1]")) << line;
  }
}

class UidImportTest : public testing::Test {
 protected:
  // Runs `hourcell uid WORDS --data store`; what it printed.
  std::string Uid(std::vector<std::string> words, int exit_code = kExitOk) {
    CapturedTerminal terminal;
    EXPECT_EQ(RunUid({.store = {.data = directory_.file("store")}, .words = std::move(words)},
                     terminal.get()),
              exit_code);
    return terminal.out() + terminal.err();
  }
  std::string Import(std::string_view text, int exit_code = kExitOk) {
    std::ofstream(directory_.file("uids")) << text;
    return Uid({"import", directory_.file("uids")}, exit_code);
  }

  TempDir directory_;
};

TEST_F(UidImportTest, NamesKeepTheirUidsAndNewOnesAreAbove) {
  EXPECT_THAT(Import("a line of a log\n"
                     "metrics cpu: [0, 0, 5]\n"
                     "metrics mem: [0, 1, 0]\n"
                     "tagk host: [0, 0, 9]\n"),
              HasSubstr("3 names have the UIDs of "));

  EXPECT_EQ(Uid({"grep", "."}),
            "metrics cpu: [0, 0, 5]\nmetrics mem: [0, 1, 0]\ntagk host: [0, 0, 9]\n");
  EXPECT_EQ(Uid({"assign", "metrics", "net"}), "metrics net: [0, 1, 1]\n");
  EXPECT_EQ(Uid({"assign", "tagk", "dc"}), "tagk dc: [0, 0, 10]\n");
  EXPECT_THAT(Uid({"fsck"}), HasSubstr("No errors found."));
}

TEST_F(UidImportTest, WhatWasExportedIsImportedAgain) {
  Import("metrics cpu: [0, 0, 5]\n");
  EXPECT_THAT(Import(Uid({"grep", "."})), HasSubstr("1 names have"));
}

TEST_F(UidImportTest, ATakenNameEndsTheImport) {
  Import("metrics cpu: [0, 0, 5]\n");

  EXPECT_THAT(Import("metrics cpu: [0, 0, 6]\n", kExitFailure),
              HasSubstr("metrics 'cpu': has UID 5; expected 6"));
  EXPECT_THAT(Import("metrics net: [0, 0, 5]\n", kExitFailure),
              HasSubstr("metrics UID 5: has the name 'cpu'; expected 'net'"));
  EXPECT_THAT(Import("metrics net: [0, 0, 0, 6]\n", kExitFailure),
              HasSubstr("its UID has 4 bytes; the UIDs of this store have 3"));
  EXPECT_THAT(Import("tagk ok: [0, 0, 1]\nmetrics bad\n", kExitFailure),
              HasSubstr("uids:2: expected"));
  EXPECT_THAT(Import("nothing\n", kExitFailure), HasSubstr("1 other lines skipped"));
  EXPECT_EQ(Uid({"grep", "."}), "metrics cpu: [0, 0, 5]\n");
}

}  // namespace
}  // namespace hourcell::uid_lines_test
