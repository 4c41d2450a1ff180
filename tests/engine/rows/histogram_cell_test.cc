#include "engine/rows/histogram_cell.h"

#include <string>

#include <gmock/gmock.h>

#include "codec/base/bytes.h"
#include "tests/support/status_matchers.h"

namespace hourcell::histogram_cell_test {
namespace {

using testing::HasSubstr;

TEST(HistogramCellTest, HasOpenTsdbsBytes) {
  const SimpleHistogram histogram{.buckets = {{0, 1, 42}, {1, 5, 24}}, .overflow = 1};
  std::string cell;
  AppendHistogramCell(42, histogram, &cell);
  EXPECT_EQ(ToHex(cell), "2a0002000000003f8000002a3f80000040a00000180001");
  EXPECT_THAT(ParseHistogramCell(cell), IsOkAndHolds(HistogramValue(histogram)));
}

TEST(HistogramCellTest, AnyIdIsReadAndDamageIsNot) {
  EXPECT_OK(ParseHistogramCell(std::string("\xff\0\0\3\4", 5)));
  EXPECT_THAT(ParseHistogramCell(""), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("empty")));
  EXPECT_THAT(ParseHistogramCell(std::string("\0\0\0\3", 4)),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("cut short")));
}

TEST(HistogramCellTest, AnExponentialHistogramHasAnIdOfItsOwn) {
  const ExponentialHistogram histogram{.scale = 3, .count = 2, .positive = {{-4, 2}}};
  std::string cell;
  AppendExponentialCell(histogram, &cell);
  EXPECT_EQ(ToHex(cell), "fe0003000000000000000000020107010200");
  EXPECT_THAT(ParseHistogramCell(cell), IsOkAndHolds(HistogramValue(histogram)));
  cell.pop_back();
  EXPECT_THAT(ParseHistogramCell(cell),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("cut short at 16 bytes")));
}

}  // namespace
}  // namespace hourcell::histogram_cell_test
