#include "engine/table/table_capabilities.h"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace hourcell::table_capabilities_test {
namespace {

constexpr TableCapability kAll[] = {TableCapability::kOrderedScans, TableCapability::kMergeOperands,
                                    TableCapability::kSnapshots,    TableCapability::kAtomicGroups,
                                    TableCapability::kDurable,      TableCapability::kByteCounts,
                                    TableCapability::kPinnedFiles};

TEST(TableCapabilitiesTest, ASetHasWhatWasPutIn) {
  TableCapabilities promised = {TableCapability::kOrderedScans, TableCapability::kPinnedFiles};
  EXPECT_TRUE(promised.Has(TableCapability::kOrderedScans));
  EXPECT_TRUE(promised.Has(TableCapability::kPinnedFiles));
  EXPECT_FALSE(promised.Has(TableCapability::kDurable));

  promised.Add(TableCapability::kDurable);

  EXPECT_TRUE(promised.Has(TableCapability::kDurable));
}

TEST(TableCapabilitiesTest, EachHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const TableCapability capability : kAll)
    EXPECT_TRUE(names.insert(TableCapabilityName(capability)).second);
}

}  // namespace
}  // namespace hourcell::table_capabilities_test
