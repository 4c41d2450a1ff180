#include "engine/regions/live/row_split_probe.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::row_split_probe_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class RowProbeTest : public testing::Test {
 protected:
  RowProbeTest() {
    for (const auto& [key, bytes] : {std::pair("a", 9), {"b", 99}, {"c", 999}, {"d", 9}}) {
      const Mutation row{TableId::kData, Mutation::Kind::kSet, key,
                         std::string(static_cast<size_t>(bytes), 'v')};
      EXPECT_OK(tables_.Apply({&row, 1}, false));
    }
  }
  RegionProbe Probe(const RegionRange& range) {
    const std::unique_ptr<TableView> view = tables_.Snapshot();
    absl::StatusOr<RegionProbe> probe = ProbeRows(view.get(), TableId::kData, range);
    EXPECT_OK(probe);
    return *std::move(probe);
  }

  MemTableStore tables_;
};

TEST_F(RowProbeTest, CountsKeysAndValues) {
  const RegionProbe all = Probe({});
  EXPECT_EQ(all.probe.bytes_between("", ""), 1120u);
  EXPECT_EQ(all.probe.bytes_between("", "b"), 10u);
  EXPECT_EQ(all.probe.bytes_between("b", "c"), 100u);
  EXPECT_EQ(all.probe.bytes_between("b", "bb"), 100u);
  EXPECT_EQ(all.probe.bytes_between("bb", "c"), 0u);
  EXPECT_EQ(all.probe.bytes_between("c", "b"), 0u);
  EXPECT_EQ(all.probe.bytes_between("e", ""), 0u);
}

TEST_F(RowProbeTest, KnowsNothingOutsideOfTheRange) {
  const RegionProbe part = Probe({.start = "b", .end = "d"});
  EXPECT_EQ(part.probe.bytes_between("", ""), 1100u);
  EXPECT_EQ(part.probe.first_row_from(""), "b");
  EXPECT_EQ(part.probe.first_row_from("bb"), "c");
  EXPECT_EQ(part.probe.first_row_from("cc"), "");
  ASSERT_EQ(part.files.size(), 1u);
  EXPECT_EQ(part.files[0].smallest, "b");
  EXPECT_EQ(part.files[0].largest, "c");
  EXPECT_EQ(part.files[0].bytes, 1100u);
}

TEST_F(RowProbeTest, ARangeWithoutRowsIsEmpty) {
  const RegionProbe none = Probe({.start = "x", .end = ""});
  EXPECT_THAT(none.files, IsEmpty());
  EXPECT_EQ(none.probe.bytes_between("", ""), 0u);
  EXPECT_EQ(none.probe.first_row_from(""), "");
}

}  // namespace
}  // namespace hourcell::row_split_probe_test
