#include "engine/fsck_series.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/fsck.h"
#include "engine/rocks_table_store.h"
#include "engine/series_rows.h"
#include "tests/engine/backup_testing.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// Whatever row of the index is gone, it is told.
TEST(FsckSeriesTest, EveryMissingIndexRowIsTold) {
  TempDir dir;
  Options options = TinyOptions(dir.file("store"));
  {
    const std::unique_ptr<Tsdb> tsdb = OpenTiny(options);
    PutManySeries(tsdb.get());
    ASSERT_OK(tsdb->Close());
  }
  for (const std::string prefix : {"m", "p", "t", "n"}) {
    SCOPED_TRACE(prefix);
    std::string key;
    std::string value;
    const auto set = [&](Mutation::Kind kind) {
      const auto tables = OpenRocksTableStore(options.path + "/db", options);
      ASSERT_OK(tables);
      if (key.empty()) {
        ASSERT_OK((*tables)->Snapshot()->Scan(TableId::kSeries, {.begin = prefix, .end = ""}, {},
                                              [&](std::string_view k, std::string_view v) {
                                                key = k;
                                                value = v;
                                                return false;
                                              }));
      }
      const Mutation change{.table = TableId::kSeries, .kind = kind, .key = key, .value = value};
      ASSERT_OK((*tables)->Apply({&change, 1}, /*sync=*/false));
      ASSERT_OK((*tables)->Close());
    };
    set(Mutation::Kind::kDelete);
    ASSERT_EQ(key.substr(0, 1), prefix);
    const auto report = RunFsck(options, {});
    ASSERT_OK(report);
    EXPECT_GE(report->faults(), 1u);
    set(Mutation::Kind::kSet);
    const auto good = RunFsck(options, {});
    ASSERT_OK(good);
    EXPECT_THAT(good->counts, IsEmpty());
  }
}

}  // namespace
}  // namespace hourcell
