#include "codec/cells/packed_header.h"

#include <limits>

#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "tests/codec/codec_testing.h"

namespace hourcell::packed_header_test {
namespace {

PackedHeader Decimals() {
  return {.flags_kind = FlagsKind::kFloats,
          .form = NumberForm::kDecimals,
          .is_ms = true,
          .has_ms_times = true,
          .has_summary = true,
          .has_time_column = true,
          .count = 300,
          .first_time = 5,
          .last_time = 3'599'999,
          .exponent = 2,
          .types = kTypesMask,
          .first = 110,
          .last = 90,
          .min = static_cast<uint64_t>(-50),
          .max = 12'345,
          .sum = 77'777,
          .sum_of_doubles = 777.77000000000021};
}

TEST(PackedHeaderTest, GivesBackWhatWasAppended) {
  const PackedHeader header = Decimals();
  std::string bytes;
  AppendPackedHeader(header, &bytes);
  bytes += "columns";
  PackedHeader taken;
  std::string_view columns;

  ASSERT_EQ(TakePackedHeader(bytes, &taken, &columns), nullptr);

  EXPECT_EQ(columns, "columns");
  EXPECT_EQ(taken.has_time_column, header.has_time_column);
  EXPECT_EQ(SummaryOf(taken), SummaryOf(header));
  std::string again;
  AppendPackedHeader(taken, &again);
  EXPECT_EQ(ToHex(again + "columns"), ToHex(bytes));
}

TEST(PackedHeaderTest, SummaryIsInMillisecondsAndValues) {
  const CellSummary summary = SummaryOf(Decimals());
  EXPECT_EQ(summary.first_offset_ms, 5U);
  EXPECT_EQ(summary.last_offset_ms, 3'599'999U);
  EXPECT_EQ(summary.first, Value::Float(1.1));
  EXPECT_EQ(summary.min, Value::Float(-0.5));
  EXPECT_EQ(summary.max, Value::Float(123.45));
  EXPECT_EQ(summary.sum, Value::Float(777.77000000000021));
}

TEST(PackedHeaderTest, TypesOfMixedDecimalsSayWhichAreIntegers) {
  PackedHeader header = Decimals();
  header.flags_kind = FlagsKind::kMixed;
  header.types = kLastIsFloat | kMinIsFloat;
  header.first = 300;
  const CellSummary summary = SummaryOf(header);
  EXPECT_EQ(summary.first, Value::Integer(3));
  EXPECT_EQ(summary.last, Value::Float(0.9));
  EXPECT_EQ(summary.max, Value::Integer(123));
}

TEST(PackedHeaderTest, EveryTruncationIsRefused) {
  PackedHeader header = Decimals();
  for (const NumberForm form : {NumberForm::kDecimals, NumberForm::kBits}) {
    header.form = form;
    std::string bytes;
    AppendPackedHeader(header, &bytes);
    for (size_t size = 0; size < bytes.size(); ++size) {
      PackedHeader taken;
      std::string_view columns;
      EXPECT_NE(TakePackedHeader(std::string_view(bytes).substr(0, size), &taken, &columns),
                nullptr);
    }
  }
}

TEST(PackedHeaderTest, EveryTwoBytesAfterTheFormatAreBounded) {
  for (uint32_t i = 0; i < 0x10000; ++i) {
    std::string bytes = "\x02";
    AppendBigEndian(i, 2, &bytes);
    bytes += Hex("00 00 02 10 20 30 40 50 60 70");
    PackedHeader taken;
    std::string_view columns;
    if (TakePackedHeader(bytes, &taken, &columns) != nullptr) continue;
    EXPECT_LE(taken.count, 3'600'000U);
    EXPECT_LT(taken.last_time * taken.unit_ms(), 3'600'000U);
  }
}

}  // namespace
}  // namespace hourcell::packed_header_test
