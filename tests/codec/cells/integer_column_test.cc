#include "codec/cells/integer_column.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include <absl/strings/escaping.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"

namespace hourcell::integer_column_test {
namespace {

using Values = std::vector<uint64_t>;

constexpr std::array<ColumnVersion, 2> kVersions = {ColumnVersion::kFirst, ColumnVersion::kSecond};

std::string Column(ColumnVersion version, const Values& values) {
  std::string column;
  AppendIntegerColumn(version, values, &column);
  return column;
}

// Predictors by the numbers of packed_cell.h.
enum { kLine, kLevel, kChord, kDelta, kSlope, kCentred, kSecondDelta, kSmallDelta };

int PredictorOf(const Values& values) {
  return static_cast<uint8_t>(Column(ColumnVersion::kFirst, values).front()) >> 5;
}

Values Series(size_t count, const std::function<int64_t(int64_t)>& value_at) {
  Values values;
  for (size_t i = 0; i < count; ++i)
    values.push_back(static_cast<uint64_t>(value_at(static_cast<int64_t>(i))));
  return values;
}

// Noise of three bits, the same every time.
int64_t Noise(int64_t i) {
  return static_cast<int64_t>(Random(static_cast<uint64_t>(i)).Next() % 8);
}

void ExpectTotalsOf(const Values& values, const IntegerTotals& totals) {
  const auto less = [](uint64_t a, uint64_t b) {
    return static_cast<int64_t>(a) < static_cast<int64_t>(b);
  };
  const auto [min, max] = std::minmax_element(values.begin(), values.end(), less);
  EXPECT_EQ(totals.min, static_cast<int64_t>(*min));
  EXPECT_EQ(totals.max, static_cast<int64_t>(*max));
  EXPECT_EQ(totals.sum, std::accumulate(values.begin(), values.end(), uint64_t{0}));
}

// Decodes with the first and last value known; a following byte is not taken.
void ExpectDecodes(ColumnVersion version, const std::string& column, const Values& values) {
  const std::string bytes = column + '\x5A';
  Values decoded(values.size(), 77);
  decoded.front() = values.front();
  decoded.back() = values.back();
  std::string_view rest = bytes;
  IntegerTotals totals;

  ASSERT_EQ(TakeIntegerColumn(version, &rest, decoded, &totals), nullptr);

  EXPECT_EQ(decoded, values);
  EXPECT_EQ(rest, "\x5A");
  ExpectTotalsOf(values, totals);
}

void ExpectRoundTrip(const Values& values) {
  for (const ColumnVersion version : kVersions)
    ExpectDecodes(version, Column(version, values), values);
}

TEST(IntegerColumnTest, PredictorFitsTheSeries) {
  EXPECT_EQ(PredictorOf({5}), kLine);
  EXPECT_EQ(PredictorOf({5, 9}), kLine);
  EXPECT_EQ(PredictorOf(Series(99, [](int64_t i) { return 7 - 3 * i; })), kLine);
  EXPECT_EQ(PredictorOf(Series(99, [](int64_t i) { return 1000 * Noise(i) + i % 2; })), kLevel);
  EXPECT_EQ(PredictorOf(Series(99, [](int64_t i) { return 1000 * i + Noise(i); })), kChord);
  EXPECT_EQ(PredictorOf(Series(99, [](int64_t i) { return i * i * i; })), kSecondDelta);
  int64_t walk = 0;
  EXPECT_EQ(PredictorOf(Series(99, [&](int64_t i) { return walk += Noise(i) / 3 - 1; })),
            kSmallDelta);
  EXPECT_EQ(PredictorOf(Series(99, [&](int64_t i) { return walk += 999 * (Noise(i) - 3); })),
            kDelta);
  EXPECT_EQ(PredictorOf(Series(999, [&](int64_t i) { return walk += 90000 + Noise(i); })), kSlope);
  // Ten seconds apart but for some gaps.
  EXPECT_EQ(PredictorOf(Series(99, [](int64_t i) { return 10 * i + 77 * (i / 20); })), kCentred);
}

TEST(IntegerColumnTest, SmallWalkTakesItsEntropy) {
  int64_t walk = 0;
  // Steps of -1, 0 and 1 in 1, 2 and 1 of 4 cases: 1.5 bits.
  const Values values = Series(360, [&](int64_t i) {
    const int64_t noise = Noise(i);
    return walk += (noise & 1) + (noise >> 1 & 1) - 1;
  });
  for (const ColumnVersion version : kVersions)
    EXPECT_LE(Column(version, values).size(), 360 * 1.6 / 8 + 5);
}

TEST(IntegerColumnTest, ConstantWithAFewStepsTakesAFewBytes) {
  for (const ColumnVersion version : kVersions) {
    EXPECT_LE(Column(version, Series(360, [](int64_t i) { return i < 100 ? 5 : 6; })).size(), 8U);
    EXPECT_EQ(Column(version, Series(3600, [](int64_t) { return -1; })).size(), 1U);
  }
}

TEST(IntegerColumnTest, CommonDivisorIsTakenOut) {
  int64_t walk = 0;
  const Values small = Series(360, [&](int64_t i) { return walk += Noise(i) - 3; });
  Values large = small;
  for (uint64_t& value : large)
    value = value * 4096 + 17;
  for (const ColumnVersion version : kVersions)
    EXPECT_LE(Column(version, large).size(), Column(version, small).size() + 4);
  ExpectRoundTrip(large);
}

TEST(IntegerColumnTest, ExtremesRoundTrip) {
  constexpr uint64_t kMin = uint64_t{1} << 63;
  constexpr uint64_t kMax = kMin - 1;
  for (const Values& values : std::vector<Values>{{0},
                                                  {kMin, kMax},
                                                  {kMin, kMax, kMin},
                                                  {kMax, kMin, kMax, 0},
                                                  {0, kMin, 0, kMin, kMin},
                                                  {0, kMin - 2, 0, kMax - 1, 0},
                                                  {~uint64_t{0}, 0, 1, kMax, kMin, kMin + 1}}) {
    ExpectRoundTrip(values);
  }
}

// A series of one of many shapes; `bits` is how wide its steps are.
Values RandomValues(Random* random) {
  const size_t count = 1 + random->Below(random->Below(4) == 0 ? 500 : 20);
  const uint64_t shape = random->Below(5);
  const uint64_t shift = random->Below(64);
  const uint64_t slope = random->Next() >> random->Below(64);
  const uint64_t factor = random->Below(2) == 0 ? 1 : random->Next() >> random->Below(64);
  uint64_t value = random->Next() >> random->Below(64);
  uint64_t delta = 0;
  Values values;
  for (size_t i = 0; i < count; ++i) {
    uint64_t noise = (random->Next() >> shift) * factor;
    if (random->Below(2) == 0) noise = 0 - noise;
    if (random->Below(50) == 0) noise = random->Next();
    delta += noise;
    value += shape == 0 ? noise : shape == 1 ? slope + noise : shape == 2 ? delta : 0;
    values.push_back(shape == 3 ? noise : shape == 4 ? i * slope + noise : value);
  }
  return values;
}

TEST(IntegerColumnTest, RandomColumnsRoundTrip) {
  for (uint64_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    ExpectRoundTrip(RandomValues(&random));
    if (HasFailure()) return;
  }
}

void ExpectTruncationsRefused(ColumnVersion version, const Values& values) {
  const std::string column = Column(version, values);
  for (size_t size = 0; size < column.size(); ++size) {
    Values decoded = values;
    std::string_view rest = std::string_view(column).substr(0, size);
    IntegerTotals totals;
    EXPECT_NE(TakeIntegerColumn(version, &rest, decoded, &totals), nullptr);
  }
}

TEST(IntegerColumnTest, EveryTruncationIsRefused) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Values values = RandomValues(&random);
    for (const ColumnVersion version : kVersions)
      ExpectTruncationsRefused(version, values);
  }
}

Values Sum(size_t count, const std::function<int64_t(int64_t)>& step_at) {
  int64_t value = 0;
  return Series(count, [&](int64_t i) { return value += step_at(i); });
}

// That many bits, the same every time.
int64_t RandomBits(int64_t i, uint32_t bits) {
  return static_cast<int64_t>(Random(static_cast<uint64_t>(i)).Next() >> (64 - bits));
}

struct FrozenColumn {
  Values values;
  const char* hex;  // of the column
};

Values Walk(size_t count, int64_t factor, int64_t drift) {
  int64_t value = 0;
  return Series(count, [&](int64_t i) { return value += factor * (Noise(i) - 3) + drift; });
}

Values WalkWithOutlier() {
  Values values = Walk(20, 1, 0);
  values[9] = uint64_t{1} << 63;
  return values;
}

void ExpectDecodeAll(ColumnVersion version, const std::vector<FrozenColumn>& columns) {
  for (const FrozenColumn& column : columns) {
    SCOPED_TRACE(column.hex);
    ExpectDecodes(version, absl::HexStringToBytes(column.hex), column.values);
  }
}

// Stores have these bytes.
TEST(IntegerColumnTest, FrozenColumnsOfTheFirstVersionDecode) {
  ExpectDecodeAll(
      ColumnVersion::kFirst,
      {{Series(20, [](int64_t i) { return 7 - 3 * i; }), "00"},
       {Series(20, [](int64_t i) { return 1000 * Noise(i) + i % 2; }),
        "b109d10f46e8180b47e00e02f959a8e37344e808e097e3f989cecf91e20a40041c6e591b004037"},
       {Series(20, [](int64_t i) { return 1000 * i + Noise(i); }), "99014630f58f2aea737ba6b65200"},
       {Walk(20, 999, 0), "9e40e50728f8f0e473048ee60400"},
       {Walk(40, 1, 90000), "9e007058f1e473048ee6a4504c949c81ddce0000"},
       {Series(20, [](int64_t i) { return 10 * i + 77 * (i / 5); }), "b50014b6e6941c9a71688e8726"},
       {Series(20, [](int64_t i) { return i * i * i; }),
        "ca05fa8621cf33587044681e041a30463c12781ec8a9033060"},
       {Walk(20, 1, 0), "9e0028f8f0e473048ee60400"},
       {WalkWithOutlier(), "4003039e7d904a6cd620f9abffffffffffffff77457618d9"},
       {Series(40, [](int64_t i) { return i % 7 == 3 ? 1000 * Noise(i) + i : 5; }),
        "35000050f151360ca75c54df6010afcd98fdb150bf8006"}});
}

TEST(IntegerColumnTest, FrozenColumnsOfTheSecondVersionDecode) {
  ExpectDecodeAll(
      ColumnVersion::kSecond,
      {{Series(20, [](int64_t i) { return 7 - 3 * i; }), "00"},
       {Series(20, [](int64_t i) { return 1000 * Noise(i) + i % 2; }),
        "bb88d10fda89c2c9b7ff407a9ed3db393fe8b5f2775e4347e73a71e300de0eb503"},
       {Series(20, [](int64_t i) { return 1000 * i + Noise(i); }), "5e000571f44bd9c8a5b100"},
       {Walk(20, 999, 0), "9e40e50771f44bd9c8a5b100"},
       {Walk(40, 1, 90000), "9e0017d1f842c40cbbe189282872e57a35"},
       {Series(20, [](int64_t i) { return 10 * i + 77 * (i / 5); }), "ad831485ceacc8d80c"},
       {Series(20, [](int64_t i) { return i * i * i; }),
        "d005c475cfb17188a13c48940099b19043e285923200"},
       {Walk(20, 1, 0), "eaf5371cbdf2490700"},
       {WalkWithOutlier(), "54040312852098adc07ef5ffffffffffffff9a023256"},
       {Series(40, [](int64_t i) { return i % 7 == 3 ? 1000 * Noise(i) + i : 5; }),
        "2c880009a30b874ebd7df86fd909d30b0802"},
       {Sum(12, [](int64_t i) { return 100 * (Noise(i) - 4) + Noise(i + 50); }),
        "0da3cc5594a82be07023d79e1202"},
       {Sum(40, [](int64_t i) { return i % 3 == 1 ? 1000 * Noise(i) + i : 0; }),
        "1f7587df4fe8d5f4b7d7ceec2cd96a6753b217e517007e77c6bd4add856f"},
       {Series(40, [](int64_t i) { return i % 4 == 3 ? (Noise(i) + i) << 40 : 5; }),
        "1f31a800f9d5e8ffffffff9fe8ffffffffb7e9ffffffffbff5ffffffff77f4ffffffff8debffffffff93"
        "d2ffffffffa7d1ffffffff0744ffffffffbf02"},
       {Series(200, [](int64_t i) { return i % 50 == 7 ? 3000 + Noise(i) * i : 9; }),
        "2188009c9f7fafc2f355502b09e61a"},
       {Sum(140, [](int64_t i) { return Noise(i) / 3 - 1; }),
        "e31ff3f53aad5819f282cefb04dd3963df1a859d2a12e96b2df4da8dcca221"},
       {Series(12, [](int64_t i) { return RandomBits(i, 24); }),
        "8716fef07f7c60107076a9461ba54ddf747020e5938748662cebbc277c8b5d8f09"},
       {Sum(12, [](int64_t i) { return i == 9 ? 500 : Noise(i) / 3 - 1; }), "e5ec06d4047d"}});
}

size_t SecondSize(const Values& values) {
  return Column(ColumnVersion::kSecond, values).size();
}

TEST(IntegerColumnTest, ZerosTakeNoLowBits) {
  // Three in ten steps are of 16 bits: 4.8 bits, and 0.9 for which ones.
  const Values idle =
      Sum(360, [](int64_t i) { return RandomBits(i, 16) * (RandomBits(-i, 32) % 10 < 3); });
  EXPECT_LE(SecondSize(idle), 360 * 5.7 / 8 + 8);
  // Eleven steps of 11 bits and their positions, of 8.5 bits.
  const Values rare =
      Sum(360, [](int64_t i) { return i % 33 == 7 ? RandomBits(i, 11) - 1024 : 0; });
  EXPECT_LE(SecondSize(rare), 11 * (11 + 8.5) / 8 + 3);
}

TEST(IntegerColumnTest, ShortColumnsTakeFewBytes) {
  // 11 steps of 1.5 bits, less the last one.
  EXPECT_LE(SecondSize(Sum(12, [](int64_t i) { return (i & 1) + (Noise(i) & 1) - 1; })), 4U);
  // 11 steps of 10 bits, less the last one, and a byte of head.
  EXPECT_LE(SecondSize(Sum(12, [](int64_t i) { return RandomBits(i, 10) - 512; })), 15U);
  EXPECT_EQ(SecondSize({1, 7, 2}), 3U);
}

TEST(IntegerColumnTest, MonotoneColumnsHaveNoSigns) {
  const auto step = [](int64_t i) { return i % 3 == 1 ? RandomBits(i, 20) : 0; };
  const auto signed_step = [&](int64_t i) { return step(i) * (Noise(i) < 4 ? 1 : -1); };
  EXPECT_LE(SecondSize(Sum(360, step)) + 120 / 8 - 2, SecondSize(Sum(360, signed_step)));
}

// Decodes values from 0 to 5 in the second version.
const char* FaultOf(size_t count, const char* hex) {
  const std::string column = absl::HexStringToBytes(hex);
  Values values(count);
  values.back() = 5;
  std::string_view rest = column;
  IntegerTotals totals;
  return TakeIntegerColumn(ColumnVersion::kSecond, &rest, values, &totals);
}

TEST(IntegerColumnTest, UnusedBitsOfTheSecondVersionAreRefused) {
  EXPECT_EQ(FaultOf(3, "e00100"), nullptr);  // v[1] = -1 in a field of two bits
  EXPECT_STREQ(FaultOf(3, "e00500"), "column that does not add up");
  EXPECT_STREQ(FaultOf(3, "e00104"), "column that does not add up");
  EXPECT_STREQ(FaultOf(2, "e00100"), "column that is always a line");
  EXPECT_STREQ(FaultOf(9, "1f"), "column cut short");
  EXPECT_STREQ(FaultOf(9, "1f00"), "unsigned column without a scale");
  EXPECT_STREQ(FaultOf(9, "1fe0"), "unsigned column without a scale");
}

TEST(IntegerColumnTest, AColumnCanHoldWhatWasAppended) {
  Values values(100'000, 5);
  values[50'000] = 6;
  for (const ColumnVersion version : kVersions) {
    const std::string column = Column(version, values);
    EXPECT_LT(column.size(), 400U);
    EXPECT_TRUE(CanHoldColumn(column.size(), values.size()));
    EXPECT_FALSE(CanHoldColumn(column.size(), 3'600'000));
  }
}

}  // namespace
}  // namespace hourcell::integer_column_test
