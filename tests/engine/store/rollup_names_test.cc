// Renames and deletes of a metric include the levels of its rollups.

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::rollup_names_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kHour = 1356998400;

class RollupNamesTest : public testing::Test {
 protected:
  void SetUp() override {
    tsdb_ = *Tsdb::Open(options_);
    for (const char* const metric :
         {"cpu", "_rollup/1h-sum/cpu", "_rollup/agg/cpu", "_rollup/1h-sum/cpu.user"}) {
      Put(metric, "host=a", kHour);
      Put(metric, "host=b", kHour);
      Put(metric, "host=b", kHour + 3600);
    }
  }

  void Put(const std::string& metric, const std::string& tags, int64_t time_s) {
    ASSERT_OK(tsdb_->points().Put(OwnedPoint(metric, tags, time_s, 1).view()));
  }

  std::vector<std::string> Names() {
    std::vector<std::string> names;
    EXPECT_OK(tsdb_->names().GrepUids(UidKind::kMetric, "", false, [&](const UidRow& row) {
      names.push_back(row.name);
      return true;
    }));
    return names;
  }

  uint64_t PointsOf(const std::string& metric) {
    QuerySpec spec = MakeQuery(Aggregator::kSum, metric, {}, kHour, kHour + 7200);
    spec.queries[0].rollup_usage = RollupUsage::kRaw;
    const auto counted = tsdb_->points().CountPoints(spec);
    EXPECT_OK(counted);
    return counted->points;
  }

  TempDir directory_;
  Options options_ = TinyOptions(directory_.path() + "/store");
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(RollupNamesTest, ARenameRenamesTheLevels) {
  ASSERT_OK(tsdb_->names().RenameUid(UidKind::kMetric, "cpu", "load"));

  EXPECT_THAT(Names(), ElementsAre("_rollup/1h-sum/cpu.user", "_rollup/1h-sum/load",
                                   "_rollup/agg/load", "cpu.user", "load"));
  EXPECT_EQ(PointsOf("_rollup/1h-sum/load"), 3U);
  ASSERT_OK(tsdb_->names().RenameUid(UidKind::kMetric, "_rollup/agg/load", "x"));
  EXPECT_EQ(PointsOf("x"), 3U) << "a level alone";
}

TEST_F(RollupNamesTest, ARenameThatALevelPreventsChangesNothing) {
  Put("_rollup/1h-sum/other", "host=a", kHour);
  ASSERT_OK(
      tsdb_->names().RenameUid(UidKind::kMetric, "_rollup/1h-sum/other", "_rollup/1h-sum/load"));

  EXPECT_THAT(tsdb_->names().RenameUid(UidKind::kMetric, "cpu", "load"),
              StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("_rollup/1h-sum/load")));

  EXPECT_EQ(PointsOf("cpu"), 3U);
  EXPECT_EQ(PointsOf("_rollup/agg/cpu"), 3U);
}

TEST_F(RollupNamesTest, ADeletedNameTakesThoseOfItsLevels) {
  ASSERT_OK(tsdb_->names().DeleteUid(UidKind::kMetric, "cpu"));

  EXPECT_THAT(Names(), ElementsAre("_rollup/1h-sum/cpu.user", "cpu.user"));
}

TEST_F(RollupNamesTest, TagsAreRenamedAlone) {
  Put("cpu", "_rollup/1h-sum/k=a", kHour);
  Put("cpu", "k=a", kHour);

  ASSERT_OK(tsdb_->names().RenameUid(UidKind::kTagk, "k", "key"));

  EXPECT_OK(tsdb_->names().FindUid(UidKind::kTagk, "_rollup/1h-sum/k"));
}

}  // namespace
}  // namespace hourcell::rollup_names_test
