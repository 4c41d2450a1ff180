#include "engine/rocks/rocks_retention.h"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <rocksdb/db.h>

#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "codec/cells/cell.h"
#include "engine/rocks/rocks_table_store.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rocks_retention_test {
namespace {

using testing::IsEmpty;

constexpr uint32_t kHour = 1356998400;
constexpr uint32_t kDayS = 24 * 3600;

TEST(FileRowsTest, AreReadAsWritten) {
  FileRows rows;
  EXPECT_EQ(FileRows::Decode(rows.Encode()), rows);
  rows.metrics = {{.first = 0, .last = 0, .oldest_s = 0, .newest_s = 4294965600, .rows = 1},
                  {.first = 1, .last = 70000, .oldest_s = kHour, .newest_s = kHour, .rows = 300},
                  {.first = ~Uid{0}, .last = ~Uid{0}, .oldest_s = 0, .newest_s = 0, .rows = 0}};
  EXPECT_EQ(FileRows::Decode(rows.Encode()), rows);
}

TEST(FileRowsTest, DamageDecodesToNothing) {
  const FileRows rows{
      {{.first = 1, .last = 300, .oldest_s = kHour, .newest_s = kHour + kDayS, .rows = 9}}};
  const std::string bytes = rows.Encode();
  EXPECT_EQ(FileRows::Decode(""), std::nullopt);
  for (size_t size = 2; size < bytes.size(); ++size)
    EXPECT_EQ(FileRows::Decode(bytes.substr(0, size)), std::nullopt) << size;
  std::string other = bytes;
  other[0] = 2;
  EXPECT_EQ(FileRows::Decode(other), std::nullopt) << "another format";
  std::string beyond(1, '\1');  // hours that no timestamp has
  for (const char byte : {'\1', '\0', '\xff', '\xff', '\x7f', '\0', '\1'})
    beyond.push_back(byte);
  EXPECT_EQ(FileRows::Decode(beyond), std::nullopt);
}

TEST(NeedOfTest, IsByTheTimesAndTtlsOfTheMetrics) {
  ManualClock clock(int64_t{kHour + 100 * kDayS} * 1000);
  Retention retention;
  const RowExpiry expiry(Layout(), &retention, &clock);
  // Rows of one metric over 20 days.
  const auto need = [&](int64_t ttl_days, uint32_t oldest_day, std::vector<Uid> metrics = {7}) {
    retention.Set({.store_ttl_s = ttl_days * kDayS, .metric_ttl_s = {{1, 0}, {2, kDayS}}});
    FileRows rows;
    for (const Uid metric : metrics) {
      const uint32_t oldest_s = kHour + oldest_day * kDayS;
      rows.metrics.push_back({.first = metric,
                              .last = metric,
                              .oldest_s = oldest_s,
                              .newest_s = oldest_s + 20 * kDayS - 3600,
                              .rows = 1000});
    }
    return NeedOf(rows, RowExpiry::Pass(expiry));
  };
  EXPECT_EQ(need(0, 0), RewriteNeed::kNone);
  EXPECT_EQ(need(50, 30), RewriteNeed::kAll) << "the newest row ended when the TTL begins";
  EXPECT_EQ(need(50, 31), RewriteNeed::kSome);
  EXPECT_EQ(need(50, 40), RewriteNeed::kSome) << "half of the rows";
  EXPECT_EQ(need(50, 42), RewriteNeed::kSome) << "the oldest have been expired for a week";
  EXPECT_EQ(need(50, 44), RewriteNeed::kNone);
  EXPECT_EQ(need(50, 60), RewriteNeed::kNone);
  EXPECT_EQ(need(50, 10, {1}), RewriteNeed::kNone) << "a metric that is kept for ever";
  EXPECT_EQ(need(50, 20, {1, 7}), RewriteNeed::kSome) << "one of two";
  EXPECT_EQ(need(0, 20, {2}), RewriteNeed::kAll);
  EXPECT_EQ(NeedOf(FileRows(), RowExpiry::Pass(expiry)), RewriteNeed::kNone) << "no summary";
}

// A separate store with rows of a few metrics, and the rows that it is expected to have.
class RocksRetentionTest : public testing::Test {
 protected:
  void Open() {
    store_.reset();
    auto opened = OpenRocksTableStore(directory_.file("db"), options_);
    ASSERT_OK(opened);
    store_ = *std::move(opened);
  }

  void SetExpiry() {
    expiry_ = std::make_unique<RowExpiry>(options_.layout, &retention_, &clock_);
    store_->SetExpiry(expiry_.get());
  }

  std::string Key(Uid metric, uint32_t base_time_s, Uid host = 1) const {
    const TagUids tags[] = {{.tagk = 1, .tagv = host}};
    std::string key;
    RowKeyCodec(options_.layout)
        .Append(EncodeTsuid(options_.layout, metric, tags), base_time_s, &key);
    return key;
  }

  // Adds a point to a row, by a merge.
  void Add(Uid metric, uint32_t base_time_s, Uid host, uint32_t second, int64_t value) {
    Mutation merge{TableId::kData, Mutation::Kind::kMerge, Key(metric, base_time_s, host), ""};
    AppendPointCell(second * 1000, /*is_ms=*/false, Value::Integer(value), &merge.value);
    rows_[merge.key][second] = value;
    ASSERT_OK(store_->ApplyUnlogged({&merge, 1}));
  }

  using Rows = std::map<std::string, std::map<uint32_t, int64_t>>;

  Rows Stored() {
    Rows rows;
    EXPECT_OK(store_->Snapshot()->Scan(
        TableId::kData, {}, [&](std::string_view key, std::string_view cell) {
          CellColumns columns;
          EXPECT_OK(DecodeCell(cell, &columns));
          for (size_t i = 0; i < columns.size(); ++i) {
            rows[std::string(key)][columns.offset_ms[i] / 1000] = columns.value(i).integer();
          }
          return true;
        }));
    return rows;
  }

  // The rows that the rules keep.
  Rows Kept() const {
    RowExpiry::Pass pass(*expiry_);
    Rows kept = rows_;
    std::erase_if(kept, [&](const auto& row) { return pass.IsExpired(row.first); });
    return kept;
  }

  // Rows of `metrics` metrics, `hosts` hosts each, over `hours` hours, in several cells each that
  // lie in files of all levels.
  void Fill(Uid metrics, uint32_t hours, Uid hosts) {
    for (int round = 0; round < 3; ++round) {
      for (uint32_t hour = 0; hour < hours; ++hour) {
        for (Uid metric = 1; metric <= metrics; ++metric) {
          for (Uid host = 1; host <= hosts; ++host) {
            if (round > 0 && random_.Below(4) != 0) continue;
            Add(metric, kHour + hour * 3600, host, static_cast<uint32_t>(random_.Below(3600)),
                static_cast<int64_t>(random_.Below(1 << 30)));
          }
        }
      }
      ASSERT_OK(round == 0 ? store_->Compact(TableId::kData) : store_->Flush(TableId::kData));
    }
    ASSERT_EQ(Stored(), rows_);
  }

  uint64_t FileBytes() {
    uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.file("db"))) {
      if (entry.path().extension() == ".sst") bytes += entry.file_size();
    }
    return bytes;
  }

  TempDir directory_;
  Options options_ = TinyOptions(directory_.path());
  Random random_{11};
  ManualClock clock_{int64_t{kHour + 30 * kDayS} * 1000};
  Retention retention_;
  std::unique_ptr<RowExpiry> expiry_;
  std::unique_ptr<TableStore> store_;
  Rows rows_;
};

TEST_F(RocksRetentionTest, LsmCompactionDropsWhatIsExpiredAndNothingElse) {
  std::vector<Layout> layouts(3);
  layouts[1].salt_width = 1;
  layouts[1].salt_buckets = 3;
  layouts[2].fields = {RowField::kSalt, RowField::kBaseTime, RowField::kMetric, RowField::kTags};
  for (size_t i = 0; i < layouts.size(); ++i) {
    SCOPED_TRACE(FormatLayout(layouts[i]));
    store_.reset();
    std::filesystem::remove_all(directory_.file("db"));
    options_.layout = layouts[i];
    rows_.clear();
    Open();
    SetExpiry();
    Fill(/*metrics=*/4, /*hours=*/48, /*hosts=*/5);
    // Metric 2 never expires, 3 is kept for a day less than the rest.
    retention_.Set({.store_ttl_s = 29 * kDayS, .metric_ttl_s = {{2, 0}, {3, 28 * kDayS + 1800}}});
    ASSERT_LT(Kept().size(), rows_.size());
    ASSERT_GT(Kept().size(), rows_.size() / 4);
    ASSERT_OK(store_->Compact(TableId::kData));
    EXPECT_EQ(Stored(), Kept());
    retention_.Set({.store_ttl_s = 1});
    ASSERT_OK(store_->Compact(TableId::kData));
    EXPECT_THAT(Stored(), IsEmpty());
    EXPECT_EQ(FileBytes(), 0u);
    retention_.Set({});
  }
}

TEST_F(RocksRetentionTest, MergeOperandsThatMetNoValueAreDroppedToo) {
  Open();
  SetExpiry();
  // Operands in two files of level 0, without a value below.
  for (int64_t round = 0; round < 2; ++round) {
    for (uint32_t hour = 0; hour < 10; ++hour)
      Add(1, kHour + hour * 3600, 1, 60, round);
    ASSERT_OK(store_->Flush(TableId::kData));
  }
  retention_.Set({.store_ttl_s = 30 * kDayS - 5 * 3600});
  ASSERT_OK(store_->Compact(TableId::kData));
  EXPECT_EQ(Stored().size(), 5u);
  EXPECT_EQ(Stored(), Kept());
}

TEST_F(RocksRetentionTest, NothingIsDroppedWhileTheTtlsAreUnknown) {
  Open();
  Fill(/*metrics=*/2, /*hours=*/10, /*hosts=*/2);  // no settings yet
  EXPECT_THAT(store_->DropExpired(), IsOkAndHolds(0u));
  SetExpiry();  // of rules that are not loaded
  ASSERT_OK(store_->Compact(TableId::kData));
  EXPECT_THAT(store_->DropExpired(), IsOkAndHolds(0u));
  EXPECT_EQ(Stored(), rows_);
  retention_.Set({});  // nothing expires
  ASSERT_OK(store_->Compact(TableId::kData));
  EXPECT_THAT(store_->DropExpired(), IsOkAndHolds(0u));
  EXPECT_EQ(Stored(), rows_);
}

TEST_F(RocksRetentionTest, KeysThatAreNoRowsStay) {
  Open();
  SetExpiry();
  const Mutation strange{TableId::kData, Mutation::Kind::kMerge, "strange", "\xff"};
  ASSERT_OK(store_->ApplyUnlogged({&strange, 1}));
  retention_.Set({.store_ttl_s = 1});
  ASSERT_OK(store_->Compact(TableId::kData));
  EXPECT_THAT(store_->DropExpired(), IsOkAndHolds(0u));
  const auto left = store_->Snapshot()->Get(TableId::kData, "strange");
  ASSERT_OK(left);
  EXPECT_TRUE(left->has_value());
}

TEST_F(RocksRetentionTest, FilesInWhichAllIsExpiredGo) {
  Open();
  SetExpiry();
  Fill(/*metrics=*/3, /*hours=*/48, /*hosts=*/5);
  ASSERT_OK(store_->Compact(TableId::kData));
  const uint64_t full = FileBytes();
  ASSERT_GT(full, 4000u);

  retention_.Set({.store_ttl_s = 29 * kDayS, .metric_ttl_s = {{2, 0}}});
  EXPECT_EQ(Stored(), rows_) << "by itself storage hides nothing";
  // Less than half is expired, and not for a week.
  EXPECT_THAT(store_->DropExpired(), IsOkAndHolds(0u));
  EXPECT_EQ(Stored(), rows_);

  clock_.Advance(int64_t{kDayS} * 1000);  // of metrics 1 and 3 all is
  const auto freed = store_->DropExpired();
  ASSERT_OK(freed);
  EXPECT_GT(*freed, full / 3);
  EXPECT_EQ(Stored(), Kept());
  EXPECT_LT(FileBytes(), full - full / 3);
  EXPECT_THAT(store_->DropExpired(), IsOkAndHolds(0u)) << "done";

  retention_.Set({.store_ttl_s = kDayS});
  EXPECT_OK(store_->DropExpired());
  EXPECT_THAT(Stored(), IsEmpty());
  EXPECT_EQ(FileBytes(), 0u);
}

TEST_F(RocksRetentionTest, FilesOfLevelZeroGoTogether) {
  Open();
  SetExpiry();
  for (uint32_t round = 0; round < 3; ++round) {
    for (uint32_t hour = 0; hour < 5; ++hour)
      Add(1, kHour + (round * 5 + hour) * 3600, 1, round, round);
    ASSERT_OK(store_->Flush(TableId::kData));
  }
  retention_.Set({.store_ttl_s = 30 * kDayS - 5 * 3600});
  EXPECT_OK(store_->DropExpired());
  EXPECT_EQ(Stored().size(), 10u);
  EXPECT_EQ(Stored(), Kept());
}

TEST_F(RocksRetentionTest, AFewExpiredRowsGoAfterAWeek) {
  Open();
  SetExpiry();
  for (uint32_t hour = 0; hour < 40 * 24; hour += 8)
    Add(1, kHour + hour * 3600, 1, 5, hour);
  ASSERT_OK(store_->Compact(TableId::kData));
  retention_.Set({.store_ttl_s = 24 * kDayS});
  EXPECT_THAT(store_->DropExpired(), IsOkAndHolds(0u)) << "six days over";
  clock_.Advance(int64_t{kDayS} * 1000 + 3600 * 1000);
  const auto freed = store_->DropExpired();
  ASSERT_OK(freed);
  EXPECT_GT(*freed, 0u);
  EXPECT_EQ(Stored(), Kept());
  EXPECT_THAT(store_->DropExpired(), IsOkAndHolds(0u));
}

TEST_F(RocksRetentionTest, WithMoreMetricsThanASummaryHasEntriesNothingElseIsDropped) {
  Open();
  SetExpiry();
  std::vector<Mutation> merges;
  for (Uid metric = 1; metric <= 3000; ++metric) {
    Mutation merge{TableId::kData, Mutation::Kind::kMerge,
                   Key(metric, kHour + static_cast<uint32_t>(metric % 2) * 20 * kDayS), ""};
    AppendPointCell(0, /*is_ms=*/false, Value::Integer(1), &merge.value);
    rows_[merge.key][0] = 1;
    merges.push_back(std::move(merge));
  }
  ASSERT_OK(store_->ApplyUnlogged(merges));
  ASSERT_OK(store_->Compact(TableId::kData));
  retention_.Set({.store_ttl_s = 15 * kDayS, .metric_ttl_s = {{2000, 0}, {2999, 1}}});
  EXPECT_OK(store_->DropExpired());
  EXPECT_EQ(Stored(), Kept()) << "rows of other metrics share an entry";
  EXPECT_EQ(Stored().size(), 1500u);
  EXPECT_TRUE(Stored().contains(Key(2000, kHour)));
  EXPECT_FALSE(Stored().contains(Key(2999, kHour + 20 * kDayS)));
}

TEST_F(RocksRetentionTest, AReopenedStoreKnowsItsFiles) {
  Open();
  SetExpiry();
  Fill(/*metrics=*/1, /*hours=*/24, /*hosts=*/3);
  ASSERT_OK(store_->Compact(TableId::kData));
  Open();
  SetExpiry();
  retention_.Set({.store_ttl_s = kDayS});
  EXPECT_OK(store_->DropExpired());
  EXPECT_THAT(Stored(), IsEmpty());
  EXPECT_EQ(FileBytes(), 0u);
}

// As by a split or a merge, between a look at the regions and the rewrite of one's files.
TEST_F(RocksRetentionTest, AFamilyThatWasDroppedMeanwhileEndsNoRound) {
  expiry_ = std::make_unique<RowExpiry>(options_.layout, &retention_, &clock_);
  RocksRetention retention;
  retention.SetExpiry(expiry_.get());
  rocksdb::Options options;
  options.create_if_missing = true;
  retention.AddTo(&options);
  rocksdb::DB* raw = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(options, directory_.file("raw"), &raw).ok());
  const std::unique_ptr<rocksdb::DB> db(raw);
  rocksdb::ColumnFamilyHandle* dropped = nullptr;
  ASSERT_TRUE(db->CreateColumnFamily(options, "dropped", &dropped).ok());
  rocksdb::ColumnFamilyHandle* const families[] = {dropped, db->DefaultColumnFamily()};
  for (rocksdb::ColumnFamilyHandle* const family : families) {
    ASSERT_TRUE(db->Put({}, family, Key(1, kHour), "cell").ok());
    ASSERT_TRUE(db->Flush({}, family).ok());
  }
  retention_.Set({.store_ttl_s = kDayS});
  ASSERT_TRUE(db->DropColumnFamily(dropped).ok());

  const auto freed = retention.DropFiles(db.get(), families);
  ASSERT_OK(freed);
  EXPECT_GT(*freed, 0u) << "of the other family";
  ASSERT_TRUE(db->DestroyColumnFamilyHandle(dropped).ok());
}

}  // namespace
}  // namespace hourcell::rocks_retention_test
