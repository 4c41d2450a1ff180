#include "engine/write/point_writer.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::point_writer_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class PointWriterTest : public testing::Test {
 protected:
  void Open(bool auto_create_metrics) {
    Options options = TinyOptions(directory_.path());
    options.auto_create_metrics = auto_create_metrics;
    auto opened = Tsdb::Open(options);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
    ASSERT_OK(tsdb_->names().AssignUid(UidKind::kMetric, "known"));
  }

  PointView PointOf(std::string_view metric, int second, double value = 1) const {
    return {.metric = metric,
            .tags = tags_,
            .timestamp = {.ms = (1'356'998'400 + second) * int64_t{1000}},
            .value = Value::Float(value)};
  }

  // The indexes of the refused points.
  std::vector<size_t> Append(const std::vector<PointView>& points, std::vector<size_t> items) {
    std::vector<RefusedPoint> refused;
    EXPECT_OK(tsdb_->points().Append(points, &refused, {.items = items}).Wait());
    std::vector<size_t> indexes;
    for (const RefusedPoint& point : refused) {
      EXPECT_EQ(point.error, refused.front().error);
      indexes.push_back(point.index);
    }
    return indexes;
  }

  // The seconds of the stored points.
  std::vector<int64_t> Stored() {
    std::vector<int64_t> seconds;
    EXPECT_OK(tsdb_->queries().Scan({}, [&](const ScannedRow& row) {
      for (const Timestamp& time : row.times)
        seconds.push_back(time.ms / 1000 - 1'356'998'400);
      return true;
    }));
    return seconds;
  }

  bool HasMetric(std::string_view name) {
    return tsdb_->names().FindUid(UidKind::kMetric, name).ok();
  }

  TempDir directory_;
  std::vector<TagView> tags_ = {{"host", "a"}};
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_F(PointWriterTest, AnItemIsStoredWholeOrNotAtAll) {
  Open(/*auto_create_metrics=*/false);
  const std::vector<PointView> points = {PointOf("known", 0), PointOf("known", 1),
                                         PointOf("unknown", 1), PointOf("known", 2),
                                         PointOf("known", 3)};

  EXPECT_THAT(Append(points, {7, 8, 8, 8, 9}), ElementsAre(1U, 2U, 3U));

  EXPECT_THAT(Stored(), ElementsAre(0, 3));
}

TEST_F(PointWriterTest, WithoutItemsEachPointIsRefusedAlone) {
  Open(/*auto_create_metrics=*/false);

  EXPECT_THAT(Append({PointOf("known", 0), PointOf("unknown", 0)}, {}), ElementsAre(1U));

  EXPECT_THAT(Stored(), ElementsAre(0));
}

TEST_F(PointWriterTest, AnItemWithABadValueCreatesNoName) {
  Open(/*auto_create_metrics=*/true);

  EXPECT_THAT(Append({PointOf("new", 0), PointOf("known", 0, NAN)}, {0, 0}), ElementsAre(0U, 1U));

  EXPECT_FALSE(HasMetric("new"));
  EXPECT_THAT(Stored(), IsEmpty());
}

TEST_F(PointWriterTest, AnItemBeyondTheLimitOfNewSeriesIsRefusedAsAWhole) {
  Open(/*auto_create_metrics=*/true);
  const NewSeriesQuota one = [](size_t wanted) { return std::min<size_t>(wanted, 1); };
  const std::vector<PointView> points = {PointOf("a", 0), PointOf("b", 0)};
  const std::vector<size_t> items = {0, 0};
  std::vector<RefusedPoint> refused;

  EXPECT_OK(tsdb_->points().Append(points, &refused, {.items = items, .new_series = &one}).Wait());

  EXPECT_EQ(refused.size(), 2U);
  EXPECT_THAT(Stored(), IsEmpty());
}

}  // namespace
}  // namespace hourcell::point_writer_test
