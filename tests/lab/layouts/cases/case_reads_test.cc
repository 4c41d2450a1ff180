#include "bench/lab/layouts/cases/case_reads.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/lab/layouts/cases/case_writer.h"
#include "bench/lab/layouts/instruction_counter.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::layouts::case_reads_test {
namespace {

using absl::StatusCode;
using testing::AnyOf;
using testing::HasSubstr;

class CaseReadsTest : public testing::Test {
 protected:
  void SetUp() override {
    CaseResult written{.spec = spec_};
    ASSERT_OK(CaseWriter(spec_, workload_, &store_).WriteAll(&written));
  }

  std::string KeyOf(const RowRef& row) const {
    std::string key;
    EXPECT_OK(spec_.layout.keys.Encode(workload_.IdOf(row), &key));
    return key;
  }

  const CaseSpec spec_ = {.layout = *FindLayout("salt-4"), .points = 22'000, .checks_all = true};
  const Workload workload_{spec_.workload, spec_.points, spec_.seed};
  MemTableStore store_;
  CaseResult result_{.spec = spec_};
};

TEST_F(CaseReadsTest, SetsTheFiguresOfEachKind) {
  ASSERT_OK(ReadCase(workload_, &store_, &result_));

  EXPECT_EQ(result_.read(ReadKind::kPoint).accesses, 1);
  EXPECT_EQ(result_.read(ReadKind::kPoint).rows_per_point, 1);
  EXPECT_EQ(result_.read(ReadKind::kSeries).accesses, 6);
  EXPECT_EQ(result_.read(ReadKind::kMetric).accesses, 4);
  EXPECT_NEAR(result_.read(ReadKind::kSeries).rows_per_point, 1.0 / 360, 1e-9);
  EXPECT_GT(result_.read(ReadKind::kMetric).p99_us, 0);
  EXPECT_GT(result_.read(ReadKind::kMetric).cpu_us, 0);
  EXPECT_EQ(result_.read(ReadKind::kMetric).instructions > 0,
            InstructionCounter().Count().has_value());
}

TEST_F(CaseReadsTest, FindsARowThatIsMissing) {
  const Mutation gone{TableId::kData, Mutation::Kind::kDelete, KeyOf({.series = 7, .hour = 3}), ""};
  ASSERT_OK(store_.ApplyUnlogged({&gone, 1}));

  EXPECT_THAT(
      ReadCase(workload_, &store_, &result_),
      StatusIs(StatusCode::kDataLoss, AnyOf(HasSubstr("rows; expected"), HasSubstr("got 0"))));
}

TEST_F(CaseReadsTest, FindsAPointThatIsNotTheOneWritten) {
  std::string cell;
  AppendPointCell(1'234'000, /*is_ms=*/false, Value::Integer(-1), &cell);
  const Mutation wrong{TableId::kData, Mutation::Kind::kMerge, KeyOf({.series = 7, .hour = 3}),
                       cell};
  ASSERT_OK(store_.ApplyUnlogged({&wrong, 1}));

  EXPECT_THAT(ReadCase(workload_, &store_, &result_),
              StatusIs(StatusCode::kDataLoss, HasSubstr("not the 360 that were written")));
}

}  // namespace
}  // namespace hourcell::layouts::case_reads_test
