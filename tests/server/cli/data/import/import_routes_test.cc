#include "server/cli/data/import/import_routes.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::import_routes_test {
namespace {

using testing::Each;

LinePoint PointOf(std::string_view tags, std::string_view metric = "cpu") {
  return {.metric = metric, .tags = tags, .timestamp = {.ms = 1000}, .value = {}};
}

TEST(ImportRoutesTest, ASpellingIsNewUntilItIsLearned) {
  ImportRoutes routes(2);
  const LinePoint points[] = {PointOf("host=a"), PointOf("host=b")};
  std::vector<uint8_t> workers(2);
  EXPECT_FALSE(routes.FindAll(points, workers));
  routes.Learn({points, 1});
  EXPECT_FALSE(routes.FindAll(points, workers)) << "one of them is new";
  routes.Learn(points);
  EXPECT_TRUE(routes.FindAll(points, workers));
  EXPECT_TRUE(routes.FindAll({}, {}));
}

TEST(ImportRoutesTest, AllSpellingsOfASeriesLeadToOneWorker) {
  ImportRoutes routes(251);
  for (const auto& spellings : std::vector<std::vector<std::string>>{
           {"host=a dc=b", "dc=b host=a", "  host=a   dc=b ", "host=a dc=b host=a"},
           {"host=caf\xC3\xA9", "host=caf\xE9"}}) {
    std::vector<LinePoint> points;
    for (const std::string& tags : spellings)
      points.push_back(PointOf(tags));
    std::vector<uint8_t> workers(points.size());
    routes.Learn(points);
    ASSERT_TRUE(routes.FindAll(points, workers));
    EXPECT_THAT(workers, Each(workers[0])) << spellings[0];
  }
}

TEST(ImportRoutesTest, SeriesAreSpreadOverTheWorkers) {
  constexpr size_t kWorkers = 4;
  ImportRoutes routes(kWorkers);
  std::array<int, kWorkers> series = {};
  for (int host = 0; host < 1000; ++host) {
    const std::string tags = fmt::format("host=h{} dc=lga", host);
    for (const std::string_view metric : {"cpu", "mem"}) {
      const LinePoint point = PointOf(tags, metric);
      std::vector<uint8_t> worker(1);
      routes.Learn({&point, 1});
      ASSERT_TRUE(routes.FindAll({&point, 1}, worker));
      ++series.at(worker[0]);
    }
  }
  EXPECT_THAT(series, Each(testing::AllOf(testing::Gt(400), testing::Lt(600))));
}

TEST(ImportRoutesTest, WhatIsNoSeriesHasARoute) {
  ImportRoutes routes(3);
  const LinePoint bad = PointOf("host=a host=b");
  std::vector<uint8_t> workers(1);
  routes.Learn({&bad, 1});
  EXPECT_TRUE(routes.FindAll({&bad, 1}, workers));
}

TEST(ImportRoutesTest, BeyondItsLimitItForgetsAndStaysRight) {
  ImportRoutes routes(2, /*routes_max=*/10);
  std::vector<uint8_t> first(1);
  std::vector<uint8_t> again(1);
  const LinePoint point = PointOf("host=a");
  routes.Learn({&point, 1});
  ASSERT_TRUE(routes.FindAll({&point, 1}, first));
  for (int host = 0; host < 10; ++host) {
    const std::string tags = fmt::format("host=h{}", host);
    const LinePoint other = PointOf(tags);
    routes.Learn({&other, 1});
  }
  EXPECT_FALSE(routes.FindAll({&point, 1}, again));
  routes.Learn({&point, 1});
  ASSERT_TRUE(routes.FindAll({&point, 1}, again));
  EXPECT_EQ(again, first);
}

}  // namespace
}  // namespace hourcell::import_routes_test
