#include "server/cli/data/scan/scan.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/cli/data/import/import.h"
#include "tests/server/cli/captured_terminal.h"
#include "tests/support/temp_dir.h"

namespace hourcell::scan_test {
namespace {

using testing::HasSubstr;

class ScanTest : public testing::Test {
 protected:
  void SetUp() override {
    WriteFile(dir_.file("in"),
              "cpu 1356998400 1 host=a\n"
              "cpu 1356998401 2.5 host=a\n"
              "cpu 1356998402 3 host=b\n"
              "cpu 1357002000 4 host=a\n"
              "mem 1356998400 5 host=a\n");
    CapturedTerminal terminal;
    ASSERT_EQ(RunImport({.store = store(), .paths = {dir_.file("in")}}, terminal.get()), kExitOk);
  }
  StoreOptions store() const { return {.data = dir_.file("store")}; }

  std::string Scan(ScanFormat format, std::vector<std::string> words) {
    CapturedTerminal terminal;
    EXPECT_EQ(
        RunScan({.store = store(), .format = format, .words = std::move(words)}, terminal.get()),
        kExitOk)
        << terminal.err();
    return terminal.out();
  }

  TempDir dir_;
};

TEST_F(ScanTest, WholeStoreInRowKeyOrder) {
  EXPECT_EQ(Scan(ScanFormat::kImport, {}),
            "cpu 1356998400 1 host=a\n"
            "cpu 1356998401 2.5 host=a\n"
            "cpu 1356998402 3 host=b\n"
            "cpu 1357002000 4 host=a\n"
            "mem 1356998400 5 host=a\n");
}

TEST_F(ScanTest, WholeHoursThatTouchTheRange) {
  EXPECT_EQ(Scan(ScanFormat::kImport, {"1356998401", "1356998401", "cpu", "host=a"}),
            "cpu 1356998400 1 host=a\ncpu 1356998401 2.5 host=a\n");
}

TEST_F(ScanTest, HexHasTheMetaByte) {
  EXPECT_EQ(Scan(ScanFormat::kHex, {"1356998400", "1356998400", "cpu", "host=a"}),
            "00000150e22700000001000001\t0000001b\t014020000000\n");
}

TEST_F(ScanTest, RawIsOpenTsdbsPicture) {
  EXPECT_EQ(Scan(ScanFormat::kRaw, {"1356998400", "1356998400", "cpu", "host=a"}),
            "[0, 0, 1, 80, -30, 39, 0, 0, 0, 1, 0, 0, 1] cpu 1356998400 (2013-01-01 00:00:00 UTC) "
            "{host=a}\n"
            "  [0, 0, 0, 27]\t[1, 64, 32, 0, 0, 0] = 2 values:\n"
            "    [0, 0]\t[1]\t0\tl\t1356998400\t(2013-01-01 00:00:00 UTC)\n"
            "    [0, 27]\t[64, 32, 0, 0]\t1\tf\t1356998401\t(2013-01-01 00:00:01 UTC)\n");
}

TEST_F(ScanTest, ScannedLinesImportToTheSameStore) {
  WriteFile(dir_.file("dump"), Scan(ScanFormat::kImport, {}));
  const StoreOptions copy{.data = dir_.file("copy")};
  CapturedTerminal terminal;
  ASSERT_EQ(RunImport({.store = copy, .paths = {dir_.file("dump")}}, terminal.get()), kExitOk);

  CapturedTerminal scanned;
  ASSERT_EQ(RunScan({.store = copy, .format = ScanFormat::kHex}, scanned.get()), kExitOk);

  EXPECT_EQ(scanned.out(), Scan(ScanFormat::kHex, {}));
}

TEST_F(ScanTest, UnknownMetricAndBadWordsFail) {
  CapturedTerminal terminal;

  EXPECT_EQ(RunScan({.store = store(), .words = {"0", "disk"}}, terminal.get()), kExitFailure);
  EXPECT_EQ(RunScan({.store = store(), .words = {"soon"}}, terminal.get()), kExitUsage);

  EXPECT_THAT(terminal.err(), HasSubstr("hourcell scan: No such name for 'metrics': 'disk'"));
}

TEST_F(ScanTest, MissingStoreIsNotFound) {
  CapturedTerminal terminal;

  EXPECT_EQ(RunScan({.store = {.data = dir_.file("none")}}, terminal.get()), kExitFailure);

  EXPECT_THAT(terminal.err(), HasSubstr("none"));
}

TEST_F(ScanTest, FlagsSayHowRowsArePrinted) {
  const std::string data = dir_.file("store");
  CapturedTerminal lines;
  CapturedTerminal hex;
  CapturedTerminal both;

  EXPECT_EQ(ScanMain({"--data", data, "--import", "2013/01/01", "mem"}, lines.get()), kExitOk);
  EXPECT_EQ(ScanMain({"--hex", "2013/01/01", "mem", "--data", data}, hex.get()), kExitOk);
  EXPECT_EQ(ScanMain({"--data", data, "--hex", "--import"}, both.get()), kExitUsage);

  EXPECT_EQ(lines.out(), "mem 1356998400 5 host=a\n");
  EXPECT_EQ(hex.out(), Scan(ScanFormat::kHex, {"2013/01/01", "mem"}));
  EXPECT_THAT(both.err(), HasSubstr("hourcell scan: --"));
}

}  // namespace
}  // namespace hourcell::scan_test
