#include "engine/query/group_by.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell {
namespace {

using testing::ElementsAre;

constexpr Uid kHost = 1;
constexpr Uid kDc = 2;
constexpr Uid kDisk = 3;

SeriesUids Series(std::vector<TagUids> tags) {
  return {.metric = 1, .tags = std::move(tags)};
}

std::vector<std::vector<size_t>> MembersOf(const std::vector<SeriesGroup>& groups) {
  std::vector<std::vector<size_t>> members;
  for (const SeriesGroup& group : groups)
    members.push_back(group.members);
  return members;
}

TEST(GroupByTest, WithoutKeysAllAreOneGroup) {
  const std::vector<SeriesUids> series = {Series({{kHost, 1}}), Series({{kDc, 1}})};

  EXPECT_THAT(MembersOf(GroupSeries(series, {}, false)), ElementsAre(ElementsAre(0, 1)));
  EXPECT_TRUE(GroupSeries({}, {}, false).empty());
}

TEST(GroupByTest, GroupsAscendByValuesInKeyOrder) {
  const std::vector<SeriesUids> series = {
      Series({{kHost, 1}, {kDc, 9}}), Series({{kHost, 1}, {kDc, 8}}),
      Series({{kHost, 2}, {kDc, 8}}), Series({{kHost, 1}, {kDc, 9}, {kDisk, 1}})};
  const std::vector<Uid> keys = {kDc, kHost, kDc};

  EXPECT_THAT(MembersOf(GroupSeries(series, keys, false)),
              ElementsAre(ElementsAre(1), ElementsAre(0, 3), ElementsAre(2)));
}

TEST(GroupByTest, SeriesWithoutAKeyAreLeftOut) {
  const std::vector<SeriesUids> series = {Series({{kHost, 1}}), Series({{kHost, 1}, {kDc, 1}})};
  const std::vector<Uid> keys = {kDc};

  EXPECT_THAT(MembersOf(GroupSeries(series, keys, false)), ElementsAre(ElementsAre(1)));
  EXPECT_THAT(MembersOf(GroupSeries(series, keys, true)), ElementsAre(ElementsAre(1)));
}

TEST(GroupByTest, EachAloneKeepsTheOrderOfSeries) {
  const std::vector<SeriesUids> series = {Series({{kHost, 2}}), Series({{kHost, 3}})};

  EXPECT_THAT(MembersOf(GroupSeries(series, {}, true)),
              ElementsAre(ElementsAre(0), ElementsAre(1)));
}

TEST(GroupByTest, TagsWithSeveralValuesAreAggregated) {
  const std::vector<SeriesUids> series = {Series({{kHost, 1}, {kDc, 9}, {kDisk, 4}}),
                                          Series({{kHost, 2}, {kDc, 9}}),
                                          Series({{kHost, 1}, {kDc, 9}})};

  const GroupTags tags = TagsOfGroup(series, {.members = {0, 1, 2}});

  // The disk is common although only the first member has one.
  EXPECT_THAT(tags.common, ElementsAre(TagUids{kDc, 9}, TagUids{kDisk, 4}));
  EXPECT_THAT(tags.aggregated, ElementsAre(kHost));
}

}  // namespace
}  // namespace hourcell
