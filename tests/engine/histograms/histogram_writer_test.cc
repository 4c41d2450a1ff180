#include "engine/histograms/histogram_writer.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "engine/store_observer.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::histogram_writer_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kHour = 1356998400;

SimpleHistogram OneAndThree() {
  return {.buckets = {{0, 2, 1}, {2, 4, 3}}};
}

// Keeps the times and the IDs of the histograms that it is shown.
class HistogramObserver : public StoreObserver {
 public:
  explicit HistogramObserver(bool takes_them) : takes_them_(takes_them) {}
  bool TakesHistograms() const override { return takes_them_; }
  absl::Status BeforeHistograms(std::string_view via) override {
    return via.empty() ? absl::OkStatus() : absl::InvalidArgumentError("a loop");
  }
  void AfterHistograms(std::span<const StoredHistogram> histograms, std::string_view) override {
    for (const StoredHistogram& one : histograms)
      shown_.push_back(fmt::format("{} {}", one.point.timestamp.ms / 1000, int{one.cell.front()}));
  }
  const std::vector<std::string>& shown() const { return shown_; }

 private:
  const bool takes_them_;
  std::vector<std::string> shown_;
};

class HistogramWriterTest : public testing::Test {
 protected:
  HistogramWriterTest() { Open(); }

  void Open() {
    tsdb_.reset();
    Options options = TinyOptions(directory_.path());
    options.observers = observers_;
    auto opened = Tsdb::Open(options);
    HOURCELL_CHECK(opened.ok());
    tsdb_ = *std::move(opened);
  }

  absl::Status Append(std::string_view tags,
                      int64_t time_s,
                      std::vector<RefusedPoint>* refused = nullptr,
                      const AppendOptions& options = {}) {
    OwnedPoint point("latency", tags, time_s, 0);
    const SimpleHistogram value = OneAndThree();
    const HistogramPoint histogram{.point = point.view(), .histogram = &value, .codec = 42};
    return tsdb_->points().AppendHistograms({&histogram, 1}, refused, options);
  }

  absl::StatusOr<QueryResult> Percentiles(std::string metric = "latency") {
    QuerySpec spec = MakeQuery(Aggregator::kSum, std::move(metric), {}, kHour, kHour + 3600);
    spec.queries[0].percentiles = {50};
    return tsdb_->queries().Query(spec);
  }

  TempDir directory_;
  std::vector<StoreObserver*> observers_;
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(HistogramWriterTest, ObserversSeeStoredHistogramsAndMayRefuseThem) {
  HistogramObserver observer(/*takes_them=*/true);
  observers_ = {&observer};
  Open();

  ASSERT_OK(Append("host=a", kHour));
  ASSERT_OK(Append("", kHour + 1)) << "it has no tags, and is refused";
  EXPECT_THAT(Append("host=a", kHour + 2, nullptr, {.via = "x"}),
              StatusIs(absl::StatusCode::kInvalidArgument, "a loop"));

  EXPECT_THAT(observer.shown(), testing::ElementsAre(fmt::format("{} 42", kHour)));
  tsdb_.reset();
}

TEST_F(HistogramWriterTest, AnObserverThatDoesNotKnowHistogramsEndsThem) {
  HistogramObserver observer(/*takes_them=*/false);
  observers_ = {&observer};
  Open();

  EXPECT_THAT(Append("host=a", kHour), StatusIs(absl::StatusCode::kUnimplemented));
  tsdb_.reset();
}

TEST_F(HistogramWriterTest, HistogramsAreReadAfterARestart) {
  ASSERT_OK(Append("host=a", kHour));
  ASSERT_OK(Append("host=b", kHour));
  Open();
  const absl::StatusOr<QueryResult> result = Percentiles();
  ASSERT_OK(result);
  ASSERT_EQ(result->series.size(), 1);
  EXPECT_EQ(result->series[0].metric, "latency_pct_50.0");
  EXPECT_EQ(result->series[0].aggregate_tags, std::vector<std::string>{"host"});
  EXPECT_EQ(result->series[0].tsuids.size(), 2);
  ASSERT_EQ(result->series[0].points.size(), 1);
  EXPECT_EQ(result->series[0].points[0].value, Value::Float(3));
}

TEST_F(HistogramWriterTest, AQueryOfNumbersReadsNoHistogram) {
  ASSERT_OK(Append("host=a", kHour));
  const auto numbers =
      tsdb_->queries().Query(MakeQuery(Aggregator::kSum, "latency", {}, kHour, kHour + 3600));
  ASSERT_OK(numbers);
  EXPECT_THAT(numbers->series, IsEmpty());
}

TEST_F(HistogramWriterTest, APercentileOfNumbersIsRefusedInWords) {
  OwnedPoint point("cpu", "host=a", kHour, 1);
  ASSERT_OK(tsdb_->points().Put(point.view()));
  EXPECT_THAT(Percentiles("cpu"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("\"cpu\" has no histograms")));
}

TEST_F(HistogramWriterTest, ARefusedHistogramCreatesNoName) {
  std::vector<RefusedPoint> refused;
  ASSERT_OK(Append("", kHour, &refused));
  ASSERT_EQ(refused.size(), 1);
  EXPECT_THAT(refused[0].error.text, HasSubstr("Need at least one tag"));
  EXPECT_THAT(Percentiles(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("latency")));
}

TEST_F(HistogramWriterTest, ADeleteTakesTheHistogramsOfTheRange) {
  ASSERT_OK(Append("host=a", kHour));
  ASSERT_OK(Append("host=a", kHour + 60));
  const auto deleted =
      tsdb_->points().DeletePoints(MakeQuery(Aggregator::kSum, "latency", {}, kHour, kHour + 59));
  ASSERT_OK(deleted);
  EXPECT_EQ(deleted->histograms, 1);
  const absl::StatusOr<QueryResult> result = Percentiles();
  ASSERT_OK(result);
  ASSERT_EQ(result->series.size(), 1);
  EXPECT_EQ(result->series[0].points.size(), 1);
}

TEST_F(HistogramWriterTest, AnExponentialHistogramIsStoredWholeAndQueried) {
  const ExponentialHistogram value{.scale = 2,
                                   .is_cumulative = true,
                                   .zero_threshold = 0x1p-20,
                                   .zero_count = 1,
                                   .count = 10,
                                   .sum = 12.5,
                                   .min = 0.25,
                                   .positive = {{0, 3}, {5, 6}}};
  OwnedPoint point("latency", "host=a", kHour, 0);
  const HistogramPoint histogram{.point = point.view(), .exponential = &value};
  ASSERT_OK(tsdb_->points().AppendHistograms({&histogram, 1}, nullptr));
  Open();

  std::vector<ExponentialHistogram> stored;
  ASSERT_OK(tsdb_->queries().VisitHistograms({}, [&](std::span<const HistogramPoint> some) {
    for (const HistogramPoint& one : some)
      stored.push_back(*one.exponential);
    return absl::OkStatus();
  }));
  EXPECT_EQ(stored, std::vector{value});
  const absl::StatusOr<QueryResult> result = Percentiles();
  ASSERT_OK(result);
  ASSERT_EQ(result->series.size(), 1);
  EXPECT_EQ(result->series[0].points[0].value, Value::Float(ExponentialPercentile(value, 50)));
}

TEST_F(HistogramWriterTest, AWrongExponentialHistogramIsRefusedInWords) {
  const ExponentialHistogram wrong{.scale = 21};
  const SimpleHistogram simple = OneAndThree();
  OwnedPoint point("latency", "host=a", kHour, 0);
  const std::vector<HistogramPoint> histograms = {
      {.point = point.view(), .exponential = &wrong},
      {.point = point.view(), .histogram = &simple, .codec = kExponentialHistogramId}};
  std::vector<RefusedPoint> refused;
  ASSERT_OK(tsdb_->points().AppendHistograms(histograms, &refused));
  ASSERT_EQ(refused.size(), 2);
  EXPECT_THAT(refused[0].error.text, HasSubstr("expected a scale of -11 to 20, got 21"));
  EXPECT_THAT(refused[1].error.text, HasSubstr("expected another ID than 254"));
}

}  // namespace
}  // namespace hourcell::histogram_writer_test
