#include "engine/documents/tree_store.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::tree_store_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

using Text = std::optional<std::string>;

class TreeStoreTest : public testing::Test {
 protected:
  absl::Status Set(uint16_t id, Text text) {
    return trees_.Change(id, [&](const Text&) -> absl::StatusOr<Text> { return text; });
  }

  absl::Status VisitAll(std::vector<int>* ids) {
    return trees_.Visit([&](uint16_t id, std::string_view) {
      ids->push_back(id);
      return true;
    });
  }

  MemTableStore tables_;
  TreeStore trees_{&tables_, /*sync=*/false};
};

TEST_F(TreeStoreTest, KeysAreAsDrawn) {
  ASSERT_OK(Set(1, "a"));
  ASSERT_OK(Set(65535, "b"));
  ASSERT_OK(Set(258, "c"));
  std::vector<std::string> keys;
  ASSERT_OK(
      tables_.Snapshot()->Scan(TableId::kSystem, {}, [&](std::string_view key, std::string_view) {
        keys.emplace_back(key);
        return true;
      }));
  EXPECT_THAT(keys, ElementsAre("tree/0001", "tree/0102", "tree/FFFF"));
}

TEST_F(TreeStoreTest, ATreeIsFoundAndVisitedUntilItIsRemoved) {
  ASSERT_OK(Set(2, "two"));
  ASSERT_OK(Set(1, "one"));
  std::vector<int> ids;
  ASSERT_OK(VisitAll(&ids));
  EXPECT_THAT(ids, ElementsAre(1, 2));
  EXPECT_THAT(trees_.Find(2), IsOkAndHolds(Optional(std::string("two"))));

  ASSERT_OK(Set(2, std::nullopt));
  EXPECT_THAT(trees_.Find(2), IsOkAndHolds(Text()));
}

TEST_F(TreeStoreTest, NumberZeroIsRefused) {
  EXPECT_THAT(Set(0, "a"), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("1 to 65535")));
  EXPECT_THAT(trees_.Find(0), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_F(TreeStoreTest, AFullStoreTakesChangesButNoMoreTrees) {
  for (uint16_t id = 1; id <= kTreesMax; ++id)
    ASSERT_OK(Set(id, "a"));
  EXPECT_THAT(Set(kTreesMax + 1, "a"), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_OK(Set(kTreesMax, "b"));
  ASSERT_OK(Set(1, std::nullopt));
  EXPECT_OK(Set(kTreesMax + 1, "a"));
}

TEST_F(TreeStoreTest, AKeyThatIsNotANumberIsDamage) {
  for (const std::string key : {"tree/", "tree/0000", "tree/00ab", "tree/00001", "tree/x"}) {
    SCOPED_TRACE(key);
    MemTableStore tables;
    const Mutation write{
        .table = TableId::kSystem, .kind = Mutation::Kind::kSet, .key = key, .value = "x"};
    ASSERT_OK(tables.Apply({&write, 1}, /*sync=*/false));
    EXPECT_THAT(
        TreeStore(&tables, /*sync=*/false).Visit([](uint16_t, std::string_view) { return true; }),
        StatusIs(absl::StatusCode::kDataLoss, HasSubstr(key)));
  }
}

}  // namespace
}  // namespace hourcell::tree_store_test
