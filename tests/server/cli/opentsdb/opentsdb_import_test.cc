#include "server/cli/opentsdb/opentsdb_import.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"
#include "tests/server/cli/recording_sink.h"
#include "tests/server/http/scripted_server.h"
#include "tests/support/temp_dir.h"

namespace hourcell::opentsdb_import_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kStart = 1'400'000'000;

// The answer of one series, m{a=b}, with points at these seconds after kStart.
ScriptedReply Points(const std::vector<int>& seconds, const std::string& metric = "m") {
  std::string points;
  for (const int second : seconds)
    points += (points.empty() ? "[" : ",[") + std::to_string((kStart + second) * 1000) + ",2]";
  return {HttpReplyText(
      200, R"([{"metric":")" + metric + R"(","tags":{"a":"b"},"dps":[)" + points + "]}]")};
}

ScriptedReply Error(int status) {
  return {HttpReplyText(status, R"({"error":{"code":0,"message":"no"}})")};
}

class OpenTsdbImportTest : public testing::Test {
 protected:
  // Of the metric m, 4 seconds.
  int Import(std::vector<ScriptedReply> script, OpenTsdbImportOptions options = {}) {
    ScriptedServer server(std::move(script));
    options.source = *ParseHttpUrl(server.url());
    options.source.port = std::to_string(server.port());
    options.range = {.start_s = kStart, .end_s = kStart + 4};
    if (options.metrics.empty()) options.metrics = {"m"};
    options.patience = {.tries = 2, .pause_ms = 1};
    ImportTarget target{.name = "here",
                        .query = [this](const QuerySpec& spec) { return Totals(spec); }};
    target.sinks.push_back(std::make_unique<RecordingSink>(0, &record_));
    const int code = RunOpenTsdbImport(options, std::move(target), terminal_.get());
    requests_ = server.requests();
    return code;
  }

  // One point: 3 points, or their sum.
  absl::StatusOr<std::vector<ResultSeries>> Totals(const QuerySpec& spec) {
    const bool is_count = spec.queries[0].downsample->function == Aggregator::kCount;
    ResultSeries series;
    series.points = {{.ms = spec.start_ms, .value = Value::Integer(is_count ? here_ : 2 * here_)}};
    return std::vector<ResultSeries>{series};
  }

  std::vector<int64_t> Times() const {
    std::vector<int64_t> times;
    for (const SinkRecord::Write& write : record_.writes())
      times.insert(times.end(), write.times_ms.begin(), write.times_ms.end());
    return times;
  }

  int64_t here_ = 3;
  CapturedTerminal terminal_;
  SinkRecord record_;
  std::vector<std::string> requests_;
};

// The total of a query with 0all.
ScriptedReply Total(int number) {
  return {HttpReplyText(
      200, R"([{"metric":"m","tags":{},"dps":[[1,)" + std::to_string(number) + "]]}]")};
}

TEST_F(OpenTsdbImportTest, PointsAreWrittenAndCountsAndSumsCompared) {
  EXPECT_EQ(Import({Points({0, 1, 3}), Total(3), Total(6)}), kExitOk) << terminal_.err();

  EXPECT_THAT(Times(), ElementsAre(kStart * 1000, kStart * 1000 + 1000, kStart * 1000 + 3000));
  EXPECT_THAT(record_.writes()[0].series, testing::Contains("m a=b"));
  EXPECT_THAT(requests_[0], HasSubstr(R"("aggregator":"none","metric":"m")"));
  EXPECT_THAT(requests_[0], HasSubstr(R"("end":"1400000003999")"));
  EXPECT_THAT(requests_[1], HasSubstr(R"("downsample":"0all-count")"));
  EXPECT_THAT(terminal_.out(), HasSubstr("imported 3 points of 1 metrics in 1 slices"));
  EXPECT_THAT(terminal_.out(),
              HasSubstr("m: source 3 points, sum 6; here 3 points, sum 6: same\n"));
}

TEST_F(OpenTsdbImportTest, ADifferenceIsAFailure) {
  EXPECT_EQ(Import({Points({0, 1, 3}), Total(4), Total(8)}), kExitFailure);

  EXPECT_THAT(terminal_.out(),
              HasSubstr("m: source 4 points, sum 8; here 3 points, sum 6: DIFFERENT\n"));
}

TEST_F(OpenTsdbImportTest, ASourceThatCannotCountIsComparedByWhatWasRead) {
  EXPECT_EQ(Import({Points({0, 1, 3}), Error(400)}), kExitOk) << terminal_.out();
}

TEST_F(OpenTsdbImportTest, ASliceThatIsTooLargeIsHalved) {
  EXPECT_EQ(Import({Error(413), Error(413), Points({0}), Points({1}), Points({2, 3})},
                   {.skip_compare = true}),
            kExitOk)
      << terminal_.err();

  EXPECT_THAT(Times(), SizeIs(4));
  EXPECT_THAT(requests_[2], HasSubstr(R"("start":"1400000000000","end":"1400000000999")"));
}

TEST_F(OpenTsdbImportTest, OneSecondThatIsTooLargeFailsItsMetricOnly) {
  EXPECT_EQ(Import({Error(413), Error(413), Error(413), Points({0}, "n")},
                   {.metrics = {"m", "n"}, .skip_compare = true}),
            kExitFailure);

  EXPECT_THAT(terminal_.err(), HasSubstr("m: the points of second 1400000000 alone: "));
  EXPECT_THAT(Times(), SizeIs(1));
  EXPECT_THAT(terminal_.out(), HasSubstr("1 failures"));
}

TEST_F(OpenTsdbImportTest, WhatAStateFileSaysIsNotReadAgain) {
  TempDir dir;
  const std::string state = dir.file("state");
  ASSERT_EQ(
      Import({Error(413), Points({0, 1}), Error(400)}, {.state_file = state, .skip_compare = true}),
      kExitFailure);
  EXPECT_THAT(Times(), SizeIs(2));

  // Of another port, which is another server to the file.
  EXPECT_EQ(Import({}, {.state_file = state}), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("is not the state of this import"));
  EXPECT_THAT(requests_, IsEmpty());
}

TEST_F(OpenTsdbImportTest, PointsThatAreRefusedEndTheirMetricUnlessTheyAreSkipped) {
  EXPECT_EQ(Import({Points({0}, "refused")}, {.skip_compare = true}), kExitFailure);
  EXPECT_THAT(terminal_.err(), HasSubstr("--skip-errors leaves such points out"));

  EXPECT_EQ(Import({Points({0}, "refused")}, {.skip_errors = true, .skip_compare = true}), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr("1 refused; 0 failures"));
}

TEST_F(OpenTsdbImportTest, NamesMayHaveBlanks) {
  EXPECT_EQ(Import({{HttpReplyText(
                       200, R"([{"metric":"m","tags":{"a":"b c=d"},"dps":[[1400000000000,1]]}])")}},
                   {.skip_compare = true}),
            kExitOk);
  EXPECT_THAT(record_.writes()[0].series, testing::Contains("m a=b c=d"));
}

TEST_F(OpenTsdbImportTest, ASeriesWithoutANameOfATagIsRefused) {
  EXPECT_EQ(
      Import(
          {{HttpReplyText(200, R"([{"metric":"m","tags":{"a":""},"dps":[[1400000000000,1]]}])")}},
          {.skip_compare = true}),
      kExitFailure);
  EXPECT_THAT(Times(), IsEmpty());
}

}  // namespace
}  // namespace hourcell::opentsdb_import_test
