// Tables of an OpenTSDB on a FakeBigtable, written by hand, and stores that share them.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "engine/bigtable/bigtable_opentsdb_tables.h"
#include "engine/bigtable/bigtable_storage.h"
#include "engine/opentsdb/adoption.h"
#include "engine/tsdb.h"
#include "tests/engine/bigtable/bigtable_engine.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"

namespace hourcell {

class OpenTsdbFixture : public testing::Test {
 protected:
  static constexpr int64_t kHour = 1356998400;  // 50e22700

  OpenTsdbFixture() {
    fake_.MakeTable("tsdb", {"t"});
    fake_.MakeTable("tsdb-uid", {"id", "name"});
  }

  static std::string Bytes(const std::string& hex) { return *FromHex(hex); }

  // A name and its UID, in both directions, as OpenTSDB assigns it.
  void PutName(const std::string& kind, const std::string& name, const std::string& uid_hex) {
    fake_.PutCell("tsdb-uid", Bytes(uid_hex), {"name", kind}, 1000, name);
    fake_.PutCell("tsdb-uid", name, {"id", kind}, 1000, Bytes(uid_hex));
  }
  void PutCounter(const std::string& kind, const std::string& value_hex) {
    fake_.PutCell("tsdb-uid", std::string(1, '\0'), {"id", kind}, 1000, Bytes(value_hex));
  }
  // A column of the data table: row, qualifier and value in hex. Cells of OpenTSDB have the time of
  // a clock, here that of 2013.
  void PutColumn(const std::string& row,
                 const std::string& qualifier,
                 const std::string& value,
                 int64_t write_time_ms = 1357000000000) {
    fake_.PutCell("tsdb", Bytes(row), {"t", Bytes(qualifier)}, write_time_ms * 1000, Bytes(value));
  }

  // sys.cpu is 000001; host 000001; web01 000001 and web02 000002. UIDs 3 to 9 of tag values were
  // given out once.
  void PutNames() {
    PutName("metrics", "sys.cpu", "000001");
    PutName("tagk", "host", "000001");
    PutName("tagv", "web01", "000001");
    PutName("tagv", "web02", "000002");
    PutCounter("metrics", "0000000000000001");
    PutCounter("tagk", "0000000000000001");
    PutCounter("tagv", "0000000000000009");
  }

  BigtableOptions Shared(const std::string& data_table = "tsdb") {
    BigtableOptions options = QuickBigtableOptions(fake_);
    options.call_timeout_ms = 500;
    options.page_rows = page_rows_;
    options.data_table = data_table;
    options.table_prefix = prefix_;
    return options;
  }

  absl::StatusOr<std::unique_ptr<Tsdb>> Open(bool is_adopting, Layout layout = {}) {
    return OpenOn(Shared(), std::move(layout),
                  is_adopting ? SharedRows::kToAdopt : SharedRows::kAdopted);
  }
  static absl::StatusOr<std::unique_ptr<Tsdb>> OpenOn(const BigtableOptions& bigtable,
                                                      Layout layout = {},
                                                      SharedRows rows = SharedRows::kAdopted) {
    Options options = TinyOptions("bigtable");
    options.layout = std::move(layout);
    options.storage = std::make_shared<BigtableStorage>(
        bigtable, LeaseOptions{.address = "node:4242", .lease_ms = 20, .heartbeat_ms = 3'600'000},
        rows);
    options.seal_in_background = false;
    options.auto_create_metrics = true;
    return Tsdb::Open(options);
  }

  std::unique_ptr<OpenTsdbTables> Tables(const std::string& data_table = "tsdb",
                                         const std::string& uid_table = "tsdb-uid") {
    auto tables = OpenBigtableOpenTsdbTables(Shared(data_table), uid_table);
    EXPECT_OK(tables);
    return *std::move(tables);
  }

  absl::StatusOr<AdoptionProgress> Adopt(const AdoptionOptions& options = {}, Layout layout = {}) {
    auto store = Open(/*is_adopting=*/true, std::move(layout));
    if (!store.ok()) return store.status();
    absl::StatusOr<AdoptionProgress> done = AdoptTables(Tables().get(), store->get(), options);
    EXPECT_OK((*store)->Close());
    return done;
  }

  // "web01 1000 4.5" for each point: host, milliseconds into the hour, value.
  static std::vector<std::string> PointsOf(Tsdb* store) {
    const auto result = store->queries().Query(
        MakeQuery(Aggregator::kNone, "sys.cpu", {}, kHour - 3600, kHour + 36000));
    EXPECT_OK(result);
    std::vector<std::string> points;
    if (!result.ok()) return points;
    for (const ResultSeries& series : result->series) {
      for (const ResultPoint& point : series.points) {
        points.push_back(fmt::format("{} {} {}", series.tags.at(0).second, point.ms - kHour * 1000,
                                     point.value.ToDouble()));
      }
    }
    return points;
  }

  // The columns of a table in hex, "row family:qualifier=value".
  std::vector<std::string> Dump(const std::string& table, const std::set<std::string>& families) {
    std::vector<std::string> lines;
    for (const auto& [key, row] : fake_.TableOf(table)) {
      for (const auto& [column, versions] : row) {
        if (!families.contains(column.family)) continue;
        lines.push_back(fmt::format("{} {}:{}={}", ToHex(key), column.family,
                                    ToHex(column.qualifier), ToHex(versions.begin()->second)));
      }
    }
    return lines;
  }

  FakeBigtable fake_;
  size_t page_rows_ = 4096;
  std::string prefix_ = "hourcell";
};

}  // namespace hourcell
