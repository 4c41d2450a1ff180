#include "codec/cells/packed_cell.h"

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "codec/cells/integer_column.h"
#include "codec/limits.h"
#include "tests/codec/allocation_count.h"
#include "tests/codec/codec_testing.h"
#include "tests/support/status_matchers.h"

namespace hourcell::packed_cell_test {
namespace {

using ::testing::HasSubstr;

CellColumns Points(const std::vector<std::pair<uint32_t, Value>>& points, bool is_ms = kSeconds) {
  CellColumns columns;
  for (const auto& [offset_ms, value] : points)
    AddPoint(offset_ms, is_ms, value, &columns);
  return columns;
}

Value Int(int64_t value) {
  return Value::Integer(value);
}
Value Float(double value) {
  return Value::Float(value);
}

// A full hour at a step of 10 s.
CellColumns Hour(const std::function<Value(int)>& value_at) {
  CellColumns columns;
  for (int i = 0; i < 360; ++i)
    AddPoint(static_cast<uint32_t>(i) * 10'000, kSeconds, value_at(i), &columns);
  return columns;
}

// About normal, with a deviation of 1.
double Normal(Random* random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i)
    sum += random->Fraction();
  return sum;
}

TEST(PackedCellTest, BytesOfOnePoint) {
  EXPECT_EQ(ToHex(PackedCellOf(Points({{0, Int(42)}}))),
            "03"
            "20"    // integers, as they are, all equal
            "0e"    // at 0 s, and as many as an hour holds every 3,600 s
            "54");  // 42
}

TEST(PackedCellTest, BytesOfAConstantHour) {
  EXPECT_EQ(ToHex(PackedCellOf(Hour([](int) { return Int(7); }))),
            "0320"
            "04"  // as many as an hour holds every 10 s
            "0e");
  EXPECT_EQ(ToHex(PackedCellOf(Hour([](int) { return Float(0.5); }))),
            "0325"
            "04"
            "01"  // tenths
            "0a"
            "00");  // 360 * 5 / 10 is the sum of the doubles
}

TEST(PackedCellTest, BytesOfPointsOnALine) {
  EXPECT_EQ(ToHex(PackedCellOf(Points({{0, Int(5)}, {10'000, Int(8)}, {20'000, Int(11)}}))),
            "0300"
            "2402"  // every 10 s, three points
            "0a0c"  // from 5, 6 more at the end
            "00");
}

TEST(PackedCellTest, BytesOfAStream) {
  const CellColumns columns =
      Points({{0, Int(7)}, {10'000, Int(7)}, {20'000, Int(8)}, {30'000, Int(6)}, {40'000, Int(7)}});
  std::string column;
  AppendIntegerColumn(ColumnVersion::kSecond, std::vector<uint64_t>{7, 7, 8, 6, 7}, &column);
  EXPECT_EQ(ToHex(PackedCellOf(columns)), "030024040e00" + ToHex(column));
}

TEST(PackedCellTest, BytesOfAnHourWithItsSummary) {
  const CellColumns columns = Hour([](int i) { return Int(i == 9 ? 5 : 7); });
  std::vector<uint64_t> values(360, 7);
  values[9] = 5;
  std::string column;
  AppendIntegerColumn(ColumnVersion::kSecond, values, &column);
  EXPECT_EQ(ToHex(PackedCellOf(columns)),
            "0300040e00"
            "0202"    // the least is 2 below the first, the largest 2 above that
            "ce05" +  // sum: 360 * 5 + 718
                ToHex(column));
}

TEST(PackedCellTest, BytesOfDecimals) {
  EXPECT_EQ(ToHex(PackedCellOf(Points({{0, Float(1.25)}, {60'000, Float(1.5)}}))),
            "0305"
            "2801"    // every minute, two points
            "02"      // hundredths
            "fa0132"  // 125, then 25 more
            "00");
}

TEST(PackedCellTest, BytesOfMeans) {
  EXPECT_EQ(ToHex(PackedCellOf(Points({{0, Float(77 / 6.0)}, {60'000, Float(79 / 6.0)}}))),
            "03052801"
            "8004"    // units, with a factor: 6
            "9a0104"  // 77, then 2 more
            "00");
}

TEST(PackedCellTest, BytesOfAnException) {
  const CellColumns columns = Points({{0, Float(2.302)},
                                      {60'000, Float(2.304)},
                                      {120'000, Float(2.3040000000000003)},
                                      {180'000, Float(2.308)}});
  std::string column;
  AppendIntegerColumn(ColumnVersion::kSecond, std::vector<uint64_t>{2302, 2304, 2304, 2308},
                      &column);
  EXPECT_EQ(ToHex(PackedCellOf(columns)),
            "0345"
            "2803"
            "03"        // thousandths
            "fc230c"    // 2,302, then 6 more
            "000202" +  // one exception, the third, one unit of the last place above
                ToHex(column));
}

TEST(PackedCellTest, BytesOfMinusZeroAreItsBits) {
  EXPECT_EQ(ToHex(PackedCellOf(Points({{0, Float(-0.0)}}))),
            "0329"
            "0e"
            "8000000000000000");
}

// Cells of every flags kind and form of numbers, times on a line and not, in s and ms.
std::vector<CellColumns> SampleColumns() {
  const double pi = std::acos(-1.0);
  std::vector<CellColumns> samples = {
      Points({{0, Int(42)}}),
      Points({{0, Int(7)}, {10'000, Int(7)}, {20'000, Int(8)}, {30'000, Int(-300)}}),
      Points({{1, Int(1)}, {999, Int(1)}, {3'599'999, Int(5)}}, kMs),
      Points({{0, Float(1.25)}, {1000, Float(-99.99)}, {2000, Float(0)}, {7000, Float(1e6)}}),
      Points({{0, Float(pi / 3)}, {1000, Float(-pi)}, {2000, Float(1e300)}, {3000, Float(-0.0)}}),
      Points({{0, Int(4)}, {1000, Float(4.5)}, {2000, Int(5)}, {3000, Float(7)}}),
      Points({{0, Int(1)}, {1000, Float(pi * 1e-9)}, {5000, Int(1LL << 60)}}),
      Points({{0, Int(std::numeric_limits<int64_t>::min())},
              {1000, Int(std::numeric_limits<int64_t>::max())},
              {2000, Int(0)}}),
      Points({{0, Float(4e-323)}, {1000, Float(std::numeric_limits<double>::max())}})};
  CellColumns mixed = Points({{0, Int(4)}});
  AddPoint(1, kMs, Int(5), &mixed);
  AddPoint(2000, kSeconds, Float(0.5), &mixed);
  samples.push_back(mixed);
  CellColumns wide;
  wide.push_back({.offset_ms = 0, .is_ms = false, .flags = 7}, Int(42));
  wide.push_back({.offset_ms = 1000, .is_ms = false, .flags = 7}, Int(43));
  samples.push_back(wide);
  CellColumns nan = wide;
  nan.push_back({.offset_ms = 2000, .is_ms = true, .flags = 0xF},
                Float(std::numeric_limits<double>::quiet_NaN()));
  nan.push_back({.offset_ms = 3000, .is_ms = false, .flags = 0xB},
                Float(-std::numeric_limits<double>::infinity()));
  samples.push_back(nan);
  // Hours with each rule, with exceptions, and with few points, which have no summary.
  for (const int count : {5, 40}) {
    const auto add = [&](const std::function<Value(int)>& value_at) {
      CellColumns columns;
      for (int i = 0; i < count; ++i)
        AddPoint(static_cast<uint32_t>(i) * 60'000, kSeconds, value_at(i), &columns);
      samples.push_back(columns);
    };
    add([](int) { return Float(0.7); });
    add([](int i) { return Float(i * i % 89 * 0.001); });
    add([](int i) { return Float(static_cast<float>(i * i % 89 / 100.0)); });
    add([](int i) { return Float(i * i % 89 / 6.0); });
    add([](int i) { return Float(i == 0 ? std::nextafter(0.8, 1) : i * i % 89 / 10.0); });
    add([](int i) { return i % 3 == 0 ? Int(i) : Float(i == 4 ? 1e17 / 3 : i / 10.0); });
    add([&](int i) { return Float(i == 3 ? -pi * 1e8 : i % 2 / 10.0); });
  }
  CellColumns stale = samples.back();
  AddPoint(3'000'000, kMs, Float(std::bit_cast<double>(Value::kStaleMarkerBits)), &stale);
  samples.push_back(stale);
  return samples;
}

void ExpectRoundTrip(const CellColumns& columns) {
  const std::string packed = PackedCellOf(columns);
  SCOPED_TRACE(ToHex(packed));
  CellColumns unpacked;
  ASSERT_OK(DecodePackedCell(packed, &unpacked));
  EXPECT_EQ(unpacked, columns);
  EXPECT_EQ(OpenTsdbCellOf(unpacked), OpenTsdbCellOf(columns));
  EXPECT_EQ(PackedCellOf(unpacked), packed);
  const auto summary = ReadCellSummary(packed);
  ASSERT_OK(summary);
  EXPECT_EQ(*summary, Summarize(columns));
}

TEST(PackedCellTest, SamplesRoundTrip) {
  for (const CellColumns& columns : SampleColumns())
    ExpectRoundTrip(columns);
}

TEST(PackedCellTest, DecodeAppends) {
  CellColumns columns = Points({{0, Int(1)}});
  ASSERT_OK(DecodePackedCell(PackedCellOf(Points({{1000, Float(2.5)}, {5000, Int(3)}})), &columns));
  EXPECT_EQ(columns, Points({{0, Int(1)}, {1000, Float(2.5)}, {5000, Int(3)}}));
}

// Values of one kind, from one to the next.
Value RandomValue(uint64_t kind, uint64_t width, Random* random, int64_t* integer, double* number) {
  switch (kind) {
    case 0:
      return Int(static_cast<int64_t>(random->Next() >> width));
    case 1:
      *integer = static_cast<int64_t>(static_cast<uint64_t>(*integer) + (random->Next() >> width));
      return Int(*integer);
    case 2:
      *number += Normal(random);
      return Float(std::round(*number * 100) / 100);
    case 3:
      *number += Normal(random);
      return Float(*number);
    case 4:
      *number += Normal(random);
      return Float(static_cast<float>(*number));
    case 5:
      return random->Below(2) == 0 ? Int(*integer) : Float(std::floor(*number) + 0.25);
    case 8:
      *number += Normal(random);
      return Float(std::round(*number * 100) * (width % 2 == 0 ? 0.01 : 1 / 6.0));
    case 9: {
      *number += Normal(random);
      const double rounded = std::round(*number * 100) / 100;
      return random->Below(8) == 0 ? Float(std::nextafter(rounded, *number)) : Float(rounded);
    }
    case 10: {
      *number += Normal(random);
      const double rounded = std::round(*number * 10) / 10;
      return random->Below(16) == 0 ? Float(*number * 1e12) : Float(static_cast<float>(rounded));
    }
    case 11:
      *number += Normal(random);
      if (random->Below(4) == 0) return Int(static_cast<int64_t>(*number));
      return Float(random->Below(16) == 0 ? -0.0 : std::round(*number * 10) / 10);
    case 6: {
      const auto any = std::bit_cast<double>(random->Next());
      return Float(std::isfinite(any) ? any : -0.0);
    }
    default:
      return Int(*integer);
  }
}

// Times of one kind, values of one kind; some with flags that a put would not give.
CellColumns RandomColumns(Random* random) {
  const uint64_t points = 1 + random->Below(random->Below(4) == 0 ? 400 : 12);
  const uint64_t times = random->Below(4);
  const uint64_t kind = random->Below(12);
  const uint64_t width = random->Below(64);
  const bool is_flagged = random->Below(4) == 0;
  auto integer = static_cast<int64_t>(random->Next() >> random->Below(64));
  double number = random->Fraction() * 1000;
  uint64_t offset_ms = random->Below(10) * 1000;
  CellColumns columns;
  for (uint64_t i = 0; i < points && offset_ms < kQualifierSpanMs; ++i) {
    const Value value = RandomValue(kind, width, random, &integer, &number);
    uint8_t flags = ValueFlags(value);
    if (is_flagged && random->Below(2) == 0) flags |= 7;
    const bool is_ms = times >= 2 || (is_flagged && random->Below(2) == 0);
    columns.push_back(
        {.offset_ms = static_cast<uint32_t>(offset_ms), .is_ms = is_ms, .flags = flags}, value);
    offset_ms += times == 0   ? 10'000
                 : times == 1 ? 1000 * (1 + random->Below(20))
                 : times == 2 ? 1 + random->Below(9)
                              : 9'900 + random->Below(200);
  }
  return columns;
}

TEST(PackedCellTest, RandomColumnsRoundTrip) {
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    ExpectRoundTrip(RandomColumns(&random));
    if (HasFailure()) return;
  }
}

TEST(PackedCellTest, EveryMillisecondOfAnHourRoundTrips) {
  CellColumns columns;
  for (uint32_t i = 0; i < kQualifierSpanMs; ++i)
    AddPoint(i, kMs, Int(i % 7 == 0 ? 1 : 0), &columns);
  const std::string packed = PackedCellOf(columns);
  CellColumns unpacked;
  ASSERT_OK(DecodePackedCell(packed, &unpacked));
  EXPECT_EQ(unpacked, columns);
}

TEST(PackedCellTest, DevopsRowsTakeTheirEntropy) {
  Random random(1);
  double walk = 50;
  const auto step = [&] {
    walk = std::clamp(walk + Normal(&random), 0.0, 100.0);
    return walk;
  };
  // Normal steps cut to integers hold 2.17 bits, to hundredths 8.7.
  const auto integers = Hour([&](int) { return Int(static_cast<int64_t>(step())); });
  EXPECT_LE(PackedCellOf(integers).size(), 120U);
  const auto hundredths = Hour([&](int) { return Float(std::round(step() * 100) / 100); });
  EXPECT_LE(PackedCellOf(hundredths).size(), 425U);
  EXPECT_EQ(PackedCellOf(Hour([](int) { return Int(7); })).size(), 4U);
}

TEST(PackedCellTest, SummarySaysWhatThePointsAddUpTo) {
  const CellColumns integers =
      Points({{1000, Int(3)}, {2000, Int(-5)}, {3000, Int(9)}, {9000, Int(1)}});
  const auto summary = ReadCellSummary(PackedCellOf(integers));
  ASSERT_OK(summary);
  EXPECT_EQ(*summary, (CellSummary{.count = 4,
                                   .first_offset_ms = 1000,
                                   .last_offset_ms = 9000,
                                   .first = Int(3),
                                   .last = Int(1),
                                   .all_integer = true,
                                   .sum = Int(8),
                                   .min = Int(-5),
                                   .max = Int(9)}));

  const CellColumns mixed = Points({{1, Float(0.1)}, {2, Float(0.2)}, {5, Int(-1)}}, kMs);
  const auto mixed_summary = ReadCellSummary(PackedCellOf(mixed));
  ASSERT_OK(mixed_summary);
  EXPECT_EQ(*mixed_summary, (CellSummary{.count = 3,
                                         .first_offset_ms = 1,
                                         .last_offset_ms = 5,
                                         .first = Float(0.1),
                                         .last = Int(-1),
                                         .all_integer = false,
                                         .sum = Float(0.1 + 0.2 + -1),
                                         .min = Int(-1),
                                         .max = Float(0.2)}));
}

TEST(PackedCellTest, SummaryNeedsTheHeaderOnly) {
  const std::string packed = PackedCellOf(Hour([](int i) { return Float(i * i % 97 / 10.0); }));
  const auto summary = ReadCellSummary(packed.substr(0, 20));
  ASSERT_OK(summary);
  EXPECT_EQ((*summary)->count, 360U);
  EXPECT_EQ((*summary)->max, Float(9.6));
}

TEST(PackedCellTest, CountNeedsTheHeaderOnly) {
  for (const CellColumns& columns : SampleColumns()) {
    EXPECT_EQ(ReadPackedCount(PackedCellOf(columns)), columns.size());
    EXPECT_EQ(ReadPackedCount(OpenTsdbCellOf(columns)), std::nullopt);
  }
  EXPECT_EQ(ReadPackedCount(""), std::nullopt);
  EXPECT_EQ(ReadPackedCount("\x03"), std::nullopt);
}

TEST(PackedCellTest, SumOfIntegersWrapsAsAdditionDoes) {
  const int64_t max = std::numeric_limits<int64_t>::max();
  const auto summary = ReadCellSummary(PackedCellOf(Points({{0, Int(max)}, {1000, Int(2)}})));
  ASSERT_OK(summary);
  EXPECT_EQ((*summary)->sum, Int(std::numeric_limits<int64_t>::min() + 1));
}

TEST(PackedCellTest, OtherCellsHaveNoSummary) {
  EXPECT_EQ(ReadCellSummary(Cell("0000", "2a")).value(), std::nullopt);
  EXPECT_EQ(ReadCellSummary(PackedCellOf(SampleColumns().back())).value(), std::nullopt);
  for (const char* damaged :
       {"", "ff040100002a01f0", "02", "0240", "02400100", "03", "0320", "03200e"}) {
    EXPECT_THAT(ReadCellSummary(Hex(damaged)).status(), StatusIs(absl::StatusCode::kDataLoss));
  }
}

TEST(PackedCellTest, DecodeNamesTheFault) {
  const auto check = [](const std::string& hex, const char* fault) {
    SCOPED_TRACE(hex);
    CellColumns columns = Points({{0, Int(1)}});
    EXPECT_THAT(DecodePackedCell(Hex(hex), &columns),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr(fault)));
    EXPECT_EQ(columns, Points({{0, Int(1)}}));
  };
  check("", "not packed");
  check("0100002a", "not packed");
  check("02 4c 01 0000 54000000 00 00", "unknown form");
  check("02 41 01 0000 54000000 00 00", "form of numbers");
  check("02 00 01 0000 54000000 00 00", "no summary");
  check("02 60 01 0000 54000000 00 00", "times that do not fit the qualifiers");
  check("02 40 00 0000 54000000 00 00", "no points");
  check("02 40 01 901c00 54000000 00 00", "times that do not fit an hour");
  check("02 40 03 0001 54000000 00 00", "times that do not fit an hour");
  check("02 40 03 0003 54000000 00 00", "times that are not on a line");
  check("02 40 01 0000 54000000 00", "column cut short");
  check("02 40 01 0000 54000000", "header cut short");
  check("02 40 01 0000 54000000 00 0000", "bytes after the last column");
  check("02 40 01 0000 54010000 00 00", "two values of one point");
  check("02 40 01 0000 54000000 01 00", "numbers that differ from their summary");
  check("02 40 03 0002 0a000606 09 01", "line with a model");
  check("02 40 03 0002 0a000506 09 00", "line that does not meet its last value");
  check("02 45 01 0000 13 54000000 00 00 00", "exponent out of range");
  check("02 43 01 0000 00 0202 54000000 00 00 00", "flags that do not fit their value");
  check("02 43 01 0000 00 0000 d8040000 00 00 00 00", "flags that do not fit their value");
  check(
      "02 49 01 0000 7ff0000000000000 7ff0000000000000 7ff0000000000000 7ff0000000000000"
      "7ff0000000000000 00",
      "points that differ from their summary");

  check("03 80 0e 54", "unknown shape");
  check("03 2c 0e 54", "unknown form");
  check("03 21 0e 54", "form of numbers");
  check("03 60 0e 54", "exceptions of numbers that are not decimals");
  check("03 20 8e 54", "times that do not fit the qualifiers");
  check("03 20 1e 901c 54", "times that do not fit the row");
  check("03 20 3e 0101 54", "times that do not fit the row");
  check("03 20 6e 01 54", "times without their count");
  check("03 20 0f 00 54", "times that do not ascend");
  check("03 20 0e", "header cut short");
  check("03 20 0e 54 00", "bytes after the last column");
  check("03 00 0e 54 02 00", "two values of one point");
  check("03 00 04 0e00 0202 cf05 00", "numbers that differ from their summary");
  check("03 25 0e 13 54", "unknown scale");
  check("03 25 0e 8f fe01 54", "divisor out of range");
  check("03 25 0e 60 54", "unknown scale");
  check("03 65 0e 00 54 0100020002", "more exceptions");
  check("03 65 0e 00 54 000102", "exceptions after the last point");
  check("03 22 0e 10 54", "form of numbers");
  check("03 26 0e 00 10 54 00", "no summary");
  check("03 66 0e 00 00 54 000002 00", "exception that is an integer");
}

// What bytes decode to packs and unpacks to the same again; else they are data loss.
void ExpectRefusedOrValid(const std::string& cell) {
  SCOPED_TRACE(ToHex(cell));
  CellColumns columns;
  const absl::Status status = DecodePackedCell(cell, &columns);
  if (status.ok()) {
    ExpectRoundTrip(columns);
  } else {
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kDataLoss));
    EXPECT_EQ(columns.size(), 0U);
  }
}

TEST(PackedCellTest, EveryTruncationIsRefused) {
  for (const CellColumns& sample : SampleColumns()) {
    const std::string cell = PackedCellOf(sample);
    for (size_t size = 0; size < cell.size(); ++size) {
      CellColumns columns;
      EXPECT_THAT(DecodePackedCell(cell.substr(0, size), &columns),
                  StatusIs(absl::StatusCode::kDataLoss));
    }
  }
}

TEST(PackedCellTest, EverySingleBitFlipIsRefusedOrAValidCell) {
  for (const CellColumns& sample : SampleColumns()) {
    const std::string cell = PackedCellOf(sample);
    for (size_t bit = 0; bit < 8 * cell.size(); ++bit) {
      std::string damaged = cell;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
      ExpectRefusedOrValid(damaged);
    }
  }
}

TEST(PackedCellTest, ABitFlippedInTheNumbersIsNoticed) {
  Random random(1);
  const auto integers = Hour([&](int) { return Int(static_cast<int64_t>(random.Below(50))); });
  const std::string cell = PackedCellOf(integers);
  // Times and the first number, which the others lean on, make another good cell.
  constexpr size_t kUpToFirst = 4;
  for (size_t bit = 8 * kUpToFirst; bit < 8 * cell.size(); ++bit) {
    std::string damaged = cell;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    CellColumns columns;
    EXPECT_FALSE(DecodePackedCell(damaged, &columns).ok()) << "bit " << bit;
  }
}

TEST(PackedCellTest, RandomBytesAreRefusedOrValid) {
  for (uint64_t seed = 1; seed <= 40'000; ++seed) {
    Random random(seed);
    std::string cell = seed % 2 == 0 ? "\x02" : "\x03";
    for (uint64_t i = random.Below(40); i > 0; --i)
      cell.push_back(static_cast<char>(random.Next() >> (random.Below(2) * 5)));
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ExpectRefusedOrValid(cell);
    if (HasFailure()) return;
  }
}

TEST(PackedCellTest, AFalseCountTakesNoMemory) {
  // All points of an hour every millisecond, in a stream of three bytes.
  for (const char* cell :
       {"02 70 ffdcdb01 00 fedcdb01 00000000 00 e0 000000", "03 10 8f 01 0000 000000 e0 000000"}) {
    CellColumns columns;
    EXPECT_THAT(DecodePackedCell(Hex(cell), &columns),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("columns too short")));
    EXPECT_EQ(columns.bits.capacity(), 0U);
  }
}

TEST(PackedCellTest, DecodingIntoRoomAllocatesNothing) {
  std::vector<std::string> cells;
  for (const CellColumns& sample : SampleColumns())
    cells.push_back(PackedCellOf(sample));
  cells.push_back(PackedCellOf(Hour([](int i) { return Int(i % 7); })));
  cells.push_back(PackedCellOf(Hour([](int i) { return Float(i % 7 / 10.0); })));
  CellColumns columns;
  for (const std::string& cell : cells)
    ASSERT_OK(DecodePackedCell(cell, &columns));
  columns.clear();

  bool is_ok = true;
  const size_t before = AllocationCount();
  for (const std::string& cell : cells) {
    columns.clear();
    is_ok &= DecodePackedCell(cell, &columns).ok() && ReadCellSummary(cell).ok();
  }
  const size_t allocations = AllocationCount() - before;
  EXPECT_TRUE(is_ok);
  EXPECT_EQ(allocations, 0U);
}

}  // namespace
}  // namespace hourcell::packed_cell_test
