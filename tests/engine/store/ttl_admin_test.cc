#include "engine/store/ttl_admin.h"

#include <memory>
#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "engine/names/table_uid_store.h"
#include "engine/rows/system_table.h"
#include "engine/series/series_table.h"
#include "engine/table/retention.h"
#include "engine/undo/ttl_log.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"
#include "uid/uid_directory.h"

namespace hourcell::ttl_admin_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class TtlAdminTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = UidDirectory::Open({}, &uid_store_);
    ASSERT_OK(opened);
    uids_ = *std::move(opened);
    for (const char* const metric : {"b", "a"})
      ASSERT_OK(uids_->GetOrAssign(UidKind::kMetric, metric));
    const auto stored = TtlSettingRow(Layout(), kNoUid, 100);
    ASSERT_OK(stored);
    ASSERT_OK(tables_.Apply({&*stored, 1}, false));
    auto table = SeriesTable::Open(
        {}, {.tables = &tables_, .uid_store = &uid_store_, .uids = uids_.get()}, false);
    ASSERT_OK(table);
    series_ = *std::move(table);
    ASSERT_OK(log_.Load());
  }

  TtlAdmin Admin() {
    return TtlAdmin(
        Layout(),
        {.log = &log_, .uids = uids_.get(), .series = series_.get(), .retention = &retention_});
  }

  MemTableStore tables_;
  TableUidStore uid_store_{Layout(), &tables_};
  std::unique_ptr<UidDirectory> uids_;
  std::unique_ptr<SeriesTable> series_;
  Retention retention_;
  TtlLog log_{{}, {.tables = &tables_, .retention = &retention_, .clock = Clock::System()}};
};

TEST_F(TtlAdminTest, WhatIsSetIsInForceWrittenAndListedByName) {
  TtlAdmin admin = Admin();
  ASSERT_OK(admin.Set("b", 60));
  ASSERT_OK(admin.Set("a", 0));
  EXPECT_THAT(admin.List(), ElementsAre(MetricTtl{"a", 0}, MetricTtl{"b", 60}));
  EXPECT_EQ(retention_.rules()->metric_ttl_s.at(1), 60);
  EXPECT_EQ(retention_.rules()->store_ttl_s, 100);
  const auto written = ReadMetricTtls(&tables_);
  ASSERT_OK(written);
  EXPECT_EQ(written->at(1), 60);
  EXPECT_EQ(written->at(2), 0);

  ASSERT_OK(admin.Set("b", std::nullopt));
  EXPECT_THAT(admin.List(), ElementsAre(MetricTtl{"a", 0}));
  EXPECT_EQ(ReadMetricTtls(&tables_)->size(), 1u);
}

TEST_F(TtlAdminTest, RefusesWhatIsNoTtlOrNoMetric) {
  TtlAdmin admin = Admin();
  EXPECT_THAT(admin.Set("c", 60), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(admin.Set("a", -1), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(admin.Set("a", kTtlMaxS + 1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("seconds, got 4294967296")));
  EXPECT_THAT(admin.List(), IsEmpty());
}

}  // namespace
}  // namespace hourcell::ttl_admin_test
