#include "engine/store/store_needs.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::store_needs_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(StoreNeedsTest, AStoreThatPromisesAllIsTaken) {
  const TableCapabilities needed = {TableCapability::kOrderedScans, TableCapability::kMergeOperands,
                                    TableCapability::kSnapshots, TableCapability::kDurable};

  EXPECT_OK(CheckStoreNeeds("rocksdb", needed));
}

TEST(StoreNeedsTest, ARefusalNamesTheEngineAndAllThatItLacks) {
  const absl::Status refused =
      CheckStoreNeeds("shelf", {TableCapability::kOrderedScans, TableCapability::kMergeOperands});

  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(std::string(refused.message()),
              AllOf(HasSubstr("\"shelf\""), HasSubstr("snapshots (all reads of a query"),
                    HasSubstr("durable rows ("), Not(HasSubstr("ordered scans"))));
}

TEST(StoreNeedsTest, AStoreInMemoryIsRefused) {
  const MemTableStore store;

  EXPECT_THAT(CheckStoreNeeds("memory", store.capabilities()),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(StoreNeedsTest, EachNeedAlone) {
  for (const StoreNeed& missing : StoreNeeds()) {
    TableCapabilities others = {};
    for (const StoreNeed& need : StoreNeeds()) {
      if (need.capability != missing.capability) others.Add(need.capability);
    }
    const absl::Status refused = CheckStoreNeeds("shelf", others);
    EXPECT_THAT(std::string(refused.message()),
                HasSubstr(std::string(TableCapabilityName(missing.capability))));
  }
}

}  // namespace
}  // namespace hourcell::store_needs_test
