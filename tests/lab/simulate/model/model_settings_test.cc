#include "bench/lab/simulate/model/model_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::model_settings_test {
namespace {

using testing::HasSubstr;

TEST(ModelSettingsTest, HBasesNamesAndOurs) {
  const auto hbase = ParseModelSettings({{"hbase.hregion.memstore.flush.size", "1048576"},
                                         {"hbase.hstore.compaction.min", "4"},
                                         {"hbase.hstore.compaction.ratio", "1.5"},
                                         {"hbase.hregion.memstore.block.multiplier", "2"},
                                         {"hbase.regionserver.global.memstore.size", "0.25"},
                                         {"hbase.hregion.majorcompaction", "86400000"},
                                         {"TTL", "3600"},
                                         {"dfs.replication", "3"}},
                                        HBaseModelSettings());
  ASSERT_OK(hbase);
  EXPECT_EQ(hbase->regions.split.flush_bytes, 1'048'576U);
  EXPECT_EQ(hbase->lsm_compaction.files_min, 4U);
  EXPECT_EQ(hbase->lsm_compaction.ratio, 1.5);
  EXPECT_EQ(hbase->block_multiplier, 2U);
  EXPECT_EQ(hbase->memstore_share, 0.25);
  EXPECT_EQ(hbase->major_ms, 86'400'000U);
  EXPECT_EQ(hbase->ttl_ms, 3'600'000U);
  EXPECT_EQ(hbase->cells.model, CellModel::kHBase);

  const auto ours = ParseModelSettings({{"tsd.simulate.memory_bytes", "8GiB"},
                                        {"tsd.simulate.point_bytes", "1.5"},
                                        {"tsd.simulate.ttl_s", "60"}});
  ASSERT_OK(ours);
  EXPECT_EQ(ours->memory_bytes, uint64_t{8} << 30);
  EXPECT_EQ(ours->cells.point_bytes, 1.5);
  EXPECT_EQ(ours->ttl_ms, 60'000U);
  EXPECT_EQ(ours->cells.model, CellModel::kHourcell);
}

TEST(ModelSettingsTest, ForeverIsNoTtl) {
  const auto settings = ParseModelSettings({{"TTL", "2147483647"}});
  ASSERT_OK(settings);
  EXPECT_EQ(settings->ttl_ms, 0U);
}

TEST(ModelSettingsTest, SmallFilesAreThoseBelowTheFlushSize) {
  const auto by_default = ParseModelSettings({{"tsd.region.flush_bytes", "1MiB"}});
  ASSERT_OK(by_default);
  EXPECT_EQ(by_default->lsm_compaction.bytes_min, uint64_t{1} << 20);

  const auto by_name = ParseModelSettings({{"hbase.hstore.compaction.min.size", "4096"}});
  ASSERT_OK(by_name);
  EXPECT_EQ(by_name->lsm_compaction.bytes_min, 4'096U);
}

TEST(ModelSettingsTest, RefusesWhatMakesNoSense) {
  EXPECT_THAT(ParseModelSettings({{"tsd.simulate.memroy_bytes", "1"}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("memroy_bytes")));
  EXPECT_THAT(ParseModelSettings(
                  {{"hbase.hstore.compaction.min", "9"}, {"hbase.hstore.compaction.max", "3"}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("compaction.max")));
  EXPECT_THAT(ParseModelSettings({{"tsd.simulate.cells", "cassandra"}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("hbase, hourcell")));
}

TEST(ModelSettingsTest, BytesOfCells) {
  const CellSettings cells{.model = CellModel::kHBase};
  // 8 bytes of lengths; 2 + 13 row, 1 + 1 family, 2 qualifier, 8 time, 1 type; 8 value.
  EXPECT_EQ(HBaseBytes(cells, 13, 1), 44U);
  EXPECT_EQ(HBaseBytes(cells, 13, 360), 360 * 44U);
  EXPECT_EQ(HourcellBytes(cells, 13, 1, 360), 13 + 15 + 720U);
  EXPECT_EQ(CellBytes(cells, 13, 1, 360), 360 * 44U);
  EXPECT_EQ(CellBytes({}, 13, 1, 360), 748U);
}

}  // namespace
}  // namespace hourcell::model_settings_test
