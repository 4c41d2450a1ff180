#include "server/cli/data/scan/aggregate_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::aggregate_table_test {
namespace {

TEST(AggregateTableTest, GroupsAndTheTotalAreLines) {
  const absl::StatusOr<AggregateTables> tables = TablesOfAggregates(
      R"({"total":{"rows":12,"avg":2.5},"groups":[)"
      R"({"by":{"metric":"cpu.user","tag:host":"a"},"rows":3,"avg":2},)"
      R"({"by":{"metric":"mem","tag:host":null},"rows":9,"avg":null}],)"
      R"("regions":[{"id":7,"name":"n","start":"","end":"\\x01","rows":12,"points":20,)"
      R"("ms":0.125}],"workers":1})");

  ASSERT_OK(tables.status());
  EXPECT_EQ(tables->totals,
            "metric    tag:host  rows  avg\n"
            "cpu.user  a            3    2\n"
            "mem       -            9    -\n"
            "total                 12  2.5\n");
  EXPECT_EQ(tables->regions,
            "start  end   region  rows  points     ms\n"
            "-      \\x01       7    12      20  0.125\n");
}

TEST(AggregateTableTest, WithoutGroupsTheTotalIsTheOnlyLine) {
  const absl::StatusOr<AggregateTables> tables =
      TablesOfAggregates(R"({"total":{"points":1200},"groups":[],"regions":[],"workers":1})");

  ASSERT_OK(tables.status());
  EXPECT_EQ(tables->totals, "points\n  1200\n");
}

TEST(AggregateTableTest, AnotherAnswerIsAnError) {
  for (const std::string_view json :
       {"", "[]", "{}", R"({"total":{},"groups":[]})", R"({"total":1,"groups":[],"regions":[]})"}) {
    EXPECT_THAT(TablesOfAggregates(json).status(), StatusIs(absl::StatusCode::kDataLoss)) << json;
  }
}

}  // namespace
}  // namespace hourcell::aggregate_table_test
