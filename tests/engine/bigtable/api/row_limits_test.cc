#include "engine/bigtable/api/row_limits.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::row_limits_test {
namespace {

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;

RowMutations Row(const std::string& key, int mutations, size_t value_bytes) {
  RowMutations row;
  row.set_row_key(key);
  for (int i = 0; i < mutations; ++i)
    row.add_mutations()->mutable_set_cell()->set_value(std::string(value_bytes, 'v'));
  return row;
}

TEST(RowLimitsTest, RefusesWhatNoRequestCanHave) {
  const BigtableLimits limits;

  EXPECT_OK(CheckRow(Row(std::string(4096, 'k'), 1, 10), limits));
  EXPECT_THAT(CheckRow(Row("", 1, 10), limits), StatusIs(kInvalid));
  EXPECT_THAT(CheckRow(Row(std::string(4097, 'k'), 1, 10), limits), StatusIs(kInvalid));
  EXPECT_THAT(CheckRow(Row("k", 0, 0), limits), StatusIs(kInvalid));
  EXPECT_OK(CheckRow(Row("k", 100'000, 0), limits));
  EXPECT_THAT(CheckRow(Row("k", 100'001, 0), limits), StatusIs(kInvalid));
}

TEST(RowLimitsTest, RefusesValuesAndRowsThatAreTooLong) {
  const BigtableLimits limits = {.value_bytes_max = 100, .row_bytes_max = 250};

  EXPECT_OK(CheckRow(Row("k", 2, 100), limits));
  EXPECT_THAT(CheckRow(Row("k", 1, 101), limits), StatusIs(kInvalid));
  EXPECT_THAT(CheckRow(Row("k", 3, 100), limits), StatusIs(kInvalid));
}

TEST(RowLimitsTest, AFilterHasTwentyKibAtMost) {
  google::bigtable::v2::RowFilter filter;
  while (filter.ByteSizeLong() <= (20 << 10) - 8)
    filter.mutable_chain()->add_filters()->set_strip_value_transformer(true);
  EXPECT_OK(CheckFilter(filter, {}));

  for (int i = 0; i < 4; ++i)
    filter.mutable_chain()->add_filters()->set_strip_value_transformer(true);

  EXPECT_THAT(CheckFilter(filter, {}), StatusIs(kInvalid));
}

TEST(RowLimitsTest, ARequestHasSoManyMutations) {
  const std::vector<RowMutations> rows(5, Row("k", 40, 0));

  EXPECT_EQ(RowsThatFit(rows, 0, {.mutations_max = 120}), 3u);
  EXPECT_EQ(RowsThatFit(rows, 3, {.mutations_max = 120}), 2u);
  EXPECT_EQ(RowsThatFit(rows, 5, {.mutations_max = 120}), 0u);
}

TEST(RowLimitsTest, ARequestHasSoManyBytes) {
  const std::vector<RowMutations> rows = {Row("a", 1, 300), Row("b", 1, 300), Row("c", 1, 5000)};

  EXPECT_EQ(RowsThatFit(rows, 0, {.request_bytes_max = 1000}), 2u);
  EXPECT_EQ(RowsThatFit(rows, 2, {.request_bytes_max = 1000}), 1u);  // alone
}

}  // namespace
}  // namespace hourcell::row_limits_test
