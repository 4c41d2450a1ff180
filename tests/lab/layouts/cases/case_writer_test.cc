#include "bench/lab/layouts/cases/case_writer.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::layouts::case_writer_test {
namespace {

using testing::SizeIs;

CaseSpec Spec(std::string_view layout, CellForm cell = {}) {
  return {.layout = *FindLayout(layout), .cell = cell, .points = 22'000, .seed = 5};
}

Workload FleetOf(const CaseSpec& spec) {
  return Workload(spec.workload, spec.points, spec.seed);
}

TEST(CaseWriterTest, EstimatesWhatIsWritten) {
  for (const CellForm& form : CellForms()) {
    SCOPED_TRACE(CellFormName(form));
    const CaseSpec spec = Spec("salt-4", form);
    const Workload workload = FleetOf(spec);
    const RunExtent extent = EstimateExtent(spec, workload);
    MemTableStore store;
    CaseResult result{.spec = spec};
    ASSERT_OK(CaseWriter(spec, workload, &store).WriteAll(&result));

    const double bytes = result.stored_bytes_per_point * static_cast<double>(workload.points());
    EXPECT_NEAR(static_cast<double>(extent.bytes), bytes, 0.1 * bytes);
    EXPECT_EQ(extent.writes, result.writes);
    EXPECT_EQ(extent.leading_bytes, 4u);
  }
}

TEST(CaseWriterTest, RegionsOfTheStoreAreThoseOfTheLedger) {
  const CaseSpec spec = Spec("opentsdb");
  const Workload workload = FleetOf(spec);
  MemTableStore store;
  CaseResult result{.spec = spec};
  CaseWriter writer(spec, workload, &store);
  ASSERT_OK(writer.WriteAll(&result));

  const std::vector<RegionInfo> regions = store.Regions(TableId::kData);
  ASSERT_THAT(regions, SizeIs(writer.ledger().Starts().size()));
  EXPECT_GT(regions.size(), 4u);
  EXPECT_EQ(regions.back().range.start, writer.ledger().Starts().back());
}

TEST(CaseWriterTest, PresplitKeysCutTheFirstQuarterEvenly) {
  CaseSpec spec = Spec("salt-64");
  spec.points = 400'000;
  const Workload workload = FleetOf(spec);
  const auto keys = PresplitKeys(spec, workload);
  ASSERT_OK(keys);

  EXPECT_THAT(*keys, SizeIs(kPresplitRegions - 1));
  EXPECT_TRUE(std::ranges::is_sorted(*keys));
}

TEST(CaseWriterTest, WindowsHaveEnoughRows) {
  EXPECT_EQ(WindowsOf(Workload(WorkloadKind::kFleet, 22'000, 1)), 6u);  // its hours
  EXPECT_EQ(WindowsOf(Workload(WorkloadKind::kSingleSeries, 36'000, 1)), 10u);
  EXPECT_EQ(WindowsOf(Workload(WorkloadKind::kBackfill, 3'000'000, 1)), kWindowsMax);
}

}  // namespace
}  // namespace hourcell::layouts::case_writer_test
