#include "engine/query/stages/group_by.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::group_by_test {
namespace {

using testing::ElementsAre;

constexpr Uid kHost = 1;
constexpr Uid kDc = 2;
constexpr Uid kDisk = 3;

TagsColumn Series(const std::vector<std::vector<TagUids>>& series) {
  TagsColumn column;
  for (const std::vector<TagUids>& tags : series)
    column.push_back(tags);
  return column;
}

// The members of the groups of all series.
std::vector<std::vector<uint32_t>> Grouped(const TagsColumn& series,
                                           std::span<const Uid> keys,
                                           bool each_alone) {
  std::vector<uint32_t> all(series.size());
  std::iota(all.begin(), all.end(), 0);
  const SeriesGroups groups = GroupSeries(series, all, keys, each_alone);
  std::vector<std::vector<uint32_t>> members;
  for (size_t i = 0; i < groups.size(); ++i)
    members.emplace_back(groups[i].begin(), groups[i].end());
  return members;
}

TEST(GroupByTest, WithoutKeysAllAreOneGroup) {
  EXPECT_THAT(Grouped(Series({{{kHost, 1}}, {{kDc, 1}}}), {}, false),
              ElementsAre(ElementsAre(0, 1)));
  EXPECT_TRUE(Grouped({}, {}, false).empty());
}

TEST(GroupByTest, GroupsAscendByValuesInKeyOrder) {
  const TagsColumn series = Series({{{kHost, 1}, {kDc, 9}},
                                    {{kHost, 1}, {kDc, 8}},
                                    {{kHost, 2}, {kDc, 8}},
                                    {{kHost, 1}, {kDc, 9}, {kDisk, 1}}});
  const std::vector<Uid> keys = {kDc, kHost, kDc};

  EXPECT_THAT(Grouped(series, keys, false),
              ElementsAre(ElementsAre(1), ElementsAre(0, 3), ElementsAre(2)));
}

TEST(GroupByTest, SeriesWithoutAKeyAreLeftOut) {
  const TagsColumn series = Series({{{kHost, 1}}, {{kHost, 1}, {kDc, 1}}});
  const std::vector<Uid> keys = {kDc};

  EXPECT_THAT(Grouped(series, keys, false), ElementsAre(ElementsAre(1)));
  EXPECT_THAT(Grouped(series, keys, true), ElementsAre(ElementsAre(1)));
}

TEST(GroupByTest, OnlySelectedSeriesAreGrouped) {
  const TagsColumn series = Series({{{kHost, 2}}, {{kHost, 1}}, {{kHost, 2}}, {{kHost, 1}}});
  const std::vector<Uid> keys = {kHost};
  const std::vector<uint32_t> selected = {0, 2, 3};

  const SeriesGroups groups = GroupSeries(series, selected, keys, false);

  ASSERT_EQ(groups.size(), 2u);
  EXPECT_THAT(groups[0], ElementsAre(3));
  EXPECT_THAT(groups[1], ElementsAre(0, 2));
  EXPECT_THAT(groups.members(), ElementsAre(3, 0, 2));
}

TEST(GroupByTest, EachAloneKeepsTheOrderOfSeries) {
  EXPECT_THAT(Grouped(Series({{{kHost, 2}}, {{kHost, 3}}}), {}, true),
              ElementsAre(ElementsAre(0), ElementsAre(1)));
}

TEST(GroupByTest, TagsWithSeveralValuesAreAggregated) {
  const TagsColumn series =
      Series({{{kHost, 1}, {kDc, 9}, {kDisk, 4}}, {{kHost, 2}, {kDc, 9}}, {{kHost, 1}, {kDc, 9}}});
  const std::vector<uint32_t> all = {0, 1, 2};

  GroupTags tags;
  TagsOfGroup(series, all, &tags);

  // The disk is common although only the first member has one.
  EXPECT_THAT(tags.common, ElementsAre(TagUids{kDc, 9}, TagUids{kDisk, 4}));
  EXPECT_THAT(tags.aggregated, ElementsAre(kHost));
}

}  // namespace
}  // namespace hourcell::group_by_test
