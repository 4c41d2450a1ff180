#include "bench/lab/layouts/cell_form.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/value.h"
#include "tests/support/status_matchers.h"

namespace hourcell::layouts::cell_form_test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

CellColumns TwoPoints(bool is_ms) {
  CellColumns columns;
  for (const auto& [offset_ms, value] :
       {std::pair{0u, Value::Integer(42)}, std::pair{10'000u, Value::Float(0.5)}}) {
    columns.push_back({.offset_ms = offset_ms, .is_ms = is_ms, .flags = ValueFlags(value)}, value);
  }
  return columns;
}

TEST(CellFormTest, NamesAreFoundAgain) {
  EXPECT_EQ(CellForms().size(), 8u);
  for (const CellForm& form : CellForms())
    EXPECT_THAT(FindCellForm(CellFormName(form)), IsOkAndHolds(form));
  EXPECT_THAT(FindCellForm("packet").status(),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("packed-ms")));
}

TEST(CellFormTest, APointIsAKeyOfItsOwnOrAnOperandOfItsRow) {
  const CellForm per_point{CellKind::kPerPoint, false};
  const Mutation cell = PointWrite(per_point, "row", TwoPoints(false), 1);
  EXPECT_EQ(cell.kind, Mutation::Kind::kSet);
  EXPECT_EQ(ToHex(cell.key.substr(3)), "00ab");  // 10 s, a float of 4 bytes
  EXPECT_EQ(ToHex(cell.value), "3f000000");

  const Mutation append = PointWrite({CellKind::kAppend, false}, "row", TwoPoints(false), 1);
  EXPECT_EQ(append.kind, Mutation::Kind::kMerge);
  EXPECT_EQ(append.key, "row");
  EXPECT_EQ(ToHex(append.value),
            "01"
            "00ab"
            "3f000000");
}

TEST(CellFormTest, MillisecondsTakeTwoBytesMore) {
  for (const CellKind kind : {CellKind::kPerPoint, CellKind::kAppend}) {
    const Mutation seconds = PointWrite({kind, false}, "row", TwoPoints(false), 1);
    const Mutation ms = PointWrite({kind, true}, "row", TwoPoints(true), 1);
    EXPECT_EQ(ms.key.size() + ms.value.size(), seconds.key.size() + seconds.value.size() + 2);
  }
}

TEST(CellFormTest, EveryFormReadsWhatItWrote) {
  for (const CellForm& form : CellForms()) {
    SCOPED_TRACE(CellFormName(form));
    const CellColumns written = TwoPoints(form.is_ms);
    CellColumns read;
    if (form.is_by_point()) {
      for (size_t i = 0; i < written.size(); ++i) {
        const Mutation write = PointWrite(form, "row", written, i);
        ASSERT_OK(ReadStored(form, write.key, write.value, &read));
      }
    } else {
      const Mutation write = RowWrite(form, "row", written);
      EXPECT_EQ(write.kind, Mutation::Kind::kMerge);
      ASSERT_OK(ReadStored(form, write.key, write.value, &read));
    }
    EXPECT_EQ(read, written);
  }
}

TEST(CellFormTest, DamageIsDataLoss) {
  CellColumns read;
  EXPECT_THAT(ReadStored({CellKind::kPerPoint, false}, "k", "v", &read),
              StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(ReadStored({CellKind::kPacked, false}, "row", "\x07", &read),
              StatusIs(StatusCode::kDataLoss));
}

}  // namespace
}  // namespace hourcell::layouts::cell_form_test
