#include "engine/fsck/fsck_active.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "engine/fsck.h"
#include "engine/fsck_admin.h"
#include "engine/rocks/rocks_table_store.h"
#include "engine/rows/series_key.h"
#include "engine/series/active_sets.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/store_copy.h"
#include "tests/support/temp_dir.h"

namespace hourcell::fsck_active_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr int64_t kHour = 1356998400;

class FsckActiveTest : public testing::TestWithParam<size_t> {
 protected:
  void SetUp() override {
    options_.journal_segment_bytes = 256 << 10;  // it is copied
    options_.layout.salt_width = GetParam();
    options_.layout.salt_buckets = GetParam() == 0 ? 1 : 4;
    tsdb_ = *Tsdb::Open(options_);
    for (int day = 0; day < 3; ++day) {
      for (const char* host : {"a", "b", "c", "d", "e"})
        Put(host, kHour + day * int64_t{kDayS});
    }
  }

  void Put(const std::string& host, int64_t time_s) {
    OwnedPoint point("m", "host=" + host, Timestamp{.ms = time_s * 1000}, Value::Integer(1));
    ASSERT_OK(tsdb_->points().Put(point.view()));
  }

  // The set of the second day becomes `value`; nothing: no row.
  void SetSecondDay(const std::string& path, const std::string& value) {
    const auto tables = OpenRocksTableStore(path + "/db", options_);
    ASSERT_OK(tables);
    std::string key = ActiveSetPrefix(options_.layout, 1, DayOf(kHour) + 1);
    AppendPostingChunk(0, &key);
    ASSERT_TRUE((*tables)->Snapshot()->Get(TableId::kSeries, key)->has_value());
    const Mutation set{TableId::kSeries,
                       value.empty() ? Mutation::Kind::kDelete : Mutation::Kind::kSet, key, value};
    ASSERT_OK((*tables)->Apply({&set, 1}, true));
    ASSERT_OK((*tables)->Close());
  }

  FsckReport Check(const FsckOptions& fsck) {
    const auto report = RunFsck(options_, fsck);
    EXPECT_OK(report);
    return report.value_or(FsckReport());
  }

  TempDir directory_;
  Options options_ = TinyOptions(directory_.path() + "/store");
  std::unique_ptr<Tsdb> tsdb_;
};

INSTANTIATE_TEST_SUITE_P(Salted, FsckActiveTest, testing::Values(0, 1));

TEST_P(FsckActiveTest, SeriesThatAreMissingAreToldAndAdded) {
  ASSERT_OK(tsdb_->Close());
  EXPECT_THAT(Check({}).counts, IsEmpty());
  SetSecondDay(options_.path, PostingOfOne(3));
  const FsckReport report = Check({});
  EXPECT_THAT(report.counts, ElementsAre(Pair(FsckFault::kIndex, 4)));
  EXPECT_EQ(report.examples[0].text,
            "active set of metric UID 1 on 2013-01-02: series 1 is not in it");
  EXPECT_GT(Check({.fix_index = true}).fixed, 0U);
  EXPECT_THAT(Check({}).counts, IsEmpty());
}

TEST_P(FsckActiveTest, ADamagedSetIsToldAndMadeAnew) {
  ASSERT_OK(tsdb_->Close());
  SetSecondDay(options_.path, "\x07");
  const FsckReport report = Check({});
  EXPECT_GE(report.faults(), 1U);
  EXPECT_THAT(report.examples[0].text, HasSubstr("active set of metric UID 1 on 2013-01-02: "));
  Check({.fix_index = true});
  EXPECT_THAT(Check({}).counts, IsEmpty());
}

TEST_P(FsckActiveTest, ARowOfAKilledStoreIsInItsSet) {
  ASSERT_OK(tsdb_->maintenance().Flush());
  Put("a", kHour + 7200);
  Put("f", kHour + kDayS);
  ASSERT_OK(tsdb_->maintenance().Seal());
  const TempDir copy;
  const std::string killed = CopyStore(options_.path, copy);
  tsdb_.reset();
  options_.path = killed;
  EXPECT_THAT(Check({}).counts, IsEmpty());
}

TEST_P(FsckActiveTest, AStoreThatIsOpenIsCheckedWithWhatItHasInMemory) {
  ASSERT_OK(tsdb_->maintenance().Seal());
  const auto report = tsdb_->maintenance().fsck()->Check({});
  ASSERT_OK(report);
  EXPECT_THAT(report->counts, IsEmpty());
}

// The rows of the first day are still there, and so is its set; but earlier versions dropped it.
TEST_P(FsckActiveTest, ADayThatHasExpiredNeedsNoSet) {
  ASSERT_OK(tsdb_->Close());
  ManualClock clock((kHour + kDayS + 1) * 1000);
  options_.clock = &clock;
  options_.ttl_s = kDayS;
  options_.seal_in_background = false;
  tsdb_ = *Tsdb::Open(options_);
  clock.Advance(int64_t{kDayS} * 1000);
  ASSERT_OK(tsdb_->retention().DropExpired().status());
  ASSERT_OK(tsdb_->Close());
  const auto tables = OpenRocksTableStore(options_.path + "/db", options_);
  ASSERT_OK(tables);
  std::vector<std::string> sets;
  ASSERT_OK((*tables)->Snapshot()->Scan(TableId::kSeries, {.begin = "a", .end = "b"},
                                        [&](std::string_view key, std::string_view) {
                                          sets.emplace_back(key);
                                          return true;
                                        }));
  ASSERT_EQ(sets.size(), 3U) << "one a day";
  const Mutation gone{TableId::kSeries, Mutation::Kind::kDelete, sets.front(), {}};
  ASSERT_OK((*tables)->Apply({&gone, 1}, /*sync=*/false));
  ASSERT_OK((*tables)->Close());
  EXPECT_THAT(Check({}).counts, IsEmpty());
}

}  // namespace
}  // namespace hourcell::fsck_active_test
