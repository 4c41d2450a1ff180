#include "codec/cells/packed_header.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/limits.h"
#include "tests/codec/codec_testing.h"

namespace hourcell::packed_header_test {
namespace {

PackedHeader Decimals() {
  PackedHeader header;
  header.flags_kind = FlagsKind::kFloats;
  header.form = NumberForm::kDecimals;
  header.is_ms = true;
  header.has_ms_times = true;
  header.has_summary = true;
  header.has_time_column = true;
  header.count = 300;
  header.first_time = 5;
  header.last_time = 3'599'999;
  header.scale = {.exponent = 2};
  header.types = kTypesMask;
  header.first = 110;
  header.last = 90;
  header.min = static_cast<uint64_t>(-50);
  header.max = 12'345;
  header.sum = 77'777;
  header.sum_of_doubles = 777.77000000000021;
  return header;
}

std::string BytesOf(const PackedHeader& header, uint32_t span_ms = kQualifierSpanMs) {
  std::string bytes;
  AppendPackedHeader(header, span_ms, &bytes);
  return bytes;
}

const char* Take(std::string_view bytes, PackedHeader* out, uint32_t span_ms = kQualifierSpanMs) {
  std::string_view columns;
  return TakePackedHeader(bytes, span_ms, out, &columns);
}

TEST(PackedHeaderTest, GivesBackWhatWasAppended) {
  PackedHeader header = Decimals();
  for (const ScaleRule rule : {ScaleRule::kDivide, ScaleRule::kMultiply}) {
    header.scale = {.rule = rule, .exponent = 2, .factor = rule == ScaleRule::kDivide ? 1U : 6U};
    const std::string bytes = BytesOf(header) + "columns";
    PackedHeader taken;
    std::string_view columns;

    ASSERT_EQ(TakePackedHeader(bytes, kQualifierSpanMs, &taken, &columns), nullptr);

    EXPECT_EQ(columns, "columns");
    EXPECT_EQ(taken.has_time_column, header.has_time_column);
    EXPECT_EQ(taken.scale, header.scale);
    EXPECT_EQ(SummaryOf(taken), SummaryOf(header));
    EXPECT_EQ(ToHex(BytesOf(taken) + "columns"), ToHex(bytes));
  }
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

TEST(PackedHeaderTest, ExceptionsAreReadInTurn) {
  PackedHeader header = Decimals();
  std::string exceptions;
  AppendException(0, 1, &exceptions);
  AppendException(298, static_cast<uint64_t>(-2), &exceptions);
  header.exception_count = 2;
  header.exceptions = exceptions;
  header.first_correction = 1;
  header.max_correction = static_cast<uint64_t>(-2);
  const std::string bytes = BytesOf(header);
  PackedHeader taken;
  ASSERT_EQ(Take(bytes, &taken), nullptr);

  ExceptionReader reader(taken);
  uint32_t position = 7;
  uint64_t correction = 7;
  ASSERT_TRUE(reader.Next(&position, &correction));
  EXPECT_EQ(position, 0U);
  EXPECT_EQ(correction, 1U);
  ASSERT_TRUE(reader.Next(&position, &correction));
  EXPECT_EQ(position, 299U);
  EXPECT_EQ(correction, static_cast<uint64_t>(-2));
  EXPECT_FALSE(reader.Next(&position, &correction));
  EXPECT_EQ(SummaryOf(taken).first, Value::Float(std::nextafter(1.1, 2)));
  EXPECT_EQ(SummaryOf(taken).last, Value::Float(0.9));
  EXPECT_EQ(SummaryOf(taken).max, Value::Float(std::nextafter(std::nextafter(123.45, 0), 0)));
}

TEST(PackedHeaderTest, ExceptionsMustBeOfThePoints) {
  PackedHeader header = Decimals();
  header.count = 2;
  header.has_summary = false;
  for (const uint32_t gap : {0U, 1U, 2U, 300U}) {
    std::string exceptions;
    AppendException(gap, 1, &exceptions);
    header.exception_count = 1;
    header.exceptions = exceptions;
    PackedHeader taken;
    EXPECT_EQ(Take(BytesOf(header), &taken) == nullptr, gap < 2);
    AppendException(0, 1, &exceptions);
    header.exception_count = 2;
    header.exceptions = exceptions;
    EXPECT_EQ(Take(BytesOf(header), &taken) == nullptr, gap < 1);
  }
}

PackedHeader Integers(uint32_t count, uint32_t first_time, uint32_t last_time) {
  PackedHeader header;
  header.count = count;
  header.first_time = first_time;
  header.last_time = last_time;
  header.is_constant = true;
  return header;
}

TEST(PackedHeaderTest, UsualTimesTakeAByte) {
  const auto hex = [](const PackedHeader& header) { return ToHex(BytesOf(header).substr(2)); };
  EXPECT_EQ(hex(Integers(1, 0, 0)), "0e00");
  EXPECT_EQ(hex(Integers(12, 0, 3300)), "0a00");
  EXPECT_EQ(hex(Integers(360, 0, 3590)), "0400");
  EXPECT_EQ(hex(Integers(360, 7, 3597)), "140700") << "the first is not at the hour";
  EXPECT_EQ(hex(Integers(359, 0, 3580)), "24e60200") << "the last is missing";
  EXPECT_EQ(hex(Integers(515, 0, 3598)), "0f0700") << "every 7 s";
  EXPECT_EQ(hex(Integers(2, 1, 8)), "3f01010700") << "all in all";
}

TEST(PackedHeaderTest, TimesOfARowOfADayAreThoseOfItsSpan) {
  constexpr uint32_t kDayMs = 86'400'000;
  const PackedHeader header = Integers(24, 0, 23 * 3600);
  const std::string bytes = BytesOf(header, kDayMs);
  EXPECT_EQ(ToHex(bytes.substr(2)), "0e00");
  PackedHeader taken;
  ASSERT_EQ(Take(bytes, &taken, kDayMs), nullptr);
  EXPECT_EQ(taken.count, 24U);
  EXPECT_EQ(taken.last_time, 23U * 3600);
  EXPECT_NE(Take(BytesOf(Integers(2, 3600, 7200), kDayMs), &taken), nullptr) << "not in an hour";
}

TEST(PackedHeaderTest, EveryTruncationIsRefused) {
  PackedHeader header = Decimals();
  for (const NumberForm form : {NumberForm::kDecimals, NumberForm::kBits}) {
    header.form = form;
    const std::string bytes = BytesOf(header);
    for (size_t size = 0; size < bytes.size(); ++size) {
      PackedHeader taken;
      EXPECT_NE(Take(std::string_view(bytes).substr(0, size), &taken), nullptr);
    }
  }
}

TEST(PackedHeaderTest, EveryThreeBytesAfterTheFormatAreBounded) {
  for (uint32_t i = 0; i < 0x40000; ++i) {
    std::string bytes = i % 2 == 0 ? "\x02" : "\x03";
    AppendBigEndian(uint64_t{i} * 64 + i % 61, 3, &bytes);
    bytes += Hex("00 02 10 20 30 40 50 60 70");
    PackedHeader taken;
    if (Take(bytes, &taken) != nullptr) continue;
    EXPECT_GE(taken.count, 1U);
    EXPECT_LE(taken.count, 3'600'000U);
    EXPECT_LE(taken.first_time, taken.last_time);
    EXPECT_LT(taken.last_time * taken.unit_ms(), 3'600'000U);
  }
}

}  // namespace
}  // namespace hourcell::packed_header_test
