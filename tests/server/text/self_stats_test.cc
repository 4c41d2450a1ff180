#include "server/text/self_stats.h"

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::self_stats_test {
namespace {

TEST(SelfStatsTest, PutsEveryCounterWithItsTags) {
  const TempDir dir;
  Options options;
  options.path = dir.file("store");
  const auto tsdb = Tsdb::Open(options);
  ASSERT_OK(tsdb);
  (*tsdb)->stats().counter("rpc.received", {{"type", "put"}})->Add(7);
  SelfStats self_stats(tsdb->get(), {.host = "here", .port = 4242});

  self_stats.Put(1356998400'123);

  ScanSpec spec;
  spec.metric = "tsd.rpc.received";
  std::map<std::string, std::string> tags;
  ASSERT_OK((*tsdb)->queries().Scan(spec, [&](const ScannedRow& row) {
    for (const TagView& tag : row.tags)
      tags.emplace(tag.key, tag.value);
    EXPECT_EQ(row.times[0].ms, 1356998400'000);
    EXPECT_EQ(row.point_values[0], Value::Integer(7));
    return true;
  }));
  EXPECT_THAT(tags, testing::UnorderedElementsAre(testing::Pair("type", "put"),
                                                  testing::Pair("host", "here"),
                                                  testing::Pair("port", "4242")));
  EXPECT_EQ((*tsdb)->stats().counter("stats.self_errors")->value(), 0U);
}

}  // namespace
}  // namespace hourcell::self_stats_test
