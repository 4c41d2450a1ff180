#include "engine/histograms/histogram_scan.h"

#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::histogram_scan_test {
namespace {

using testing::ElementsAre;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr int64_t kHour = 1356998400;

class HistogramScanTest : public testing::Test {
 protected:
  HistogramScanTest() {
    auto opened = Tsdb::Open(TinyOptions(directory_.path()));
    HOURCELL_CHECK(opened.ok());
    tsdb_ = *std::move(opened);
  }

  void Append(std::string_view tags, Timestamp time, const SimpleHistogram& histogram) {
    OwnedPoint point("latency", tags, time, Value::Integer(0));
    const HistogramPoint one{.point = point.view(), .histogram = &histogram, .codec = 42};
    ASSERT_OK(tsdb_->points().AppendHistograms({&one, 1}, nullptr));
  }

  TempDir directory_;
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(HistogramScanTest, VisitsHistogramsWithTheirNames) {
  const SimpleHistogram first{.buckets = {{0, 2, 1}}, .overflow = 5};
  Append("host=a dc=lga", {.ms = kHour * 1000}, first);
  Append("host=b dc=lga", {.ms = kHour * 1000 + 1, .is_ms = true}, {.underflow = 3});
  OwnedPoint number("latency", "host=a dc=lga", kHour, 1);
  ASSERT_OK(tsdb_->points().Put(number.view()));
  const AnnotationEdit note{.tsuid = "", .start_time = kHour, .description = "deploy"};
  ASSERT_OK(tsdb_->annotations().Put({&note, 1}, AnnotationWrite::kReplace));

  std::vector<std::string> found;
  const auto visit = [&](std::span<const HistogramPoint> some) {
    for (const HistogramPoint& one : some) {
      std::set<std::string> tags;
      for (const TagView& tag : one.point.tags)
        tags.insert(fmt::format("{}={}", tag.key, tag.value));
      found.push_back(fmt::format("{} {} {} {} {}", one.point.metric, fmt::join(tags, " "),
                                  one.point.timestamp.ms, one.codec, one.histogram->underflow));
      if (one.histogram->underflow == 0) {
        EXPECT_EQ(*one.histogram, first);
      }
    }
    return absl::OkStatus();
  };
  EXPECT_OK(tsdb_->queries().VisitHistograms({}, visit));

  EXPECT_THAT(found, ElementsAre("latency dc=lga host=a 1356998400000 42 0",
                                 "latency dc=lga host=b 1356998400001 42 3"));
}

TEST_F(HistogramScanTest, VisitsTheSelectedSeriesAndTimes) {
  const SimpleHistogram histogram{.buckets = {{0, 2, 1}}};
  for (const std::string_view tags : {"host=a", "host=b", "host=c"}) {
    for (const int64_t hour : {0, 1, 2})
      Append(tags, {.ms = (kHour + 3600 * hour) * 1000}, histogram);
  }
  const auto visited = [&](const ScanSpec& spec) {
    std::vector<std::string> found;
    EXPECT_OK(tsdb_->queries().VisitHistograms(spec, [&](std::span<const HistogramPoint> some) {
      for (const HistogramPoint& one : some)
        found.push_back(
            fmt::format("{} {}", one.point.tags[0].value, one.point.timestamp.ms / 1000 - kHour));
      return absl::OkStatus();
    }));
    return found;
  };
  ScanSpec spec{.metric = "latency", .start_ms = kHour * 1000 + 1, .end_ms = (kHour + 7200) * 1000};

  EXPECT_THAT(
      visited({.metric = "", .start_ms = (kHour + 3600) * 1000, .end_ms = (kHour + 3600) * 1000}),
      UnorderedElementsAre("a 3600", "b 3600", "c 3600"));
  EXPECT_THAT(visited(spec), SizeIs(6));
  spec.filters.push_back(*ParseTagValueFilter("host", "a|c", /*group_by=*/false));
  EXPECT_THAT(visited(spec), UnorderedElementsAre("a 3600", "a 7200", "c 3600", "c 7200"));
  spec.metric = "no such";
  EXPECT_THAT(tsdb_->queries().VisitHistograms(
                  spec, [](std::span<const HistogramPoint>) { return absl::OkStatus(); }),
              StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(HistogramScanTest, VisitsManyInBatchesAndEndsAtAnError) {
  constexpr size_t kAll = 1001;
  const SimpleHistogram histogram{.buckets = {{0, 2, 1}}};
  std::vector<OwnedPoint> points;
  for (size_t i = 0; i < kAll; ++i)
    points.emplace_back("latency", "host=a", kHour + static_cast<int64_t>(i), 0);
  std::vector<HistogramPoint> histograms;
  for (OwnedPoint& point : points)
    histograms.push_back({.point = point.view(), .histogram = &histogram, .codec = 0});
  ASSERT_OK(tsdb_->points().AppendHistograms(histograms, nullptr));

  std::vector<size_t> batches;
  const auto count = [&](std::span<const HistogramPoint> some) {
    batches.push_back(some.size());
    return absl::OkStatus();
  };
  EXPECT_OK(tsdb_->queries().VisitHistograms({}, count));
  EXPECT_THAT(batches, ElementsAre(1000, 1));
  batches.clear();
  const auto end = [&](std::span<const HistogramPoint> some) {
    batches.push_back(some.size());
    return absl::CancelledError("enough");
  };
  EXPECT_THAT(tsdb_->queries().VisitHistograms({}, end), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(batches, SizeIs(1));
}

}  // namespace
}  // namespace hourcell::histogram_scan_test
