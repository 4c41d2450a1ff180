#include "engine/parallel_scan.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "engine/region_admin.h"
#include "engine/regions/region_name.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/sanitizers.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::parallel_scan_test {
namespace {

using testing::Each;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kHour = 1356998400;
constexpr int kSeries = 10;
constexpr int kHours = 40;
constexpr int kPoints = kIsSanitized ? 15 : 60;  // of an hour
constexpr size_t kWorkerCounts[] = {1, 2, 7};

struct Variant {
  uint32_t salt_buckets = 0;  // 0: no salt
  int regions = 1;

  std::string Name() const { return fmt::format("Salt{}Regions{}", salt_buckets, regions); }
  friend void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.Name(); }
};

// A store of two metrics: most hours are in files, some in memory as cells, and the last ones open.
class ParallelScanTest : public testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    Options options = TinyOptions(directory_.file("store"));
    options.seal_in_background = false;
    options.query_threads = 1;
    options.write_buffer_bytes = 1 << 20;
    if (GetParam().salt_buckets > 0) {
      options.layout.salt_width = 1;
      options.layout.salt_buckets = GetParam().salt_buckets;
    }
    tsdb_ = *Tsdb::Open(options);
    Fill("m", 0, kHours / 2);
    ASSERT_OK(tsdb_->maintenance().Flush());
    for (int i = 1; i < GetParam().regions; ++i)
      Split(CutText(i * kHours / GetParam().regions));
    Fill("m", kHours / 2, kHours - 5);
    Fill("other", 3, 5);
    ASSERT_OK(tsdb_->maintenance().Seal());
    Fill("m", kHours - 6, kHours);  // one is sealed and open
    // The contents, by a scan that is not parallel.
    ASSERT_OK(tsdb_->queries().Scan(spec(), [this](const ScannedRow& row) {
      want_.emplace(std::string(row.key), TextOf(row));
      return true;
    }));
    ASSERT_THAT(want_, SizeIs(kSeries * kHours));
    ASSERT_THAT(*tsdb_->maintenance().regions()->List("data", ListDetail::kPlain),
                SizeIs(GetParam().regions));
  }

  void Fill(const std::string& metric, int first_hour, int last_hour) {
    std::vector<OwnedPoint> points;
    for (int series = 0; series < kSeries; ++series) {
      for (int i = first_hour * kPoints; i < last_hour * kPoints; ++i) {
        points.emplace_back(metric, fmt::format("host=h{}", series),
                            Timestamp{.ms = (kHour + i * 3600 / kPoints) * 1000},
                            Value::Float(random_.Fraction()));
      }
    }
    std::vector<PointView> views;
    for (OwnedPoint& point : points)
      views.push_back(point.view());
    std::vector<RefusedPoint> refused;
    ASSERT_OK(tsdb_->points().Append(views, &refused).Wait());
    ASSERT_THAT(refused, IsEmpty());
  }

  // Where the rows of metric m's hour begin; of salted rows in some bucket.
  std::string CutText(int hour) const {
    const uint32_t base = static_cast<uint32_t>(kHour) + static_cast<uint32_t>(hour) * 3600;
    std::string text;
    if (GetParam().salt_buckets > 0) {
      text =
          fmt::format("\\x{:02x}", static_cast<uint32_t>(hour) * GetParam().salt_buckets / kHours);
    }
    return text + fmt::format("\\x00\\x00\\x01\\x{:02x}\\x{:02x}\\x{:02x}\\x{:02x}", base >> 24,
                              base >> 16 & 0xff, base >> 8 & 0xff, base & 0xff);
  }
  void Split(const std::string& at) {
    ASSERT_OK(tsdb_->maintenance().regions()->Split({.region = at, .at = at}).status());
  }

  static std::string TextOf(const ScannedRow& row) {
    double sum = 0;  // in which each point has a different weight
    for (size_t i = 0; i < row.times.size(); ++i)
      sum += row.point_values[i].ToDouble() * static_cast<double>(row.times[i].ms % 3'600'000 + 1);
    return fmt::format("{} {} {}: {} points, {}", row.metric, row.tags[0].value, row.base_time_s,
                       row.times.size(), sum);
  }
  static ScanSpec spec() { return {.metric = "m"}; }
  static ParallelScanOptions Workers(size_t workers) {
    return {.workers = workers, .task_bytes_max = 64 << 10};
  }
  std::unique_ptr<ParallelScan> Plan(const ScanSpec& of, size_t workers) {
    auto scan = tsdb_->queries().PlanScan(of, Workers(workers));
    EXPECT_OK(scan.status());
    return *std::move(scan);
  }

  using Rows = std::multimap<std::string, std::string>;
  static Rows RowsOf(ParallelScan* scan) {
    const auto rows = scan->Reduce(
        Rows(),
        [](const ScannedRow& row, Rows* of_worker) {
          of_worker->emplace(std::string(row.key), TextOf(row));
        },
        [](Rows from, Rows* to) { to->merge(from); });
    EXPECT_OK(rows.status());
    return *rows;
  }

  // The rows in the order in which they came.
  static std::vector<std::string> OrderOf(ParallelScan* scan, Rows* rows) {
    std::vector<std::string> order;
    EXPECT_OK(scan->RunInOrder([&](const ScannedRow& row) {
      rows->emplace(std::string(row.key), TextOf(row));
      order.emplace_back(row.key.substr(GetParam().salt_buckets > 0 ? 1 : 0));
      return true;
    }));
    return order;
  }

  TempDir directory_;
  Random random_{1};
  std::unique_ptr<Tsdb> tsdb_;
  Rows want_;
};

TEST_P(ParallelScanTest, VisitsEachRowOnce) {
  for (const size_t workers : kWorkerCounts) {
    const std::unique_ptr<ParallelScan> scan = Plan(spec(), workers);
    EXPECT_LE(scan->workers(), workers);
    EXPECT_THAT(scan->WorkerBytes(), SizeIs(scan->workers()));
    if (GetParam().regions > 1 || GetParam().salt_buckets > 0) {
      EXPECT_EQ(scan->workers(), workers);
    }
    EXPECT_EQ(RowsOf(scan.get()), want_) << workers;
    EXPECT_EQ(RowsOf(scan.get()), want_) << "again, " << workers;
  }
}

TEST_P(ParallelScanTest, InOrderVisitsEachRowOnceByTimeAndSeries) {
  for (const size_t workers : kWorkerCounts) {
    Rows rows;
    const std::vector<std::string> order = OrderOf(Plan(spec(), workers).get(), &rows);
    EXPECT_EQ(rows, want_) << workers;
    EXPECT_TRUE(std::ranges::is_sorted(order)) << workers;
  }
}

TEST_P(ParallelScanTest, WhatComesAfterThePlanChangesNoStoredRow) {
  std::vector<std::unique_ptr<ParallelScan>> scans;
  for (const size_t workers : kWorkerCounts)
    scans.push_back(Plan(spec(), workers));
  Split(CutText(7) + "\\x01");
  Split(CutText(33) + "\\x01");
  Fill("m", 0, kHours - 6);  // not into open hours
  Fill("m", kHours, kHours + 3);
  ASSERT_OK(tsdb_->maintenance().Flush());
  const auto listed = tsdb_->maintenance().regions()->List("data", ListDetail::kPlain);
  ASSERT_OK(tsdb_->maintenance().regions()->Merge(
      "data", {std::to_string((*listed)[0].id), std::to_string((*listed)[1].id)}));
  ASSERT_OK(tsdb_->maintenance().Compact());

  for (const std::unique_ptr<ParallelScan>& scan : scans) {
    EXPECT_EQ(RowsOf(scan.get()), want_);
    Rows rows;
    EXPECT_TRUE(std::ranges::is_sorted(OrderOf(scan.get(), &rows)));
    EXPECT_EQ(rows, want_);
  }
}

TEST_P(ParallelScanTest, TheWholeTableIsAScanToo) {
  ScanSpec all;
  all.start_ms = (kHour + 2 * 3600) * 1000;
  all.end_ms = (kHour + 4 * 3600) * 1000;
  Rows want;
  ASSERT_OK(tsdb_->queries().Scan(all, [&](const ScannedRow& row) {
    want.emplace(std::string(row.key), TextOf(row));
    return true;
  }));
  ASSERT_THAT(want, SizeIs(kSeries * (3 + 2)));
  for (const size_t workers : kWorkerCounts) {
    const std::unique_ptr<ParallelScan> scan = Plan(all, workers);
    EXPECT_EQ(RowsOf(scan.get()), want);
    Rows rows;
    EXPECT_TRUE(std::ranges::is_sorted(OrderOf(scan.get(), &rows)));
    EXPECT_EQ(rows, want);
  }
}

TEST_P(ParallelScanTest, RegionsCountTheirRowsAndPoints) {
  for (const size_t workers : kWorkerCounts) {
    const std::unique_ptr<ParallelScan> scan = Plan(spec(), workers);
    for (int run = 0; run < 2; ++run) {
      ASSERT_OK(scan->Run([](size_t, const ScannedRow&) { return absl::OkStatus(); }));
      uint64_t rows = 0;
      uint64_t points = 0;
      for (const ScannedRegion& region : scan->regions()) {
        rows += region.rows;
        points += region.points;
        EXPECT_GE(region.us, 0);
        EXPECT_THAT(region.name, testing::StartsWith("data,"));
      }
      EXPECT_EQ(rows, want_.size());
      EXPECT_EQ(points, want_.size() * kPoints);
    }
    EXPECT_THAT(scan->regions(), SizeIs(testing::Le(static_cast<size_t>(GetParam().regions))));
  }
}

TEST_P(ParallelScanTest, AReductionHasAResultForEachRegion) {
  for (const size_t workers : kWorkerCounts) {
    const std::unique_ptr<ParallelScan> scan = Plan(spec(), workers);
    const auto of_regions = scan->ReduceByRegion(
        Rows(),
        [](const ScannedRow& row, Rows* rows) {
          rows->emplace(std::string(row.key), TextOf(row));
          return absl::OkStatus();
        },
        [](Rows from, Rows* to) {
          to->merge(from);
          return absl::OkStatus();
        });
    ASSERT_OK(of_regions.status());
    const std::vector<ScannedRegion> regions = scan->regions();
    ASSERT_THAT(*of_regions, SizeIs(regions.size()));
    Rows all;
    for (size_t i = 0; i < regions.size(); ++i) {
      EXPECT_THAT((*of_regions)[i], SizeIs(regions[i].rows));
      for (const auto& [key, text] : (*of_regions)[i]) {
        const std::string start = *FromStringBinary(regions[i].start);
        const std::string end = *FromStringBinary(regions[i].end);
        EXPECT_TRUE(key >= start && (end.empty() || key < end)) << regions[i].name;
        all.emplace(key, text);
      }
    }
    EXPECT_EQ(all, want_);
  }
}

// Properties that do not depend on how a table is cut.
class ParallelScanDetailTest : public ParallelScanTest {};

TEST_P(ParallelScanDetailTest, AFilterSelectsRows) {
  ScanSpec some = spec();
  some.filters = {{"host", FilterType::kLiteralOr, "h3|h7", false}};
  EXPECT_THAT(RowsOf(Plan(some, 3).get()), SizeIs(2 * kHours));
}

TEST_P(ParallelScanDetailTest, TheFirstErrorEndsAllWorkers) {
  const std::unique_ptr<ParallelScan> scan = Plan(spec(), 7);
  const size_t failing = scan->workers() - 1;
  std::vector<size_t> rows(scan->workers());
  EXPECT_THAT(scan->Run([&](size_t worker, const ScannedRow& /*row*/) {
    ++rows[worker];
    return worker == failing ? absl::AbortedError("enough") : absl::OkStatus();
  }),
              StatusIs(absl::StatusCode::kAborted, "enough"));
  EXPECT_EQ(rows[failing], 1u);
  EXPECT_EQ(RowsOf(scan.get()), want_);
}

TEST_P(ParallelScanDetailTest, ACancelledScanEnds) {
  const std::unique_ptr<ParallelScan> scan = Plan(spec(), 7);
  std::vector<size_t> rows(scan->workers());
  EXPECT_THAT(scan->Run([&](size_t worker, const ScannedRow& /*row*/) {
    ++rows[worker];
    scan->Cancel();
    return absl::OkStatus();
  }),
              StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(rows, Each(testing::Le(1u)));
  EXPECT_THAT(scan->RunInOrder([](const ScannedRow&) { return true; }),
              StatusIs(absl::StatusCode::kCancelled));
}

TEST_P(ParallelScanDetailTest, AnErrorOfAReductionEndsIt) {
  const auto keep = [](int, int*) { return absl::OkStatus(); };
  const auto fail = [](const ScannedRow&, int*) { return absl::AbortedError("enough"); };
  EXPECT_THAT(Plan(spec(), 7)->ReduceByRegion(0, fail, keep).status(),
              StatusIs(absl::StatusCode::kAborted, "enough"));
  EXPECT_THAT(Plan(spec(), 7)
                  ->ReduceByRegion(
                      0, [](const ScannedRow&, int*) { return absl::OkStatus(); },
                      [](int, int*) { return absl::AbortedError("no merge"); })
                  .status(),
              StatusIs(absl::StatusCode::kAborted, "no merge"));
}

TEST_P(ParallelScanDetailTest, ItsOwnerCanStopItAtRowsThatAreNotVisited) {
  std::atomic<int> stored{0};
  ParallelScanOptions options = Workers(7);
  options.should_stop = [&stored] { return ++stored > 20; };
  ScanSpec none = spec();
  none.filters = {{"host", FilterType::kLiteralOr, "h3", false}};
  const auto count_none = [](size_t, const ScannedRow&) { return absl::OkStatus(); };

  const auto scan = tsdb_->queries().PlanScan(none, options);
  ASSERT_OK(scan.status());
  EXPECT_THAT((*scan)->Run(count_none), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_LE(stored, 20 + 7);

  stored = 0;
  const auto in_order = tsdb_->queries().PlanScan(none, options);
  ASSERT_OK(in_order.status());
  EXPECT_THAT((*in_order)->RunInOrder([](const ScannedRow&) { return true; }),
              StatusIs(absl::StatusCode::kCancelled));
}

TEST_P(ParallelScanDetailTest, InOrderEndsWhenItsReaderHasEnough) {
  const std::unique_ptr<ParallelScan> scan = Plan(spec(), 7);
  int rows = 0;
  EXPECT_OK(scan->RunInOrder([&](const ScannedRow& row) {
    EXPECT_EQ(row.base_time_s, static_cast<uint32_t>(kHour));
    return ++rows < 3;
  }));
  EXPECT_EQ(rows, 3);
}

TEST_P(ParallelScanDetailTest, OpenTsdbBytesAreThereIfTheyAreWanted) {
  ParallelScanOptions with_bytes = Workers(2);
  with_bytes.opentsdb_bytes = true;
  for (const bool wanted : {false, true}) {
    const auto scan = tsdb_->queries().PlanScan(spec(), wanted ? with_bytes : Workers(2));
    ASSERT_OK(scan.status());
    ASSERT_OK((*scan)->RunInOrder([&](const ScannedRow& row) {
      EXPECT_EQ(row.qualifiers.size(), wanted ? 2 * row.times.size() : 0);
      return false;
    }));
  }
}

std::vector<Variant> AllVariants() {
  std::vector<Variant> variants;
  for (const uint32_t salt_buckets : {0u, 20u}) {
    for (const int regions : {1, 20})
      variants.push_back({salt_buckets, regions});
  }
  return variants;
}

INSTANTIATE_TEST_SUITE_P(Stores,
                         ParallelScanTest,
                         testing::ValuesIn(AllVariants()),
                         [](const auto& param_info) { return param_info.param.Name(); });

INSTANTIATE_TEST_SUITE_P(Stores,
                         ParallelScanDetailTest,
                         testing::Values(Variant{.salt_buckets = 20, .regions = 20}),
                         [](const auto& param_info) { return param_info.param.Name(); });

TEST(ParallelScanErrorsTest, SaysWhatIsWrong) {
  const TempDir directory;
  const auto tsdb = *Tsdb::Open(TinyOptions(directory.file("store")));
  EXPECT_THAT(tsdb->queries().PlanScan({.metric = "nothing"}).status(),
              StatusIs(absl::StatusCode::kNotFound));
  const auto empty = tsdb->queries().PlanScan({});
  ASSERT_OK(empty.status());
  EXPECT_EQ((*empty)->workers(), 1u);
  EXPECT_OK((*empty)->RunInOrder([](const ScannedRow&) { return true; }));
}

}  // namespace
}  // namespace hourcell::parallel_scan_test
