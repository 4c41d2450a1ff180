#include "engine/table/retention.h"

#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/clock.h"
#include "engine/rows/system_table.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"
#include "tests/support/store_copy.h"
#include "tests/support/temp_dir.h"

namespace hourcell::retention_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr int64_t kHour = 1356998400;
constexpr int64_t kNow = kHour + 10 * 3600;

TEST(RetentionRulesTest, AMetricsOwnTtlCountsOrElseTheStores) {
  const RetentionRules rules{.store_ttl_s = 100, .metric_ttl_s = {{1, 50}, {2, 0}}};
  EXPECT_EQ(rules.ExpiresBeforeMs(1, 1'000'000), 950'000);
  EXPECT_EQ(rules.ExpiresBeforeMs(2, 1'000'000), 0) << "0 is for ever, not nothing of its own";
  EXPECT_EQ(rules.ExpiresBeforeMs(3, 1'000'000), 900'000);
  EXPECT_EQ(rules.ExpiresBeforeMs(kNoUid, 1'000'000), 900'000);
  EXPECT_EQ(rules.ShortestTtlS(), 50);
}

TEST(RetentionRulesTest, NothingExpiresBeforeTimeBegins) {
  EXPECT_EQ((RetentionRules{.store_ttl_s = 100}.ExpiresBeforeMs(1, 99'000)), 0);
  EXPECT_EQ((RetentionRules{.store_ttl_s = kTtlMaxS}.ExpiresBeforeMs(1, kTimestampMsMax)), 999);
}

TEST(RetentionRulesTest, OfARangeOfMetricsTheLongestTtlCounts) {
  const RetentionRules rules{.store_ttl_s = 100, .metric_ttl_s = {{5, 300}, {7, 0}, {9, 10}}};
  const auto before = [&](Uid first, Uid last) {
    return rules.FilesExpireBeforeMs(first, last, 1'000'000);
  };
  EXPECT_EQ(before(1, 4), 900'000);
  EXPECT_EQ(before(1, 5), 700'000);
  EXPECT_EQ(before(5, 8), 0);
  EXPECT_EQ(before(8, 20), 900'000) << "others of the range have the store's";
  EXPECT_EQ(before(9, 9), 990'000);
}

TEST(RetentionRulesTest, ALongerTtlOfFilesKeepsRowsAndNotPoints) {
  const RetentionRules rules{.store_ttl_s = 100,
                             .metric_ttl_s = {{1, 50}, {2, 60}, {3, 400}},
                             .file_ttl_s = {{kNoUid, 200}, {1, 70}, {3, 300}, {5, 250}}};
  EXPECT_EQ(rules.ExpiresBeforeMs(1, 1'000'000), 950'000);
  EXPECT_EQ(rules.ExpiresBeforeMs(4, 1'000'000), 900'000);
  const auto files = [&](Uid metric) { return rules.FilesExpireBeforeMs(metric, 1'000'000); };
  EXPECT_EQ(files(1), 930'000);
  EXPECT_EQ(files(2), 940'000) << "the store's TTL of files is of metrics without their own TTL";
  EXPECT_EQ(files(3), 600'000) << "its own TTL is longer";
  EXPECT_EQ(files(4), 800'000);
  EXPECT_EQ(files(5), 750'000);
  EXPECT_EQ(rules.FilesExpireBeforeMs(1, 2, 1'000'000), 800'000);
  EXPECT_EQ(rules.FilesExpireBeforeMs(4, 9, 1'000'000), 750'000);
  EXPECT_EQ(rules.ShortestTtlS(), 50);
  EXPECT_EQ((RetentionRules{.store_ttl_s = 9, .file_ttl_s = {{kNoUid, 0}}}.FileTtlS(1)), 0);
}

TEST(RetentionTest, NothingExpiresUntilRulesAreSet) {
  Retention retention;
  ManualClock clock(kNow * 1000);
  const RowExpiry expiry(Layout(), &retention, &clock);
  EXPECT_EQ(retention.rules(), nullptr);
  EXPECT_EQ(expiry.MayExpireBeforeMs(), 0);
  EXPECT_EQ(expiry.ExpiresBeforeMs(1), 0);

  std::string key;
  expiry.row_keys().Append(std::string("\0\0\1\0\0\1\0\0\1", 9), 3600, &key);
  RowExpiry::Pass pass(expiry);
  EXPECT_FALSE(pass.is_any());
  EXPECT_FALSE(pass.IsExpired(key));

  retention.Set({.store_ttl_s = 3600});
  EXPECT_FALSE(pass.IsExpired(key)) << "a pass sees one moment";
  EXPECT_TRUE(RowExpiry::Pass(expiry).IsExpired(key));
  EXPECT_EQ(expiry.MayExpireBeforeMs(), (kNow - 3600) * 1000);
}

// For every row of three metrics, by every order of the fields: expired iff its last point is, and
// each row that EndOfExpired skips is expired too.
TEST(RowExpiryTest, ARowIsExpiredOnceItsLastPossiblePointIs) {
  std::vector<Layout> layouts(3);
  layouts[1].salt_width = 1;
  layouts[1].salt_buckets = 4;
  layouts[2].salt_width = 2;
  layouts[2].fields = {RowField::kBaseTime, RowField::kSalt, RowField::kMetric, RowField::kTags};
  for (const Layout& layout : layouts) {
    Retention retention;
    // Metric 1 expires up to two hours ago; 2 never; 3 up to an instant in the middle of an hour.
    retention.Set({.store_ttl_s = 7200, .metric_ttl_s = {{2, 0}, {3, 5 * 3600 + 1}}});
    ManualClock clock(kNow * 1000);
    const RowExpiry expiry(layout, &retention, &clock);
    std::map<std::string, bool> rows;  // key -> is expired
    for (Uid metric = 1; metric <= 3; ++metric) {
      const TagUids tags[] = {{.tagk = 1, .tagv = metric * 7}};
      const std::string tsuid = EncodeTsuid(layout, metric, tags);
      for (int64_t hour = 0; hour <= 10; ++hour) {
        std::string key;
        expiry.row_keys().Append(tsuid, static_cast<uint32_t>(kHour + hour * 3600), &key);
        rows[key] = (metric == 1 && hour < 8) || (metric == 3 && hour < 4);
        // An hour of 1970-01-01, whose key is between those of days.
        key.clear();
        expiry.row_keys().Append(tsuid, static_cast<uint32_t>(hour * 3600), &key);
        rows[key] = metric != 2;
      }
      for (int64_t day = -3; day <= 1; ++day) {
        std::string key;
        expiry.row_keys().AppendDay(tsuid, static_cast<uint32_t>(kHour + day * 86'400), &key);
        rows[key] = metric != 2 && day < 0;
      }
    }
    RowExpiry::Pass pass(expiry);
    int skips = 0;
    for (auto row = rows.begin(); row != rows.end(); ++row) {
      SCOPED_TRACE(FormatLayout(layout) + ToHex(row->first));
      ASSERT_EQ(pass.IsExpired(row->first), row->second);
      if (!row->second) continue;
      const std::string end = pass.EndOfExpired(row->first);
      if (end.empty()) continue;
      EXPECT_NE(layout.fields[0], RowField::kBaseTime);
      ++skips;
      ASSERT_GT(end, row->first);
      for (auto skipped = row; skipped != rows.end() && skipped->first < end; ++skipped)
        ASSERT_TRUE(skipped->second);
    }
    EXPECT_EQ(skips, layout.fields[0] == RowField::kBaseTime ? 0 : 8 + 4 + 3 + 3);
    EXPECT_FALSE(pass.IsExpired("not a row's key"));
  }
}

TEST(TtlRecordsTest, AreReadAsWritten) {
  MemTableStore tables;
  const Layout layout;
  EXPECT_THAT(ReadMetricTtls(&tables), IsOkAndHolds(IsEmpty()));
  const auto write = [&](Uid metric, std::optional<int64_t> ttl_s) {
    const auto row = TtlSettingRow(layout, metric, ttl_s);
    ASSERT_OK(row);
    ASSERT_OK(tables.Apply({&*row, 1}, /*sync=*/true));
  };
  write(1, 60);
  write(0xABCDEF, 0);
  write(2, 5);
  write(2, std::nullopt);
  EXPECT_THAT(ReadMetricTtls(&tables),
              IsOkAndHolds(UnorderedElementsAre(Pair(1, 60), Pair(0xABCDEF, 0))));
  EXPECT_THAT(tables.Snapshot()->Get(TableId::kSystem, "ttl/ABCDEF"),
              IsOkAndHolds(testing::Optional(std::string("0"))));

  EXPECT_THAT(ReadStoreTtl(&tables), IsOkAndHolds(0));
  write(kNoUid, 3600);
  EXPECT_THAT(ReadStoreTtl(&tables), IsOkAndHolds(3600));
  EXPECT_THAT(tables.Snapshot()->Get(TableId::kSystem, "ttl"),
              IsOkAndHolds(testing::Optional(std::string("3600"))));
  EXPECT_THAT(ReadMetricTtls(&tables), IsOkAndHolds(SizeIs(2)));
}

TEST(TtlRecordsTest, DamageIsDataLossAndNotATtl) {
  for (const auto& [key, value] :
       std::map<std::string, std::string>{{"ttl/", "60"},
                                          {"ttl/00000", "60"},
                                          {"ttl/00000Z", "60"},
                                          {"ttl/000001", ""},
                                          {"ttl/000002", "-1"},
                                          {"ttl/000003", "60s"},
                                          {"ttl/000004", "4294967296"}}) {
    MemTableStore tables;
    const Mutation set{TableId::kSystem, Mutation::Kind::kSet, key, value};
    ASSERT_OK(tables.Apply({&set, 1}, false));
    EXPECT_THAT(ReadMetricTtls(&tables), StatusIs(absl::StatusCode::kDataLoss, HasSubstr(key)));
  }
}

// The whole store, on a clock of the test's.
class ExpiryTest : public testing::Test {
 protected:
  ExpiryTest() {
    options_.clock = &clock_;
    options_.seal_in_background = false;
  }

  void Open() {
    tsdb_.reset();
    auto opened = Tsdb::Open(options_);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
  }

  absl::Status Put(const std::string& metric, int64_t second, int64_t value = 1) {
    if (tsdb_ == nullptr) Open();
    return tsdb_->points().Put(OwnedPoint(metric, "host=h", kHour + second, value).view());
  }

  int64_t Stat(std::string_view name) {
    for (const StatSample& sample : tsdb_->stats().Snapshot()) {
      if (sample.name == name) return sample.value;
    }
    ADD_FAILURE() << "no stat " << name;
    return -1;
  }

  // Seconds after kHour at which a query of the metric sees points, which are those a scan sees.
  std::vector<int64_t> Seconds(const std::string& metric) {
    const auto result = tsdb_->queries().Query(
        MakeQuery(Aggregator::kSum, metric, {}, kHour - 86400, kHour + 86400));
    EXPECT_OK(result);
    std::vector<int64_t> seconds;
    if (!result.ok()) return seconds;
    for (const ResultSeries& series : result->series) {
      for (const ResultPoint& point : series.points)
        seconds.push_back(point.ms / 1000 - kHour);
    }
    for (const std::string& scanned : {metric, std::string()})
      EXPECT_EQ(ScannedSeconds(scanned, metric), seconds) << "by a scan of '" << scanned << "'";
    return seconds;
  }

  std::vector<int64_t> ScannedSeconds(const std::string& scanned, const std::string& metric) {
    std::vector<int64_t> seconds;
    ScanSpec spec;
    spec.metric = scanned;
    EXPECT_OK(tsdb_->queries().Scan(spec, [&](const ScannedRow& row) {
      if (row.metric != metric) return true;
      EXPECT_FALSE(row.times.empty());
      EXPECT_GE(row.qualifiers.size(), 2 * row.times.size());
      for (const Timestamp& time : row.times)
        seconds.push_back(time.ms / 1000 - kHour);
      return true;
    }));
    return seconds;
  }

  TempDir directory_;
  ManualClock clock_{kNow * 1000};
  Options options_ = TinyOptions(directory_.path() + "/store");
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(ExpiryTest, ExpiredPointsAreInvisibleAtOnceInOpenHoursAndInCells) {
  options_.ttl_s = 10 * 3600;
  for (const bool sealed : {false, true}) {
    options_.path = fmt::format("{}/{}", directory_.path(), sealed);
    clock_.Set(kNow * 1000);
    Open();
    for (const int64_t second : {0, 1, 1800, 3599, 3600, 36000})
      ASSERT_OK(Put("m", second));
    if (sealed) {
      ASSERT_OK(tsdb_->maintenance().Flush());
    }
    EXPECT_THAT(Seconds("m"), ElementsAre(0, 1, 1800, 3599, 3600, 36000)) << "exactly the TTL old";
    clock_.Advance(1000);
    EXPECT_THAT(Seconds("m"), ElementsAre(1, 1800, 3599, 3600, 36000));
    clock_.Advance(1799 * 1000);
    EXPECT_THAT(Seconds("m"), ElementsAre(1800, 3599, 3600, 36000));
    clock_.Advance(1800 * 1000);
    EXPECT_THAT(Seconds("m"), ElementsAre(3600, 36000));
    clock_.Advance(86400 * 1000);
    EXPECT_THAT(Seconds("m"), IsEmpty());
  }
}

TEST_F(ExpiryTest, AnExpiredLatePointIsAcceptedCountedAndNotStored) {
  options_.ttl_s = 3600;
  Open();
  ASSERT_OK(Put("m", 10 * 3600));
  ASSERT_OK(Put("m", 9 * 3600)) << "exactly the TTL old";
  ASSERT_OK(Put("m", 9 * 3600 - 1));
  ASSERT_OK(Put("new.name", 0));
  EXPECT_EQ(Stat("datapoints.expired"), 2);
  EXPECT_EQ(Stat("datapoints.added"), 2);
  EXPECT_EQ(Stat("datapoints.refused"), 0);
  EXPECT_THAT(tsdb_->names().Suggest(UidKind::kMetric, "", 10), IsOkAndHolds(ElementsAre("m")))
      << "an expired point makes no names";

  clock_.Set((kHour + 9 * 3600) * 1000);  // back, so that it would be visible
  EXPECT_THAT(Seconds("m"), ElementsAre(9 * 3600, 10 * 3600));
}

TEST_F(ExpiryTest, OfABatchOnlyTheExpiredPointsAreLeftOut) {
  options_.ttl_s = 3600;
  Open();
  ASSERT_OK(tsdb_->names().AssignUid(UidKind::kMetric, "for.ever"));
  ASSERT_OK(tsdb_->names().AssignUid(UidKind::kMetric, "short"));
  ASSERT_OK(tsdb_->retention().SetMetricTtl("for.ever", 0));
  ASSERT_OK(tsdb_->retention().SetMetricTtl("short", 60));
  OwnedPoint points[] = {{"for.ever", "host=h", kHour, 1},  {"short", "host=h", kNow - 61, 1},
                         {"m m", "host=h", kNow, 1},  // no metric's name
                         {"short", "host=h", kNow - 60, 1}, {"m", "host=h", kHour, 1},
                         {"m", "host=h", kNow - 3600, 1}};
  std::vector<PointView> batch;
  for (OwnedPoint& point : points)
    batch.push_back(point.view());
  std::vector<RefusedPoint> refused;
  ASSERT_OK(tsdb_->points().Append(batch, &refused).Wait());
  ASSERT_THAT(refused, SizeIs(1));
  EXPECT_EQ(refused[0].index, 2u);
  EXPECT_EQ(Stat("datapoints.expired"), 2);
  EXPECT_THAT(Seconds("for.ever"), ElementsAre(0));
  EXPECT_THAT(Seconds("short"), ElementsAre(10 * 3600 - 60));
  EXPECT_THAT(Seconds("m"), ElementsAre(9 * 3600));

  const LinePoint line{
      .metric = "m", .tags = "host=h", .timestamp = {.ms = kHour * 1000}, .value = {}};
  ASSERT_OK(tsdb_->points().Append({&line, 1}, &refused).Wait());
  EXPECT_EQ(Stat("datapoints.expired"), 3);
}

// A line's metric is a word as it came: bytes that are not UTF-8 are ISO-8859-1.
TEST_F(ExpiryTest, ALateLineInLatin1HasTheTtlOfItsMetric) {
  options_.ttl_s = 3600;
  Open();
  for (const char* const metric : {"caf\xc3\xa9", "th\xc3\xa9"})
    ASSERT_OK(tsdb_->names().AssignUid(UidKind::kMetric, metric));
  ASSERT_OK(tsdb_->retention().SetMetricTtl("caf\xc3\xa9", 0));
  ASSERT_OK(tsdb_->retention().SetMetricTtl("th\xc3\xa9", 60));
  const auto put = [&](std::string_view metric, int64_t time_s) {
    const LinePoint line{.metric = metric,
                         .tags = "host=h",
                         .timestamp = {.ms = time_s * 1000},
                         .value = Value::Integer(1)};
    return tsdb_->points().Append({&line, 1}, nullptr).Wait();
  };
  ASSERT_OK(put("caf\xe9", kNow - 7200));
  ASSERT_OK(put("caf\xc3\xa9", kNow - 7201));
  ASSERT_OK(put("th\xe9", kNow - 61));
  EXPECT_THAT(Seconds("caf\xc3\xa9"), ElementsAre(8 * 3600 - 1, 8 * 3600));
  EXPECT_EQ(Stat("datapoints.expired"), 1) << "by its own TTL, not by the store's";
}

// A program that opens the store without its settings sees the same points as its server.
TEST_F(ExpiryTest, TheStoresTtlIsKeptWithTheStore) {
  options_.ttl_s = 86400;
  ASSERT_OK(Put("m", 0));
  ASSERT_OK(Put("m", 10 * 3600));
  clock_.Advance(15 * 3600 * 1000);

  options_.ttl_s = {};
  Open();
  EXPECT_EQ(tsdb_->retention().store_ttl_s(), 86400);
  EXPECT_THAT(Seconds("m"), ElementsAre(10 * 3600));
  ASSERT_OK(Put("m", 1));
  EXPECT_EQ(Stat("datapoints.expired"), 1);
}

TEST_F(ExpiryTest, ATtlThatIsGivenReplacesTheOneThatIsKept) {
  for (const int64_t given : {86400, 60, 0, 3600}) {
    options_.ttl_s = given;
    Open();
    EXPECT_EQ(tsdb_->retention().store_ttl_s(), given);
    options_.ttl_s = {};
    Open();
    EXPECT_EQ(tsdb_->retention().store_ttl_s(), given);
  }
}

TEST_F(ExpiryTest, AMetricsTtlIsKeptWithTheStore) {
  options_.ttl_s = 86400;
  for (const char* const metric : {"a", "b", "c"})
    ASSERT_OK(Put(metric, 0));
  ASSERT_OK(tsdb_->retention().SetMetricTtl("a", 3600));
  ASSERT_OK(tsdb_->retention().SetMetricTtl("b", 0));
  ASSERT_OK(tsdb_->retention().SetMetricTtl("c", 60));
  ASSERT_OK(tsdb_->retention().SetMetricTtl("c", std::nullopt));
  EXPECT_THAT(Seconds("a"), IsEmpty()) << "at once";
  const std::vector<MetricTtl> want = {{"a", 3600}, {"b", 0}};
  EXPECT_THAT(tsdb_->retention().MetricTtls(), IsOkAndHolds(want));

  Open();
  EXPECT_THAT(tsdb_->retention().MetricTtls(), IsOkAndHolds(want));
  clock_.Advance(86400 * 1000);
  EXPECT_THAT(Seconds("a"), IsEmpty());
  EXPECT_THAT(Seconds("b"), ElementsAre(0));
  EXPECT_THAT(Seconds("c"), IsEmpty());

  ASSERT_OK(tsdb_->names().RenameUid(UidKind::kMetric, "b", "d"));
  EXPECT_THAT(Seconds("d"), ElementsAre(0)) << "the TTL is the UID's";
  EXPECT_THAT(tsdb_->retention().MetricTtls(), IsOkAndHolds(ElementsAre(MetricTtl{"a", 3600},  //
                                                                        MetricTtl{"d", 0})));
}

TEST_F(ExpiryTest, RefusesATtlThatIsNoneOfAMetric) {
  ASSERT_OK(Put("m", 0));
  EXPECT_THAT(tsdb_->retention().SetMetricTtl("n", 60), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(tsdb_->retention().SetMetricTtl("m", -1),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(tsdb_->retention().SetMetricTtl("m", kTtlMaxS + 1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("seconds, got 4294967296")));
  EXPECT_THAT(tsdb_->retention().MetricTtls(), IsOkAndHolds(IsEmpty()));
  options_.ttl_s = -1;
  EXPECT_THAT(options_.Validate(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("ttl_s")));
}

TEST_F(ExpiryTest, AnHourThatExpiredWhileOpenIsDroppedWhenItIsSealed) {
  options_.ttl_s = 86400;
  ASSERT_OK(Put("m", 0));
  ASSERT_OK(Put("m", 3600));
  clock_.Advance((86400 - 9 * 3600) * 1000);  // the first hour's last instant is the TTL old
  ASSERT_OK(tsdb_->maintenance().Seal());
  EXPECT_EQ(Stat("hours.open"), 0);
  EXPECT_EQ(Stat("seal.points"), 1);
  EXPECT_EQ(Stat("seal.expired"), 1);
  clock_.Set(kNow * 1000);
  EXPECT_THAT(Seconds("m"), ElementsAre(3600)) << "the other is stored";
}

TEST_F(ExpiryTest, ARestartKeepsWhatIsNotExpired) {
  options_.ttl_s = 86400;
  for (const int64_t second : {0, 7200})
    ASSERT_OK(Put("m", second));
  // As kill -9 leaves it: the points are in the journal.
  const std::string copy = CopyStore(options_.path, directory_);
  clock_.Advance((86400 - 9 * 3600) * 1000);
  options_.path = copy;
  Open();
  EXPECT_THAT(Seconds("m"), ElementsAre(7200));
}

TEST_F(ExpiryTest, DiskSpaceComesBack) {
  options_.ttl_s = 86400;
  for (int64_t hour = 0; hour < 8; ++hour) {
    for (int64_t i = 0; i < 360; ++i)
      ASSERT_OK(Put("m", hour * 3600 + i * 10, i * i * i * 7919));
  }
  ASSERT_OK(Put("n", 8 * 3600, 5));
  ASSERT_OK(tsdb_->maintenance().Compact());
  EXPECT_THAT(tsdb_->retention().DropExpired(), IsOkAndHolds(0u)) << "nothing is expired";
  clock_.Advance((86400 - 2 * 3600) * 1000);
  const auto freed = tsdb_->retention().DropExpired();
  ASSERT_OK(freed);
  EXPECT_GT(*freed, 1000u);
  EXPECT_THAT(tsdb_->retention().DropExpired(), IsOkAndHolds(0u));
  clock_.Set(kNow * 1000);
  EXPECT_THAT(Seconds("m"), IsEmpty());
  EXPECT_THAT(Seconds("n"), ElementsAre(8 * 3600));
}

}  // namespace
}  // namespace hourcell::retention_test
