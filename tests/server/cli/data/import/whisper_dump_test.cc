#include "server/cli/data/import/whisper_dump.h"

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::whisper_dump_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A heading as whisper-dump of Debian's python3-whisper 1.1.4 prints it, of archives of 60 s and of
// 300 s.
constexpr std::string_view kHeading =
    "Meta data:\n  aggregation method: average\n  max retention: 3600\n  xFilesFactor: 0.5\n\n"
    "Archive 0 info:\n  offset: 40\n  seconds per point: 60\n  points: 10\n  retention: 600\n"
    "  size: 120\n\n"
    "Archive 1 info:\n  offset: 160\n  seconds per point: 300\n  points: 12\n  retention: 3600\n"
    "  size: 144\n\n";

// The lines of Graphite that stand for a dump, and "! what is wrong: line" for faults.
std::vector<std::string> Translated(std::string_view metric, const std::string& text) {
  WhisperDump dump(metric);
  std::vector<std::string> lines;
  std::istringstream stream(text);
  Line line;
  for (std::string one; std::getline(stream, one);) {
    line.text = one;
    ++line.number;
    const Line made = dump.Translate(line);
    EXPECT_EQ(made.number, line.number);
    if (!made.fault.empty()) {
      lines.push_back("! " + std::string(made.fault) + ": " + std::string(made.text));
    } else if (!made.text.empty()) {
      lines.emplace_back(made.text);
    }
  }
  return lines;
}

std::string Dump(std::string_view data) {
  return std::string(kHeading) + std::string(data);
}

TEST(WhisperDumpTest, SlotsWithATimeArePoints) {
  EXPECT_THAT(Translated("a.b", Dump("Archive 0 data:\n0: 1356998400,          3\n"
                                     "1: 0,          0\n2: 1356998460,        4.5\n"
                                     "3: 1356998520, 0.1000000000000000055511151231257827\n")),
              ElementsAre("a.b 3 1356998400", "a.b 4.5 1356998460",
                          "a.b 0.1000000000000000055511151231257827 1356998520"));
}

TEST(WhisperDumpTest, APointOfALongerStepIsTakenIfNoShorterOneIsWithinIt) {
  EXPECT_THAT(Translated("m", Dump("Archive 0 data:\n0: 1356999060, 1\n1: 1356999000, 2\n"
                                   "Archive 1 data:\n0: 1356998400, 10\n1: 1356998700, 11\n"
                                   "2: 1356999000, 12\n3: 1356999300, 13\n")),
              ElementsAre("m 1 1356999060", "m 2 1356999000", "m 10 1356998400", "m 11 1356998700",
                          "m 13 1356999300"));
  // 1356998999 is the last second of the step of 1356998700.
  EXPECT_THAT(Translated("m", Dump("Archive 0 data:\n0: 1356998999, 1\nArchive 1 data:\n"
                                   "0: 1356998700, 11\n1: 1356999000, 12\n")),
              ElementsAre("m 1 1356998999", "m 12 1356999000"));
}

TEST(WhisperDumpTest, ValuesThatAreNoIntegerOf64BitsAreFloats) {
  EXPECT_THAT(Translated("m", Dump("Archive 0 data:\n0: 60, 100000000000000000000\n1: 120, -7\n"
                                   "2: 180,        nan\n")),
              ElementsAre("m 100000000000000000000.0 60", "m -7 120"));
}

TEST(WhisperDumpTest, WhatIsWrongIsSaid) {
  EXPECT_THAT(Translated("m", "0: 60, 1\n"),
              ElementsAre(HasSubstr("! expected SLOT: SECONDS, VALUE")))
      << "without the heading of an archive";
  for (const std::string slot : {"0: 60 1", "0, 60: 1", "x", "0: Tue Jan 1, 1", "0: 4294967296, 1",
                                 "0: 60, ", "0: 60, 1 2", "60", "0x: 60, 1"}) {
    EXPECT_THAT(Translated("m", Dump("Archive 0 data:\n" + slot + "\n")),
                ElementsAre(HasSubstr("! expected ")))
        << slot;
  }
  EXPECT_THAT(Translated("m", Dump("Archive 0 data:\nArchive 0 datum:\n0: 60, 1\n")),
              ElementsAre(HasSubstr("! expected a line"), HasSubstr("! expected SLOT")));
  for (const std::string heading :
       {"Archive x info:", "Archive 0 datum:", "Archive 256 data:", "Archive", "a.b 1 60",
        "  seconds per point: 0", "  seconds per point: x"}) {
    EXPECT_THAT(Translated("m", heading + "\n"),
                ElementsAre("! expected a line of whisper-dump: " + heading));
  }
}

TEST(WhisperDumpTest, ALineThatIsTooLongStaysSo) {
  EXPECT_TRUE(
      WhisperDump("m").Translate({.text = "0: 60", .number = 1, .too_long = true}).too_long);
}

TEST(WhisperDumpTest, TheMetricIsThePathOfTheDump) {
  EXPECT_THAT(WhisperMetricOf("servers/web01/load.txt"), IsOkAndHolds("servers.web01.load"));
  EXPECT_THAT(WhisperMetricOf("./a/b.wsp.txt.gz"), IsOkAndHolds("a.b"));
  EXPECT_THAT(WhisperMetricOf("a"), IsOkAndHolds("a"));
  EXPECT_THAT(WhisperMetricOf("_tagged/f52/94f/disk_DOT_used;rack=a1;server=web01.txt"),
              IsOkAndHolds("disk.used;rack=a1;server=web01"));
  for (const std::string path : {"", "-", "/a/b.txt", "../a.txt", "a/../../b", "./", ".txt"}) {
    EXPECT_THAT(WhisperMetricOf(path), StatusIs(absl::StatusCode::kInvalidArgument)) << path;
  }
  EXPECT_THAT(Translated("a b\tc", Dump("Archive 0 data:\n0: 60, 1\n")), ElementsAre("a_b_c 1 60"));
  EXPECT_THAT(Translated("m", Dump("")), IsEmpty());
}

}  // namespace
}  // namespace hourcell::whisper_dump_test
