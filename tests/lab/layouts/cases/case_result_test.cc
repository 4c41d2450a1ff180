#include "bench/lab/layouts/cases/case_result.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/lab/layouts/cases/results.h"

namespace hourcell::layouts::case_result_test {
namespace {

TEST(CaseResultTest, ACaseIsNamedByItsFourChoices) {
  EXPECT_EQ(CaseName(MadeUpResult("salt-16", {CellKind::kAppend, true}).spec),
            "fleet salt-16 append-ms increasing");
}

TEST(CaseResultTest, BucketShareIsAllForFewAndAFairShareForMany) {
  EXPECT_EQ(BucketShare(1, 16), 1);
  EXPECT_EQ(BucketShare(5, 1), 1);
  // 1,600 series over 16 buckets: 100 each, and sqrt(2 * 100 * ln 16) = 23.5 more.
  EXPECT_NEAR(BucketShare(1'600, 16), 123.5 / 1'600, 1e-4);
  EXPECT_NEAR(BucketShare(100'000'000, 16), 1.0 / 16, 1e-3);
}

TEST(CaseResultTest, QuantilesAreByNearestRank) {
  EXPECT_EQ(Quantile({}, 0.5), 0);
  EXPECT_EQ(Quantile({7}, 0.99), 7);
  EXPECT_EQ(Quantile({4, 1, 3, 2}, 0.5), 2);
  EXPECT_EQ(Quantile({4, 1, 3, 2}, 1), 4);
  EXPECT_EQ(Quantile({4, 1, 3, 2}, 0), 1);
}

double ValueOf(const CaseResult& result, std::string_view name) {
  for (const auto fields : {WriteFields(), ReadFields()}) {
    for (const ResultField& field : fields) {
      if (field.name == name) return field.value(result);
    }
  }
  ADD_FAILURE() << "no field " << name;
  return 0;
}

TEST(CaseResultTest, TheMeasuredFiguresOfAResultCanBeSet) {
  CaseResult result = MadeUpResult("opentsdb");
  size_t measured = 0;
  for (const auto fields : {WriteFields(), ReadFields()}) {
    for (const ResultField& field : fields) {
      ASSERT_EQ(field.measured == nullptr, field.kind == FieldKind::kCount) << field.name;
      if (field.measured == nullptr) continue;
      *field.measured(&result) = static_cast<double>(++measured);
      EXPECT_EQ(field.value(result), static_cast<double>(measured)) << field.name;
    }
  }
  EXPECT_EQ(measured, 9U + 3 * 4);
  EXPECT_EQ(ValueOf(result, "splits"), 1);
}

TEST(CaseResultTest, FieldsHaveNamesOfTheirOwnAndTheFigures) {
  std::set<std::string_view> names;
  for (const auto fields : {WriteFields(), ReadFields()}) {
    for (const ResultField& field : fields)
      EXPECT_TRUE(names.insert(field.name).second) << field.name;
  }
  const CaseResult result = MadeUpResult("opentsdb");

  EXPECT_EQ(ValueOf(result, "write_points_per_s"), 123'456);
  EXPECT_EQ(ValueOf(result, "write_cpu_us_per_kpoint"), 321);
  EXPECT_EQ(ValueOf(result, "series_cpu_us"), 30);
  EXPECT_EQ(ValueOf(result, "metric_blocks"), 12);
  EXPECT_EQ(ValueOf(result, "hot_share_percent"), 50);
  EXPECT_EQ(ValueOf(result, "metric_bytes_per_point"), 3);
}

}  // namespace
}  // namespace hourcell::layouts::case_result_test
