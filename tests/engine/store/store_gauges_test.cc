#include "engine/store/store_gauges.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::store_gauges_test {
namespace {

std::map<std::string, int64_t> FiguresOf(Tsdb* tsdb) {
  std::map<std::string, int64_t> figures;
  for (const StatSample& sample : tsdb->stats().Snapshot())
    figures[sample.name] += sample.value;
  return figures;
}

TEST(StoreGaugesTest, AreOfTheOpenStoreAndZeroOnceItIsClosed) {
  const TempDir directory;
  const auto tsdb = Tsdb::Open(TinyOptions(directory.path()));
  ASSERT_OK(tsdb);
  ASSERT_OK((*tsdb)->points().Put(OwnedPoint("cpu", "host=a", 1356998400, 1).view()));
  ASSERT_OK((*tsdb)->points().Put(OwnedPoint("cpu", "host=b", 1356998400, 2).view()));

  const std::map<std::string, int64_t> open = FiguresOf(tsdb->get());
  EXPECT_EQ(open.at("uid.ids-used"), 4);  // cpu, host, a, b
  EXPECT_EQ(open.at("series.created"), 2);
  EXPECT_EQ(open.at("series.cache-size"), 2);
  EXPECT_EQ(open.at("region.count"), 2);  // one of data, one of annotations
  EXPECT_EQ(open.at("hours.open"), 2);
  EXPECT_EQ(open.at("journal.blocks"), 2);

  ASSERT_OK((*tsdb)->Close());
  const std::map<std::string, int64_t> closed = FiguresOf(tsdb->get());
  for (const char* const name : {"uid.ids-used", "series.created", "region.count", "hours.open"})
    EXPECT_EQ(closed.at(name), 0) << name;
}

}  // namespace
}  // namespace hourcell::store_gauges_test
