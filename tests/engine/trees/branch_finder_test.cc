#include "engine/trees/branch_finder.h"

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "engine/trees/branch_id.h"
#include "tests/support/status_matchers.h"

namespace hourcell::branch_finder_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct PlacedSeries {
  std::string tsuid;
  TreePath path;
};

PlacedSeries At(std::string tsuid, std::vector<std::string> branches, std::string leaf) {
  return {.tsuid = std::move(tsuid),
          .path = {.is_placed = true, .branches = std::move(branches), .leaf = std::move(leaf)}};
}

std::optional<TreeBranch> BranchOf(const std::vector<PlacedSeries>& all,
                                   const std::string& id,
                                   MemoryAccount* account = nullptr) {
  BranchFinder finder(id, account);
  for (const PlacedSeries& series : all)
    EXPECT_OK(finder.Add({.tsuid = series.tsuid, .metric = "m"}, series.path));
  return std::move(finder).Finish();
}

std::vector<std::string> LeavesOf(const TreeBranch& branch) {
  std::vector<std::string> leaves;
  for (const TreeLeaf& leaf : branch.leaves)
    leaves.push_back(leaf.name + "=" + leaf.tsuid);
  return leaves;
}

TEST(BranchFinderTest, FindsTheBranchesAndLeavesOfOneBranch) {
  const std::vector<PlacedSeries> all = {
      At("01", {"lga", "web"}, "user"), At("02", {"lga", "web"}, "nice"),
      At("03", {"lga", "db", "x"}, "y"), At("04", {"sjc"}, "z"), At("05", {"lga"}, "total")};
  const auto root = BranchOf(all, RootBranchId(1));
  ASSERT_TRUE(root.has_value());
  EXPECT_THAT(root->branches, ElementsAre("lga", "sjc"));
  EXPECT_THAT(root->leaves, IsEmpty());

  const auto lga = BranchOf(all, BranchIdOf(1, std::vector<std::string>{"lga"}));
  ASSERT_TRUE(lga.has_value());
  EXPECT_THAT(lga->path, ElementsAre("lga"));
  EXPECT_THAT(lga->branches, ElementsAre("db", "web"));
  EXPECT_THAT(LeavesOf(*lga), ElementsAre("total=05"));

  const auto web = BranchOf(all, BranchIdOf(1, std::vector<std::string>{"lga", "web"}));
  ASSERT_TRUE(web.has_value());
  EXPECT_THAT(LeavesOf(*web), ElementsAre("nice=02", "user=01"));
}

TEST(BranchFinderTest, ABranchWithoutSeriesIsNotThere) {
  const std::vector<PlacedSeries> all = {At("01", {"lga", "web"}, "user")};
  EXPECT_EQ(BranchOf(all, BranchIdOf(1, std::vector<std::string>{"sjc"})), std::nullopt);
  EXPECT_EQ(BranchOf(all, BranchIdOf(1, std::vector<std::string>{"lga", "web", "x"})),
            std::nullopt);
  EXPECT_EQ(BranchOf(all, RootBranchId(1) + "x"), std::nullopt);
  EXPECT_TRUE(BranchOf({}, RootBranchId(1)).has_value());
}

TEST(BranchFinderTest, NamesThatDifferInCaseAreTwoBranches) {
  const std::vector<PlacedSeries> all = {At("01", {"web"}, "a"), At("02", {"Web"}, "a"),
                                         At("03", {"app"}, "a")};
  EXPECT_THAT(BranchOf(all, RootBranchId(1))->branches, ElementsAre("app", "Web", "web"));
}

TEST(BranchFinderTest, ASeriesThatIsLeftOutHasNoBranch) {
  PlacedSeries series = At("01", {"web"}, "a");
  series.path.is_placed = false;
  EXPECT_THAT(BranchOf({series}, RootBranchId(1))->branches, IsEmpty());
}

TEST(CollisionFinderTest, NamesWithOneHashCollide) {
  CollisionFinder finder(nullptr);
  const auto add = [&](const PlacedSeries& series) {
    return finder.Add({.tsuid = series.tsuid}, series.path);
  };
  EXPECT_THAT(add(At("01", {"Aa"}, "x")), IsOkAndHolds(""));
  EXPECT_THAT(add(At("02", {"BB"}, "y")), IsOkAndHolds("01"));  // the branch
  EXPECT_THAT(add(At("03", {"Aa"}, "x")), IsOkAndHolds("01"));  // the leaf
  EXPECT_THAT(add(At("04", {"Aa"}, "AaAa")), IsOkAndHolds(""));
  EXPECT_THAT(add(At("05", {"Aa"}, "BBBB")), IsOkAndHolds("04"));
  EXPECT_THAT(add(At("06", {"Aa", "x"}, "x")), IsOkAndHolds(""));  // a branch and a leaf
}

// The tree as OpenTSDB stores it: rows by id, each with a name, leaves and branches.
struct WholeTree {
  struct Row {
    std::string name = {};
    std::string owner = {};
    std::map<uint32_t, std::pair<std::string, std::string>> leaves = {};  // by hash: name, tsuid
    std::set<std::string> branches = {};
  };
  std::map<std::string, Row> rows = {{RootBranchId(1), {.name = "ROOT"}}};

  // The tsuid with which the series collides.
  std::string Add(const PlacedSeries& series) {
    std::string id = RootBranchId(1);
    for (const std::string& name : series.path.branches) {
      Row& parent = rows[id];
      AppendNameHash(name, &id);
      const auto [row, is_new] = rows.try_emplace(id, Row{.name = name, .owner = series.tsuid});
      if (row->second.name != name) return row->second.owner;
      parent.branches.insert(name);
    }
    const auto [leaf, is_new] =
        rows[id].leaves.try_emplace(JavaHash(series.path.leaf), series.path.leaf, series.tsuid);
    return is_new ? "" : leaf->second.second;
  }
};

std::vector<PlacedSeries> RandomSeries(Random* random) {
  // Two pairs have one hash.
  const std::vector<std::string> names = {"Aa", "BB", "AaAa", "BBBB", "web", "Web"};
  const auto any = [&](size_t count) { return static_cast<size_t>(random->Below(count)); };
  std::vector<PlacedSeries> all;
  for (size_t i = 0; i < 60; ++i) {
    std::vector<std::string> branches;
    for (size_t depth = any(4); depth > 0; --depth)
      branches.push_back(names[any(names.size())]);
    all.push_back(At(fmt::format("{:02X}", i), branches, names[any(names.size())]));
  }
  return all;
}

TEST(BranchFinderTest, AgreesWithAWholeTree) {
  constexpr uint64_t kSeed = 20261127;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  for (int round = 0; round < 50; ++round) {
    const std::vector<PlacedSeries> all = RandomSeries(&random);
    WholeTree whole;
    CollisionFinder collisions(nullptr);
    for (const PlacedSeries& series : all)
      EXPECT_THAT(collisions.Add({.tsuid = series.tsuid}, series.path),
                  IsOkAndHolds(whole.Add(series)));
    for (const auto& [id, row] : whole.rows) {
      const auto branch = BranchOf(all, id);
      ASSERT_TRUE(branch.has_value());
      EXPECT_EQ(branch->path.empty() ? "ROOT" : branch->path.back(), row.name);
      EXPECT_EQ(std::set<std::string>(branch->branches.begin(), branch->branches.end()),
                row.branches);
      std::set<std::string> leaves;
      for (const auto& [hash, leaf] : row.leaves)
        leaves.insert(leaf.first + "=" + leaf.second);
      const std::vector<std::string> got = LeavesOf(*branch);
      EXPECT_EQ(std::set<std::string>(got.begin(), got.end()), leaves);
    }
  }
}

class SmallAccount final : public MemoryAccount {
 public:
  absl::Status Take(size_t bytes) override {
    if (held + bytes > 1'000) return absl::ResourceExhaustedError("full");
    held += bytes;
    return absl::OkStatus();
  }
  void GiveBack(size_t bytes) override { held -= bytes; }

  size_t held = 0;
};

TEST(BranchFinderTest, MemoryIsCountedAndGivenBack) {
  SmallAccount account;
  {
    BranchFinder finder(RootBranchId(1), &account);
    CollisionFinder collisions(&account);
    absl::Status added;
    absl::Status taken;
    for (int i = 0; i < 20 && added.ok(); ++i) {
      const PlacedSeries series = At(fmt::format("{:02X}", i), {}, fmt::format("leaf {}", i));
      added = finder.Add({.tsuid = series.tsuid}, series.path);
      taken = collisions.Add({.tsuid = series.tsuid}, series.path).status();
    }
    EXPECT_EQ(added.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(taken.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_GT(account.held, 0);
  }
  EXPECT_EQ(account.held, 0);
}

}  // namespace
}  // namespace hourcell::branch_finder_test
