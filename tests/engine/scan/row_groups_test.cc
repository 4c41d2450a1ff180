#include "engine/scan/row_groups.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::row_groups_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint32_t kBase = 1356998400;

// A row of three points, 1, 2 and 3, in the first three seconds of its hour.
class ThreePoints {
 public:
  ThreePoints(std::string_view metric, std::vector<TagView> tags, uint32_t base_time_s)
      : tags_(std::move(tags)) {
    for (int64_t i = 0; i < 3; ++i) {
      times_.push_back({.ms = (int64_t{base_time_s} + i) * 1000});
      values_.push_back(Value::Integer(i + 1));
    }
    row_ = {.key = "13 bytes long",
            .qualifiers = {},
            .values = {},
            .base_time_s = base_time_s,
            .metric = metric,
            .tags = tags_,
            .times = times_,
            .point_values = values_,
            .cell_bytes = 40};
  }
  ThreePoints(const ThreePoints&) = delete;
  ThreePoints& operator=(const ThreePoints&) = delete;

  const ScannedRow& row() const { return row_; }

 private:
  std::vector<TagView> tags_;
  std::vector<Timestamp> times_;
  std::vector<Value> values_;
  ScannedRow row_;
};

// Gives out a number of bytes.
class SmallAccount : public MemoryAccount {
 public:
  explicit SmallAccount(size_t bytes) : left_(bytes) {}
  absl::Status Take(size_t bytes) override {
    if (bytes > left_) return absl::ResourceExhaustedError("no memory");
    left_ -= bytes;
    return absl::OkStatus();
  }
  void GiveBack(size_t bytes) override { left_ += bytes; }

 private:
  size_t left_;
};

std::vector<std::string> TextsOf(const RowGroups& groups) {
  std::vector<std::string> texts;
  for (const RowGroup& group : groups.Groups()) {
    std::string text;
    for (const std::optional<std::string>& by : group.by)
      text += by.value_or("-") + " ";
    texts.push_back(fmt::format("{}{}/{}", text, group.totals.rows(), group.totals.points()));
  }
  return texts;
}

TEST(RowGroupsTest, ARowIsInOneGroupOfAllGroupings) {
  const ThreePoints a("m", {{"host", "a"}, {"dc", "x"}}, kBase);
  const ThreePoints later("m", {{"host", "a"}, {"dc", "x"}}, kBase + 3600);
  const ThreePoints b("m", {{"host", "b"}}, kBase);
  const ThreePoints other("a", {{"dc", "x"}}, kBase);
  const RowAggregateSpec spec{
      .group_by = {{RowGroupBy::kMetric, ""}, {RowGroupBy::kTag, "host"}, {RowGroupBy::kHour, ""}}};
  RowGroups groups({}, spec, nullptr);

  for (const ThreePoints* row : {&later, &b, &a, &other, &a})
    ASSERT_OK(groups.Add(row->row()));

  EXPECT_THAT(TextsOf(groups), ElementsAre("a - 1356998400 1/3", "m a 1356998400 2/6",
                                           "m a 1357002000 1/3", "m b 1356998400 1/3"));
  EXPECT_EQ(groups.Total().points(), 15u);
  EXPECT_EQ(groups.Total().key_bytes(), 5u * 13);
  EXPECT_EQ(groups.Total().cell_bytes(), 5u * 40);
}

TEST(RowGroupsTest, WithoutGroupingsThereIsOnlyTheTotal) {
  const RowAggregateSpec spec{.groups_max = 1};
  RowGroups groups({}, spec, nullptr);

  ASSERT_OK(groups.Add(ThreePoints("m", {{"host", "a"}}, kBase).row()));
  ASSERT_OK(groups.Add(ThreePoints("n", {{"host", "b"}}, kBase).row()));

  EXPECT_THAT(groups.Groups(), IsEmpty());
  EXPECT_EQ(groups.Total().rows(), 2u);
}

TEST(RowGroupsTest, OnlyPointsInTheRangeCountAndOnlyTheirRows) {
  const ScanSpec rows{
      .metric = "", .start_ms = (kBase + 1) * 1000LL, .end_ms = (kBase + 1) * 1000LL};
  const RowAggregateSpec spec{.group_by = {{RowGroupBy::kHour, ""}}};
  RowGroups groups(rows, spec, nullptr);

  ASSERT_OK(groups.Add(ThreePoints("m", {{"host", "a"}}, kBase).row()));
  ASSERT_OK(groups.Add(ThreePoints("m", {{"host", "a"}}, kBase + 3600).row()));

  EXPECT_THAT(TextsOf(groups), ElementsAre("1356998400 1/1"));
  EXPECT_EQ(groups.Total().sum(), Value::Integer(2));
}

TEST(RowGroupsTest, APointMustPassAllTests) {
  const RowAggregateSpec spec{.values = {*ParseValueTest(">1"), *ParseValueTest("!=3")}};
  RowGroups groups({}, spec, nullptr);

  ASSERT_OK(groups.Add(ThreePoints("m", {{"host", "a"}}, kBase).row()));

  EXPECT_EQ(groups.Total().points(), 1u);
  EXPECT_EQ(groups.Total().max(), Value::Integer(2));
}

TEST(RowGroupsTest, GroupsAreLimitedInAWorkerAndInAll) {
  const RowAggregateSpec spec{.group_by = {{RowGroupBy::kTag, "host"}}, .groups_max = 2};
  RowGroups groups({}, spec, nullptr);
  RowGroups others({}, spec, nullptr);
  ASSERT_OK(groups.Add(ThreePoints("m", {{"host", "a"}}, kBase).row()));
  ASSERT_OK(groups.Add(ThreePoints("m", {{"host", "b"}}, kBase).row()));
  ASSERT_OK(others.Add(ThreePoints("m", {{"host", "b"}}, kBase).row()));
  ASSERT_OK(groups.Merge(others));
  ASSERT_OK(others.Add(ThreePoints("m", {{"host", "c"}}, kBase).row()));

  EXPECT_THAT(groups.Merge(others),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("at most 2")));
  EXPECT_THAT(groups.Add(ThreePoints("m", {{"host", "c"}}, kBase).row()),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("at most 2")));
}

TEST(RowGroupsTest, EachGroupTakesMemoryFirst) {
  SmallAccount memory(sizeof(RowTotals) + 200);
  const RowAggregateSpec spec{.group_by = {{RowGroupBy::kTag, "host"}}};
  RowGroups groups({}, spec, &memory);
  ASSERT_OK(groups.Add(ThreePoints("m", {{"host", "a"}}, kBase).row()));
  ASSERT_OK(groups.Add(ThreePoints("m", {{"host", "a"}}, kBase).row()));

  EXPECT_THAT(groups.Add(ThreePoints("m", {{"host", "b"}}, kBase).row()),
              StatusIs(absl::StatusCode::kResourceExhausted, "no memory"));
}

}  // namespace
}  // namespace hourcell::row_groups_test
