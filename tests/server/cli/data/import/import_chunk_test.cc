#include "server/cli/data/import/import_chunk.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/recording_sink.h"
#include "tests/server/rollups/rollup_test_rules.h"
#include "tests/support/status_matchers.h"

namespace hourcell::import_chunk_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ImportChunkTest : public testing::Test {
 protected:
  void Fill(const std::vector<std::string>& lines, uint64_t first_number = 1) {
    chunk_.Begin(1, "in");
    for (const std::string& line : lines)
      chunk_.AddLine({.text = line, .number = first_number++, .too_long = false});
  }
  void Parse(bool skip_errors = false) {
    chunk_.Parse({.limits = {}, .skip_errors = skip_errors, .rollups = MakeTestRules()}, kWorkers,
                 routes_);
  }
  void WriteAll() {
    for (size_t piece = 0; piece < chunk_.pieces(); ++piece) {
      RecordingSink sink(piece, &record_);
      chunk_.WritePiece(piece, &sink);
    }
  }
  std::vector<uint64_t> BadNumbers() const {
    std::vector<uint64_t> numbers;
    for (const ImportChunk::BadLine& line : chunk_.BadLines())
      numbers.push_back(line.number);
    return numbers;
  }

  static constexpr size_t kWorkers = 3;
  ImportRoutes routes_{kWorkers};
  ImportChunk chunk_;
  SinkRecord record_;
};

TEST_F(ImportChunkTest, PointsOfNewSeriesStayInTheOrderOfLines) {
  Fill({"m 3 1 h=a", "m 1 1 h=b", "m 2 1 h=c"});
  Parse();
  ASSERT_TRUE(chunk_.has_new_series());
  EXPECT_EQ(chunk_.pieces(), 1u);
  WriteAll();
  ASSERT_THAT(record_.writes(), SizeIs(1));
  EXPECT_THAT(record_.writes()[0].times_ms, ElementsAre(3000, 1000, 2000));
  EXPECT_EQ(chunk_.points_taken(), 3u);
}

TEST_F(ImportChunkTest, PointsOfKnownSeriesAreSharedOut) {
  std::vector<std::string> lines;
  for (int i = 1; i <= 60; ++i)
    lines.push_back(fmt::format("m {} 1 h=h{}", i, i % 20));
  Fill(lines);
  Parse();
  chunk_.LearnRoutes(&routes_);
  Parse();
  ASSERT_FALSE(chunk_.has_new_series());
  ASSERT_EQ(chunk_.pieces(), kWorkers);
  WriteAll();
  EXPECT_EQ(chunk_.points_taken(), 60u);
  std::map<std::string, size_t> sink_of;
  for (const SinkRecord::Write& write : record_.writes()) {
    EXPECT_TRUE(std::ranges::is_sorted(write.times_ms)) << "lines keep their order";
    for (const std::string& series : write.series)
      EXPECT_EQ(sink_of.emplace(series, write.sink).first->second, write.sink);
  }
  EXPECT_THAT(sink_of, SizeIs(20));
}

TEST_F(ImportChunkTest, ABadLineEndsWhatIsParsedUnlessErrorsAreSkipped) {
  const std::vector<std::string> lines = {"m 1 1 h=a", "m x 1 h=a", "m 3 1 h=a", "m 4 y h=a"};
  Fill(lines, 71);
  Parse();
  WriteAll();
  EXPECT_EQ(chunk_.lines_taken(), 2u);
  EXPECT_EQ(chunk_.points_taken(), 1u);
  EXPECT_THAT(BadNumbers(), ElementsAre(72));

  Fill(lines, 71);
  Parse(/*skip_errors=*/true);
  WriteAll();
  EXPECT_EQ(chunk_.lines_taken(), 4u);
  EXPECT_EQ(chunk_.points_taken(), 2u);
  EXPECT_THAT(BadNumbers(), ElementsAre(72, 74));
  EXPECT_EQ(chunk_.BadLines()[1].text, "m 4 y h=a");
}

TEST_F(ImportChunkTest, RefusedPointsAndBadLinesAreNamedInTheOrderOfLines) {
  const std::vector<std::string> lines = {"refused 1 1 h=a", "m x 1 h=a",       "m 3 1 h=b",
                                          "refused 4 1 h=c", "refused 5 1 h=b", "m 6 1"};
  for (int run = 0; run < 2; ++run) {
    SCOPED_TRACE(run == 0 ? "in order" : "shared out");
    Fill(lines);
    Parse(/*skip_errors=*/true);
    EXPECT_EQ(chunk_.pieces(), run == 0 ? 1u : kWorkers);
    WriteAll();
    EXPECT_TRUE(chunk_.has_bad_lines());
    EXPECT_THAT(BadNumbers(), ElementsAre(1, 2, 4, 5, 6));
    EXPECT_EQ(chunk_.points_taken(), 1u);
    if (run == 0) chunk_.LearnRoutes(&routes_);
  }
}

TEST_F(ImportChunkTest, RollupsArePointsOfTheirLevel) {
  Fill({"rollup 1h-sum m 1356998460 1 h=a", "rollup 1 1 h=a", "rollup 5m-sum m 1356998400 1 h=a",
        "rollup max m 1356998460 1 h=a"});
  Parse(/*skip_errors=*/true);
  WriteAll();

  ASSERT_THAT(record_.writes(), SizeIs(1));
  EXPECT_THAT(record_.writes()[0].times_ms, ElementsAre(1356998400000, 1000, 1356998460000));
  EXPECT_THAT(
      record_.writes()[0].series,
      ElementsAre(HasSubstr("_rollup/1h-sum/m"), HasSubstr("rollup"), HasSubstr("_rollup/agg/m")));
  EXPECT_THAT(BadNumbers(), ElementsAre(3));
  EXPECT_THAT(chunk_.BadLines()[0].error.text, HasSubstr("interval 5m"));
}

TEST_F(ImportChunkTest, HistogramsAreTheFirstWorkers) {
  const std::vector<std::string> lines = {
      "m 1 1 h=a",
      "histogram lat 1356998400 42 AAIAAAAA h=a",
      "histogram m 2 7 AAAAAA== h=a",
      "histogram 3 1 h=a",
      "histogram refused 4 0 AAAAAA== h=a",
      "histogram m 5 254 EgAAAAAAAAAAAAEGQCUAAAAAAAABAAICAwA= h=a"};
  Fill(lines);
  Parse(/*skip_errors=*/true);
  EXPECT_EQ(chunk_.pieces(), 1u);
  chunk_.LearnRoutes(&routes_);
  Parse(/*skip_errors=*/true);
  ASSERT_EQ(chunk_.pieces(), kWorkers);
  WriteAll();

  EXPECT_THAT(record_.histograms(), ElementsAre("m 2000", "refused 4000", "m 5000"));
  EXPECT_EQ(chunk_.points_taken(), 2u);
  EXPECT_EQ(chunk_.histograms_taken(), 2u);
  EXPECT_EQ(chunk_.lines_taken(), lines.size());
  EXPECT_THAT(BadNumbers(), ElementsAre(2, 5));
  EXPECT_THAT(chunk_.BadLines()[0].error.text, HasSubstr("cut short"));

  Fill({"histogram failing 1 0 AAAAAA== h=a"});
  Parse();
  WriteAll();
  EXPECT_THAT(chunk_.status(), StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(ImportChunkTest, OnlyALineOfAHistogramMayBeLong) {
  const std::string tail(kLineBytesMax, 'x');
  Fill({"histogram m 2 0 AAAAAA== h=" + tail, "m 2 0 h=" + tail});
  Parse(/*skip_errors=*/true);
  WriteAll();

  EXPECT_EQ(chunk_.histograms_taken(), 1u);
  ASSERT_THAT(BadNumbers(), ElementsAre(2));
  EXPECT_THAT(chunk_.BadLines()[0].error.text, HasSubstr("line longer than 65536 bytes"));
}

TEST_F(ImportChunkTest, ALineThatIsTooLongIsBad) {
  chunk_.Begin(1, "in");
  chunk_.AddLine({.text = "xxx", .number = 9, .too_long = true});
  Parse();
  ASSERT_THAT(chunk_.BadLines(), SizeIs(1));
  EXPECT_THAT(chunk_.BadLines()[0].error.text, HasSubstr("line longer than 65536 bytes"));
  EXPECT_EQ(chunk_.BadLines()[0].number, 9u);
}

TEST_F(ImportChunkTest, AFailingSinkIsTheChunksStatus) {
  Fill({"m 1 1 h=a", "failing 1 1 h=a"});
  Parse();
  WriteAll();
  EXPECT_THAT(chunk_.status(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(chunk_.points_taken(), 0u) << "nothing is known of the points of a failed write";

  Fill({"m 1 1 h=a"});
  Parse();
  WriteAll();
  EXPECT_OK(chunk_.status());
  EXPECT_THAT(chunk_.BadLines(), IsEmpty());
}

}  // namespace
}  // namespace hourcell::import_chunk_test
