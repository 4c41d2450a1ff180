#include "engine/histograms/histogram_reader.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "codec/base/bytes.h"
#include "engine/annotations/annotation_store.h"
#include "engine/histograms/histogram_store.h"
#include "engine/rows/histogram_cell.h"
#include "tests/codec/histograms/histogram_vectors.h"
#include "tests/support/counting_view.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::histogram_reader_test {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr int64_t kHourMs = 3'600'000;
constexpr int64_t kStartMs = 1'356'998'400'000;

class HistogramReaderTest : public testing::Test {
 protected:
  HistogramReaderTest() {
    auto opened = AnnotationStore::Open(
        {.row_keys = &row_keys_, .tables = &tables_, .expiry = nullptr}, /*sync=*/false);
    HOURCELL_CHECK(opened.ok());
    annotations_ = *std::move(opened);
    query_.metric = "m";
  }

  void Write(uint32_t member, int64_t time_ms, const SimpleHistogram& histogram) {
    std::string cell;
    AppendHistogramCell(0, histogram, &cell);
    WriteCell(member, time_ms, std::move(cell));
  }

  void WriteExponential(uint32_t member, int64_t time_ms, const ExponentialHistogram& histogram) {
    std::string cell;
    AppendExponentialCell(histogram, &cell);
    WriteCell(member, time_ms, std::move(cell));
  }

  void WriteCell(uint32_t member, int64_t time_ms, std::string cell) {
    while (tsuids_.size() <= member) {
      tsuids_.push_back(FromHex("0000010000010000").value() +
                        static_cast<char>(tsuids_.size() + 1));
    }
    const HistogramRow row{.tsuid = tsuids_[member], .time_ms = time_ms, .cell = std::move(cell)};
    HistogramStore store(&row_keys_, &tables_, annotations_.get());
    ASSERT_OK(store.Write({&row, 1}, /*sync=*/false));
  }

  // The series of the group of all members.
  std::vector<HistogramSeries> Read(int64_t start_ms, int64_t end_ms) {
    std::vector<std::vector<HistogramSeries>> groups = ReadGroups(tsuids_.size(), start_ms, end_ms);
    return groups.empty() ? std::vector<HistogramSeries>() : std::move(groups[0]);
  }

  // The series of groups of `size` members each, in the order of the members.
  std::vector<std::vector<HistogramSeries>> ReadGroups(size_t size,
                                                       int64_t start_ms,
                                                       int64_t end_ms) {
    CountingView view(tables_.Snapshot());
    const QueryRange range{
        .start_ms = start_ms,
        .end_ms = end_ms,
        .scan = ComputeScanBounds(kHourSpan, start_ms, end_ms, query_.downsample)};
    HistogramReader reader({.row_keys = &row_keys_,
                            .view = &view,
                            .count =
                                [this](uint64_t read, uint64_t) {
                                  read_ += read;
                                  return counted_;
                                },
                            .scan_bytes = scan_bytes_},
                           query_, range, visible_from_ms_);
    EXPECT_OK(reader.Begin());
    SeriesGroups groups;
    for (uint32_t i = 0; i < tsuids_.size(); ++i)
      groups.Add(i, /*is_new_group=*/i % size == 0);
    const auto tsuid_of = [this](uint32_t i) { return std::string_view(tsuids_[i]); };
    std::vector<std::vector<HistogramSeries>> all;
    present_.clear();
    while (all.size() < groups.size()) {
      MemoryHold hold(&memory_);
      const auto some = reader.Read(groups, all.size(), tsuid_of, &hold);
      fault_ = std::string(some.status().message());
      if (!some.ok()) return {};
      for (const HistogramGroup& group : *some) {
        present_.insert(present_.end(), group.present.begin(), group.present.end());
        all.push_back(reader.SeriesOf("m", group, &hold).value());
      }
    }
    scans_ = view.cursors();
    return all;
  }

  static std::vector<std::pair<int64_t, double>> PointsOf(const HistogramSeries& series) {
    std::vector<std::pair<int64_t, double>> points;
    for (size_t i = 0; i < series.points.size(); ++i)
      points.emplace_back(series.points.t[i], series.points.ToDouble(i));
    return points;
  }

  // Memory that a query may have.
  class Memory : public MemoryAccount {
   public:
    absl::Status Take(size_t bytes) override {
      if (used + bytes > max) return absl::ResourceExhaustedError("no memory");
      used += bytes;
      peak = std::max(peak, used);
      return absl::OkStatus();
    }
    void GiveBack(size_t bytes) override { used -= bytes; }

    size_t max = SIZE_MAX;
    size_t used = 0;
    size_t peak = 0;
  };

  MemTableStore tables_;
  const RowKeyCodec row_keys_{Layout{}};
  std::unique_ptr<AnnotationStore> annotations_;
  std::vector<std::string> tsuids_;  // of the members
  SubQuery query_;
  int64_t visible_from_ms_ = 0;
  std::vector<uint32_t> present_;  // of the last read
  int scans_ = 0;                  // of the last read
  size_t scan_bytes_ = kHistogramScanBytes;
  Memory memory_;
  uint64_t read_ = 0;     // as counted
  absl::Status counted_;  // of each count
  std::string fault_;     // of the last read
};

TEST_F(HistogramReaderTest, VectorsOfSeries) {
  int run = 0;
  for (const TestVector& vector : VectorsOfKind("histogram-percentile", "series")) {
    SCOPED_TRACE(vector.from);
    uint32_t member = 0;
    for (const simdjson::dom::element times : ElementsOf(vector.given["members"])) {
      for (const auto [time, histogram] : simdjson::dom::object(times)) {
        int64_t time_ms = 0;
        std::from_chars(time.data(), time.data() + time.size(), time_ms);
        Write(member, time_ms, HistogramOf(histogram));
      }
      ++member;
    }
    query_.percentiles = NumbersOf(vector.given["percentiles"]);
    const std::vector<HistogramSeries> series = Read(0, kHourMs);
    ASSERT_EQ(series.size(), query_.percentiles.size());
    std::vector<std::pair<int64_t, double>> expected;
    for (const simdjson::dom::element row : ElementsOf(vector.expect["rows"])) {
      const std::vector<double> fields = NumbersOf(row);
      expected.emplace_back(static_cast<int64_t>(fields.at(0)), fields.at(1));
    }
    EXPECT_EQ(PointsOf(series[0]), expected);
    ++run;
  }
  EXPECT_EQ(run, 1);
}

TEST_F(HistogramReaderTest, VectorsOfQueryChecks) {
  int run = 0;
  for (const TestVector& vector : VectorsOfKind("histogram-percentile", "query")) {
    SCOPED_TRACE(vector.from);
    SubQuery query;
    query.metric = "m";
    query.aggregator = ParseAggregator(TextOf(vector.given, "aggregator")).value();
    query.percentiles = NumbersOf(vector.given["percentiles"]);
    if (Has(vector.given, "downsample")) {
      query.downsample = ParseDownsampleSpec(TextOf(vector.given, "downsample")).value();
    }
    EXPECT_EQ(CheckHistogramQuery(query).ok(), !vector.wants_error());
    ++run;
  }
  EXPECT_EQ(run, 4);
}

TEST_F(HistogramReaderTest, DownsamplingSumsTheHistogramsOfABucket) {
  for (int64_t minute = 0; minute < 120; ++minute)
    Write(0, kStartMs + minute * 60'000, {.buckets = {{0, 2, 1}, {2, 4, minute < 60 ? 0 : 3}}});
  query_.percentiles = {50};
  query_.downsample = ParseDownsampleSpec("1h-sum").value();
  query_.show_histogram_buckets = true;

  const std::vector<HistogramSeries> series = Read(kStartMs, kStartMs + 2 * kHourMs - 1);

  ASSERT_EQ(series.size(), 5);
  EXPECT_EQ(series[0].metric, "m_pct_50.0");
  EXPECT_THAT(PointsOf(series[0]), ElementsAre(Pair(kStartMs, 1), Pair(kStartMs + kHourMs, 3)));
  EXPECT_EQ(series[2].metric, "m_0.0_2.0");
  EXPECT_THAT(PointsOf(series[2]), ElementsAre(Pair(kStartMs, 60), Pair(kStartMs + kHourMs, 60)));
  EXPECT_THAT(PointsOf(series[3]), ElementsAre(Pair(kStartMs, 0), Pair(kStartMs + kHourMs, 180)));
}

TEST_F(HistogramReaderTest, TheWholeRangeExcludesItsEnd) {
  Write(0, kStartMs, {.buckets = {{0, 2, 1}}});
  Write(0, kStartMs + 1000, {.buckets = {{0, 2, 1}}});
  query_.show_histogram_buckets = true;
  query_.downsample = ParseDownsampleSpec("0all-sum").value();
  const std::vector<HistogramSeries> series = Read(kStartMs, kStartMs + 1000);
  ASSERT_EQ(series.size(), 3);
  EXPECT_THAT(PointsOf(series[1]), ElementsAre(Pair(kStartMs, 1)));
}

TEST_F(HistogramReaderTest, ALaterBucketOfAGroupIsShownAsWell) {
  Write(0, kStartMs, {.buckets = {{0, 2, 1}}, .underflow = 7});
  Write(1, kStartMs + 1000, {.buckets = {{2, 4, 5}}, .overflow = 9});
  query_.show_histogram_buckets = true;

  const std::vector<HistogramSeries> series = Read(kStartMs, kStartMs + 1000);

  std::vector<std::string> names;
  for (const HistogramSeries& one : series)
    names.push_back(one.metric);
  EXPECT_THAT(names, ElementsAre("m_UNDERFLOW", "m_0.0_2.0", "m_2.0_4.0", "m_OVERFLOW"));
  EXPECT_THAT(PointsOf(series[1]), ElementsAre(Pair(kStartMs, 1), Pair(kStartMs + 1000, 0)));
  EXPECT_THAT(PointsOf(series[3]), ElementsAre(Pair(kStartMs, 0), Pair(kStartMs + 1000, 9)));
  EXPECT_THAT(present_, ElementsAre(0, 1));
}

TEST_F(HistogramReaderTest, CountsWhatItReadsAndEndsAtALimit) {
  for (int64_t i = 0; i < 300; ++i)
    Write(0, kStartMs + i, {.buckets = {{0, 2, 1}}});
  query_.percentiles = {50};
  EXPECT_EQ(Read(kStartMs, kStartMs + kHourMs).size(), 1);
  EXPECT_EQ(read_, 300);
  read_ = 0;
  counted_ = absl::ResourceExhaustedError("too many");
  EXPECT_TRUE(Read(kStartMs, kStartMs + kHourMs).empty());
  EXPECT_EQ(fault_, "too many");
  EXPECT_EQ(read_, 256);
}

// A histogram of each of 64 members in each of two hours, with the member's number as its count.
class HistogramGroupsTest : public HistogramReaderTest {
 protected:
  static constexpr uint32_t kMembers = 64;
  HistogramGroupsTest() {
    for (uint32_t member = 0; member < kMembers; ++member) {
      Write(member, kStartMs, {.buckets = {{0, 2, member}}});
      Write(member, kStartMs + kHourMs, {.buckets = {{0, 2, member}}, .overflow = 1});
    }
    query_.show_histogram_buckets = true;
  }

  // Groups of one member, each with its own histograms.
  void CheckGroups() {
    const auto groups = ReadGroups(1, kStartMs, kStartMs + 2 * kHourMs);
    EXPECT_EQ(fault_, "");
    ASSERT_EQ(groups.size(), kMembers);
    for (uint32_t i = 0; i < kMembers; ++i) {
      ASSERT_EQ(groups[i].size(), 3) << i;
      EXPECT_THAT(PointsOf(groups[i][1]),
                  ElementsAre(Pair(kStartMs, i), Pair(kStartMs + kHourMs, i)));
      EXPECT_THAT(PointsOf(groups[i][2]),
                  ElementsAre(Pair(kStartMs, 0), Pair(kStartMs + kHourMs, 1)));
    }
    EXPECT_EQ(present_.size(), kMembers);
    EXPECT_EQ(read_, 2 * kMembers) << "a histogram that is read twice is counted once";
    EXPECT_EQ(memory_.used, 0);
  }
};

TEST_F(HistogramGroupsTest, OneScanReadsAllGroups) {
  CheckGroups();
  EXPECT_EQ(scans_, 1);
}

TEST_F(HistogramGroupsTest, LargeSumsAreReadBySeveralScansWithinTheirMemory) {
  CheckGroups();
  const size_t peak_of_one_scan = memory_.peak;
  read_ = 0;
  memory_.peak = 0;
  scan_bytes_ = peak_of_one_scan / 4;
  CheckGroups();
  EXPECT_GE(scans_, 4);
  EXPECT_LE(scans_, 16);
  EXPECT_LE(memory_.peak, peak_of_one_scan / 2);
}

TEST_F(HistogramGroupsTest, AQueryWithLittleMemoryReadsGroupByGroup) {
  scan_bytes_ = 1;
  CheckGroups();
  const size_t least = memory_.peak;
  read_ = 0;
  scan_bytes_ = kHistogramScanBytes;
  memory_.max = least;
  CheckGroups();
  EXPECT_GT(scans_, 1);
  memory_.max = 1000;
  EXPECT_TRUE(ReadGroups(1, kStartMs, kStartMs + kHourMs).empty());
  EXPECT_EQ(fault_, "no memory");
}

TEST_F(HistogramGroupsTest, RatesAreTheSameWithLittleMemory) {
  tsuids_.clear();
  for (uint32_t member = 0; member < 8; ++member) {
    for (uint32_t i = 1; i <= 4; ++i) {
      const ExponentialCount count = 10 * i + member * i;
      WriteExponential(member, kStartMs + i * kHourMs,
                       {.is_cumulative = true, .count = count, .positive = {{0, count}}});
    }
  }
  query_.rate = RateSpec{};
  for (const size_t bytes : {kHistogramScanBytes, size_t{1}}) {
    scan_bytes_ = bytes;
    const auto groups = ReadGroups(1, kStartMs + 1, kStartMs + 5 * kHourMs);
    ASSERT_EQ(groups.size(), 8);
    for (uint32_t i = 0; i < 8; ++i) {
      ASSERT_EQ(groups[i].size(), 4) << "a bucket, ZERO, COUNT and SUM";
      EXPECT_THAT(PointsOf(groups[i][1]), ElementsAre(Pair(kStartMs + 2 * kHourMs, 10 + i),
                                                      Pair(kStartMs + 3 * kHourMs, 10 + i),
                                                      Pair(kStartMs + 4 * kHourMs, 10 + i)));
    }
  }
}

TEST_F(HistogramReaderTest, ExpiredHistogramsAreNotShown) {
  Write(0, kStartMs, {.buckets = {{0, 2, 1}}});
  Write(0, kStartMs + 1000, {.buckets = {{0, 2, 1}}});
  query_.percentiles = {50, 99.9};
  visible_from_ms_ = kStartMs + 1;
  const std::vector<HistogramSeries> series = Read(kStartMs, kStartMs + 1000);
  ASSERT_EQ(series.size(), 2);
  EXPECT_EQ(series[1].metric, "m_pct_99.9");
  EXPECT_THAT(PointsOf(series[1]), ElementsAre(Pair(kStartMs + 1000, 1)));
}

TEST_F(HistogramReaderTest, ExponentialHistogramsOfOneTimeAreSummed) {
  WriteExponential(0, kStartMs, {.scale = 0, .count = 3, .positive = {{0, 3}}});
  WriteExponential(1, kStartMs, {.scale = 1, .count = 9, .positive = {{4, 9}}});
  query_.percentiles = {99, 20};

  const std::vector<HistogramSeries> series = Read(kStartMs, kStartMs + 1000);

  EXPECT_EQ(fault_, "");
  ASSERT_EQ(series.size(), 2);
  EXPECT_EQ(series[0].metric, "m_pct_20.0");
  ASSERT_EQ(series[0].points.size(), 1);
  EXPECT_DOUBLE_EQ(PointsOf(series[0])[0].second, 4.0 / 3);
  EXPECT_DOUBLE_EQ(PointsOf(series[1])[0].second, 16.0 / 3);
}

TEST_F(HistogramReaderTest, BucketsOfExponentialHistogramsHaveTheLowestScale) {
  WriteExponential(
      0, kStartMs,
      {.scale = 1, .zero_count = 2, .count = 6, .sum = 7, .positive = {{0, 3}, {1, 1}}});
  WriteExponential(1, kStartMs + 1000,
                   {.scale = 0,
                    .has_float_counts = true,
                    .count = 4.5,
                    .positive = {{2, 2.5}},
                    .negative = {{-1, 1}, {0, 1}}});
  query_.show_histogram_buckets = true;

  const std::vector<HistogramSeries> series = Read(kStartMs, kStartMs + 1000);

  std::vector<std::string> names;
  for (const HistogramSeries& one : series)
    names.push_back(one.metric);
  EXPECT_THAT(names, ElementsAre("m_-2.0_-1.0", "m_-1.0_-0.5", "m_ZERO", "m_1.0_2.0", "m_4.0_8.0",
                                 "m_COUNT", "m_SUM"));
  EXPECT_THAT(PointsOf(series[2]), ElementsAre(Pair(kStartMs, 2), Pair(kStartMs + 1000, 0)));
  EXPECT_THAT(PointsOf(series[3]), ElementsAre(Pair(kStartMs, 4), Pair(kStartMs + 1000, 0)));
  EXPECT_THAT(PointsOf(series[4]), ElementsAre(Pair(kStartMs, 0), Pair(kStartMs + 1000, 2.5)));
  EXPECT_THAT(PointsOf(series[5]), ElementsAre(Pair(kStartMs, 6), Pair(kStartMs + 1000, 4.5)));
  EXPECT_THAT(PointsOf(series[6]), ElementsAre(Pair(kStartMs, 7)));
}

TEST_F(HistogramReaderTest, ARateOfCumulativeHistogramsIsTheirIncrease) {
  const auto total = [](ExponentialCount low, ExponentialCount high) {
    ExponentialHistogram histogram{.is_cumulative = true, .count = low + high};
    if (low > 0) histogram.positive.push_back({0, low});
    if (high > 0) histogram.positive.push_back({2, high});
    return histogram;
  };
  WriteExponential(0, kStartMs, total(100, 0));
  WriteExponential(0, kStartMs + 1000, total(101, 2));
  WriteExponential(0, kStartMs + 2000, total(7, 1));  // the process began again
  WriteExponential(1, kStartMs + 1000, {.count = 5, .positive = {{0, 5}}});
  query_.show_histogram_buckets = true;
  query_.rate = RateSpec{};

  const std::vector<HistogramSeries> series = Read(kStartMs, kStartMs + 5000);

  ASSERT_EQ(series.size(), 5);
  EXPECT_EQ(series[1].metric, "m_1.0_2.0");
  EXPECT_THAT(PointsOf(series[1]), ElementsAre(Pair(kStartMs + 1000, 6), Pair(kStartMs + 2000, 7)));
  EXPECT_THAT(PointsOf(series[2]), ElementsAre(Pair(kStartMs + 1000, 2), Pair(kStartMs + 2000, 1)));
}

TEST_F(HistogramReaderTest, HistogramsOfTwoKindsAreNotSummed) {
  Write(0, kStartMs, {.buckets = {{0, 2, 1}}});
  WriteExponential(1, kStartMs + 1000, {.count = 1, .positive = {{0, 1}}});
  query_.percentiles = {50};
  query_.show_histogram_buckets = true;
  const std::vector<HistogramSeries> apart = Read(kStartMs, kStartMs + 1000);
  EXPECT_EQ(fault_, "");
  ASSERT_EQ(apart.size(), 8);
  EXPECT_THAT(PointsOf(apart[0]),
              ElementsAre(Pair(kStartMs, 1), Pair(kStartMs + 1000, testing::_)));

  query_.downsample = ParseDownsampleSpec("1h-sum").value();
  EXPECT_TRUE(Read(kStartMs, kStartMs + 1000).empty());
  EXPECT_EQ(fault_,
            "percentiles: expected histograms of one kind at 1356998400000 ms, got OpenTSDB's and "
            "exponential ones, which cannot be summed; query them apart, by tags or times");
}

}  // namespace
}  // namespace hourcell::histogram_reader_test
