#include "engine/tsdb.h"

#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

#include <rocksdb/env.h>

#include "codec/base/bytes.h"
#include "codec/base/clock.h"
#include "tests/support/builders.h"
#include "tests/support/fault_fs.h"
#include "tests/support/restless_env.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::tsdb_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::SizeIs;

constexpr int64_t kHour = 1356998400;

class TsdbTest : public testing::Test {
 protected:
  TsdbTest() : options_(TinyOptions(directory_.path())) {}

  void Open() {
    tsdb_.reset();
    auto opened = Tsdb::Open(options_);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
  }

  absl::Status Put(OwnedPoint point) {
    if (tsdb_ == nullptr) Open();
    return tsdb_->points().Put(point.view());
  }

  // The points of the one series a query gives.
  std::vector<std::pair<int64_t, double>> Points(const QuerySpec& spec) {
    const auto result = tsdb_->queries().Query(spec);
    EXPECT_OK(result);
    std::vector<std::pair<int64_t, double>> points;
    if (!result.ok() || result->series.size() != 1) return points;
    for (const ResultPoint& point : result->series[0].points) {
      points.emplace_back(point.ms - kHour * 1000, point.value.ToDouble());
    }
    return points;
  }

  std::vector<std::string> ScanHex() {
    std::vector<std::string> lines;
    EXPECT_OK(tsdb_->queries().Scan({}, [&](const ScannedRow& row) {
      lines.push_back(ToHex(row.key) + " " + ToHex(row.qualifiers) + " " + ToHex(row.values));
      return true;
    }));
    return lines;
  }

  TempDir directory_;
  ManualClock clock_{1000};  // for those that set it; outlives the store
  Options options_;
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(TsdbTest, AnswersWithWhatWasPut) {
  ASSERT_OK(Put({"m", "h=a", kHour + 5, 42}));
  ASSERT_OK(Put({"m", "h=a", kHour + 3605, 43}));

  EXPECT_THAT(Points(MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour + 7200)),
              ElementsAre(Pair(5000, 42), Pair(3605000, 43)));
}

TEST_F(TsdbTest, StoresOpenTsdbsBytes) {
  ASSERT_OK(Put({"m", "h=a", kHour, 42}));
  ASSERT_OK(
      Put({"m", "h=a", Timestamp{.ms = kHour * 1000 + 1500, .is_ms = true}, Value::Float(0.5)}));

  EXPECT_THAT(ScanHex(), ElementsAre("00000150e22700000001000001 0000f001770b 2a3f00000001"));
}

TEST_F(TsdbTest, KeepsEverythingAcrossAReopen) {
  ASSERT_OK(Put({"m", "h=a", kHour, 1}));
  ASSERT_OK(tsdb_->Close());
  Open();
  ASSERT_OK(Put({"m", "h=b", kHour, 2}));

  EXPECT_THAT(ScanHex(), ElementsAre("00000150e22700000001000001 0000 01",
                                     "00000150e22700000001000002 0000 02"));
  EXPECT_THAT(tsdb_->names().Suggest(UidKind::kTagv, "", 10), IsOkAndHolds(ElementsAre("a", "b")));
}

TEST_F(TsdbTest, TheLastWriteOfAnInstantWins) {
  ASSERT_OK(Put({"m", "h=a", kHour + 1, 1}));
  ASSERT_OK(Put({"m", "h=a", Timestamp{.ms = (kHour + 1) * 1000}, Value::Float(2.5)}));
  ASSERT_OK(tsdb_->maintenance().Flush());
  ASSERT_OK(
      Put({"m", "h=a", Timestamp{.ms = (kHour + 1) * 1000, .is_ms = true}, Value::Integer(300)}));

  EXPECT_THAT(Points(MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour + 60)),
              ElementsAre(Pair(1000, 300)));
}

TEST_F(TsdbTest, OfABatchTheLaterPointWins) {
  Open();
  OwnedPoint first("m", "h=a", kHour, 1);
  OwnedPoint second("m", "h=a", kHour, 2);
  const PointView batch[] = {first.view(), second.view()};

  ASSERT_OK(tsdb_->points().Append(batch, nullptr).Wait());

  EXPECT_THAT(Points(MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour)), ElementsAre(Pair(0, 2)));
}

TEST_F(TsdbTest, RefusesBadPointsOneByOne) {
  Open();
  OwnedPoint bad_name("m m", "h=a", kHour, 1);
  OwnedPoint good("m", "h=a", kHour, 1);
  OwnedPoint nan("m", "h=a", Timestamp{.ms = kHour * 1000}, Value::Float(std::nan("")));
  OwnedPoint late("m", "h=a", Timestamp{.ms = 4294967296000, .is_ms = true}, Value::Integer(1));
  OwnedPoint untagged("m", "", kHour, 1);
  OwnedPoint twice("m", "h=a h=b", kHour, 1);
  const PointView batch[] = {bad_name.view(), good.view(),     nan.view(),
                             late.view(),     untagged.view(), twice.view()};
  std::vector<RefusedPoint> refused;

  ASSERT_OK(tsdb_->points().Append(batch, &refused).Wait());

  ASSERT_THAT(refused, SizeIs(5));
  EXPECT_EQ(refused[0].index, 0u);
  EXPECT_EQ(refused[1].error.text, "value is NaN or Infinite: NaN");
  EXPECT_THAT(refused[2].error.text, HasSubstr("bad timestamp=4294967296000"));
  EXPECT_EQ(refused[3].error.text, "Need at least one tag (metric=m, tags={})");
  EXPECT_EQ(refused[4].error.text, "duplicate tag: h=b");
  EXPECT_THAT(ScanHex(), SizeIs(1));
}

TEST_F(TsdbTest, GroupsByTagAndFiltersByLiteral) {
  for (const char* const tags : {"h=a dc=x", "h=b dc=x", "h=c dc=y"}) {
    ASSERT_OK(Put({"m", tags, kHour, 1}));
  }
  const auto query = [&](std::string filter, FilterType type, bool group_by) {
    return tsdb_->queries().Query(
        MakeQuery(Aggregator::kSum, "m", {{"h", type, std::move(filter), group_by}}, kHour, kHour));
  };

  EXPECT_THAT(query("*", FilterType::kWildcard, true)->series, SizeIs(3));
  const auto two = query("a|c", FilterType::kLiteralOr, false);
  ASSERT_THAT(two->series, SizeIs(1));
  EXPECT_EQ(two->series[0].points[0].value, Value::Integer(2));
  EXPECT_THAT(two->series[0].aggregate_tags, ElementsAre("h", "dc"));
  EXPECT_THAT(query("^[bc]$", FilterType::kRegexp, true)->series, SizeIs(2));
}

TEST_F(TsdbTest, OneSeriesOfManyIsReadAlone) {
  Open();
  for (int i = 0; i < 100; ++i)
    ASSERT_OK(Put({"m", "h=" + std::to_string(i), kHour, i}));

  const auto result = tsdb_->queries().Query(MakeQuery(
      Aggregator::kSum, "m", {{"h", FilterType::kLiteralOr, "42", false}}, kHour, kHour + 3599));

  ASSERT_OK(result);
  EXPECT_EQ(result->rows_read, 1u);
  EXPECT_EQ(result->series[0].points[0].value, Value::Integer(42));
}

TEST_F(TsdbTest, PointReadsAndLinearScanAgree) {
  Open();
  for (int hour = 0; hour < 5; ++hour) {
    for (int i = 0; i < 20; ++i) {
      ASSERT_OK(Put({"m", "h=" + std::to_string(i), kHour + 3600 * hour + i, i}));
    }
  }
  const auto sum_of = [&](std::string hosts) {
    return Points(MakeQuery(Aggregator::kSum, "m",
                            {{"h", FilterType::kLiteralOr, std::move(hosts), false}}, kHour,
                            kHour + 5 * 3600));
  };

  EXPECT_EQ(sum_of("7").size(), 5u);             // one of twenty: point reads
  EXPECT_EQ(sum_of("7|8|9|10|11").size(), 25u);  // a quarter: a scan
}

TEST_F(TsdbTest, SaltedStoresAnswerTheSame) {
  options_.layout.salt_width = 1;
  options_.layout.salt_buckets = 4;
  Open();
  for (int i = 0; i < 20; ++i)
    ASSERT_OK(Put({"m", "h=" + std::to_string(i), kHour, 1}));

  EXPECT_THAT(Points(MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour)), ElementsAre(Pair(0, 20)));
  EXPECT_THAT(Points(MakeQuery(Aggregator::kSum, "m", {{"h", FilterType::kLiteralOr, "3", false}},
                               kHour, kHour)),
              ElementsAre(Pair(0, 1)));
}

TEST_F(TsdbTest, UnknownNamesAreNotFound) {
  ASSERT_OK(Put({"m", "h=a", kHour, 1}));
  const auto status = [&](std::string metric, std::string tagk, std::string tagv) {
    return tsdb_->queries()
        .Query(MakeQuery(Aggregator::kSum, std::move(metric),
                         {{std::move(tagk), FilterType::kLiteralOr, std::move(tagv), false}}, kHour,
                         kHour))
        .status();
  };

  EXPECT_THAT(status("none", "h", "a"), StatusIs(absl::StatusCode::kNotFound,
                                                 HasSubstr("No such name for 'metrics': 'none'")));
  EXPECT_THAT(status("m", "none", "a"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(status("m", "h", "none"), StatusIs(absl::StatusCode::kNotFound));
  options_.skip_unresolved_tagvs = true;
  Open();
  EXPECT_OK(status("m", "h", "none"));
}

TEST_F(TsdbTest, AQueryOverItsLimitIsRefused) {
  options_.query_limits.points = 10;
  Open();
  for (int i = 0; i < 20; ++i)
    ASSERT_OK(Put({"m", "h=a", kHour + i, i}));

  EXPECT_THAT(tsdb_->queries().Query(MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour + 60)),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("limit of 10 data points")));
}

TEST_F(TsdbTest, AQueryPastItsDeadlineIsGivenUp) {
  options_.clock = &clock_;
  ASSERT_OK(Put({"m", "h=a", kHour, 1}));
  QuerySpec spec = MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour);
  spec.deadline_ms = 999;

  EXPECT_THAT(tsdb_->queries().Query(spec), StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST_F(TsdbTest, ARenamedTagKeepsItsSeries) {
  ASSERT_OK(Put({"m", "h=a", kHour, 1}));
  ASSERT_OK(tsdb_->names().RenameUid(UidKind::kTagv, "a", "b"));
  ASSERT_OK(Put({"m", "h=b", kHour + 1, 2}));

  EXPECT_THAT(ScanHex(), ElementsAre("00000150e22700000001000001 00000010 010200"));
}

TEST_F(TsdbTest, DataOfADeletedNameStaysReadable) {
  ASSERT_OK(Put({"m", "h=a", kHour, 1}));
  ASSERT_OK(tsdb_->names().DeleteUid(UidKind::kTagv, "a"));

  const auto result = tsdb_->queries().Query(MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour));

  ASSERT_OK(result);
  EXPECT_THAT(result->series[0].tags, ElementsAre(Pair("h", "000001")));
}

// The directory of names remembers an assignment whose batch the disk refused.
TEST_F(TsdbTest, AUidThatADiskRefusedIsNotGivenOut) {
  const auto fs = std::make_shared<FaultFs>();
  const std::unique_ptr<rocksdb::Env> env = NewRestlessEnv(fs);
  options_.env = env.get();
  options_.sync = Durability::kAlways;
  Open();
  ASSERT_OK(tsdb_->names().AssignUid(UidKind::kMetric, "before"));
  fs->FailOn({.operations = FaultFs::kAllOperations, .is_lasting = true});

  EXPECT_THAT(tsdb_->names().AssignUid(UidKind::kMetric, "m"),
              StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(tsdb_->names().AssignUid(UidKind::kMetric, "m"),
              StatusIs(absl::StatusCode::kUnavailable));

  fs->Heal();
  absl::StatusOr<UidRow> row = tsdb_->names().AssignUid(UidKind::kMetric, "m");
  for (int i = 0; i < 600 && !row.ok(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    row = tsdb_->names().AssignUid(UidKind::kMetric, "m");
  }
  ASSERT_OK(row);
  tsdb_.reset();
  fs->LoseUnsynced(/*seed=*/1, FaultFs::Loss::kEnds);
  Open();
  const absl::StatusOr<UidRow> found = tsdb_->names().FindUid(UidKind::kMetric, "m");
  ASSERT_OK(found);
  EXPECT_EQ(found->uid_bytes, row->uid_bytes);
  tsdb_.reset();  // before its file system
}

TEST_F(TsdbTest, OpenRefusesAnotherLayoutAndASecondOpener) {
  ASSERT_OK(Put({"m", "h=a", kHour, 1}));
  EXPECT_THAT(Tsdb::Open(options_), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("in use")));
  ASSERT_OK(tsdb_->Close());

  options_.layout.metric_width = 4;

  EXPECT_THAT(Tsdb::Open(options_), StatusIs(absl::StatusCode::kFailedPrecondition,
                                             HasSubstr("tsd.storage.uid.width.metric")));
}

TEST_F(TsdbTest, OpenWithoutCreatingWantsAStore) {
  options_.path = directory_.file("none");
  options_.create_if_missing = false;

  EXPECT_THAT(Tsdb::Open(options_), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(TsdbTest, EveryCallFailsOnceClosed) {
  ASSERT_OK(Put({"m", "h=a", kHour, 1}));
  ASSERT_OK(tsdb_->Close());

  EXPECT_THAT(Put({"m", "h=a", kHour, 1}), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(tsdb_->queries().Query({}), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(tsdb_->maintenance().Flush(), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_OK(tsdb_->Close());
}

TEST_F(TsdbTest, ScanVisitsWholeHoursOfAMetric) {
  ASSERT_OK(Put({"m", "h=a", kHour + 10, 1}));
  ASSERT_OK(Put({"m", "h=a", kHour + 3610, 2}));
  ASSERT_OK(Put({"n", "h=a", kHour + 10, 3}));
  std::vector<int64_t> seen;

  ASSERT_OK(tsdb_->queries().Scan(
      {.metric = "m", .filters = {}, .start_ms = kHour * 1000, .end_ms = kHour * 1000 + 1},
      [&](const ScannedRow& row) {
        EXPECT_EQ(row.metric, "m");
        EXPECT_THAT(row.tags, ElementsAre(TagView{"h", "a"}));
        seen.push_back(row.times[0].ms / 1000 - kHour);
        return true;
      }));

  EXPECT_THAT(seen, ElementsAre(10));
}

TEST_F(TsdbTest, LsmCompactionTellsItsTablesAndEndsWhenItIsCancelled) {
  ASSERT_OK(Put({"m", "h=a", kHour, 1}));
  std::atomic<bool> cancelled{false};
  std::vector<std::string> tables;
  const auto compact = [&](std::string_view last) {
    tables.clear();
    return tsdb_->maintenance().Compact(
        {.cancelled = &cancelled,
         .progress = [&](std::string_view table, size_t done, size_t total) {
           EXPECT_EQ(done, tables.size());
           EXPECT_EQ(total, 5u);
           tables.emplace_back(table);
           cancelled = table == last;
         }});
  };
  EXPECT_THAT(compact("series"),
              StatusIs(absl::StatusCode::kCancelled, HasSubstr("compact series: ended")));
  EXPECT_EQ(tables.back(), "series");
  EXPECT_LT(tables.size(), 5u);
  EXPECT_OK(compact("none"));
  EXPECT_EQ(tables.size(), 5u);
  EXPECT_THAT(Points(MakeQuery(Aggregator::kSum, "m", {}, kHour, kHour + 1)),
              ElementsAre(Pair(0, 1.0)));
}

}  // namespace
}  // namespace hourcell::tsdb_test
