// The common parts of tests that kill the real program at a kill point: settings under which few
// points cause much work, points that are easy to count, and the fixture.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace hourcell {

// Points of a batch.
inline constexpr int kBatch = 20;

// A number of the environment, or `otherwise` without one.
uint64_t FromEnvironment(const char* name, uint64_t otherwise);

// Budgets so small that hours are sealed, cells flushed and segments deleted all the time.
std::vector<std::string> TinyBudgets(std::string_view sync, int seal_grace_s = 1);

// Points first to first + count, a second apart, as a body of /api/put; a new series every ten.
std::string PutBody(int first, int count);

// The points of PutBody's metric, counted by a query; -1 if the query fails.
int CountPoints(uint16_t port);

void ExpectCleanUids(const std::string& directory);

// All kill points of the sources in a folder and its folders, ascending.
std::vector<std::string> KillPointsIn(const std::string& folder);

// All kill points of the sources, ascending, but for those of engine/bigtable, which is optional:
// tests/cluster walks these.
std::vector<std::string> DeclaredKillPoints();

// A kill point as part of a test's name.
std::string KillPointName(const testing::TestParamInfo<std::string>& param_info);

// Kill points in the program; compiled in with HOURCELL_KILL_POINTS only.
class KillPointTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
#ifndef HOURCELL_KILL_POINTS
    GTEST_SKIP() << "built without HOURCELL_KILL_POINTS";
#endif
  }
};

}  // namespace hourcell
