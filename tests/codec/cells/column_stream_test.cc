#include "codec/cells/column_stream.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "codec/cells/token_model.h"

namespace hourcell::column_stream_test {
namespace {

using Values = std::vector<uint64_t>;

// The last value is such that the slope is 0.
Values ValuesOf(size_t count) {
  return Values(count, 1000);
}

void ExpectHeadRoundTrip(ColumnVersion version, const ColumnHead& head, size_t bytes) {
  std::string appended;
  AppendColumnHead(version, head, &appended);
  EXPECT_EQ(appended.size(), bytes);
  std::string_view rest = appended;
  ColumnHead taken;
  ASSERT_EQ(TakeColumnHead(version, &rest, ValuesOf(9), &taken), nullptr);
  EXPECT_TRUE(rest.empty());
  // A small delta has a predictor of its own in the bytes.
  if (taken.predictor == Predictor::kSmallDelta) taken.predictor = Predictor::kDelta;
  EXPECT_EQ(taken.predictor, head.predictor);
  EXPECT_EQ(taken.is_unsigned, head.is_unsigned);
  EXPECT_EQ(taken.model, head.model);
  EXPECT_EQ(taken.shift, head.shift);
  EXPECT_EQ(taken.divisor, head.divisor);
  EXPECT_EQ(taken.centre, head.centre);
}

TEST(ColumnStreamTest, HeadsOfBothVersionsAreTakenAsAppended) {
  for (const ColumnVersion version : {ColumnVersion::kFirst, ColumnVersion::kSecond}) {
    ExpectHeadRoundTrip(version, {.model = 7}, 1);
    ExpectHeadRoundTrip(version, {.model = 7, .shift = 63}, 2);
    ExpectHeadRoundTrip(version, {.model = 7, .divisor = 130}, 4);
    ExpectHeadRoundTrip(version, {.predictor = Predictor::kLevel, .model = 31, .centre = 5}, 3);
  }
}

TEST(ColumnStreamTest, HeadsOfTheSecondVersionSaveBytesOfShiftedDeltas) {
  for (uint32_t shift = 1; shift <= kShortShiftMax; ++shift) {
    for (const uint8_t model : kShortHeadModels) {
      ExpectHeadRoundTrip(ColumnVersion::kSecond, {.model = model, .shift = shift}, 1);
      ExpectHeadRoundTrip(ColumnVersion::kFirst, {.model = model, .shift = shift}, 2);
    }
  }
  ExpectHeadRoundTrip(ColumnVersion::kSecond, {.model = 25, .shift = kShortShiftMax + 1}, 2);
  ExpectHeadRoundTrip(ColumnVersion::kSecond, {.is_unsigned = true, .model = 25, .shift = 1}, 3);
  ExpectHeadRoundTrip(ColumnVersion::kSecond, {.model = 63, .shift = 9}, 2);
  ExpectHeadRoundTrip(ColumnVersion::kSecond, {.model = 32}, 2);
}

// Encodes deltas with any model and shift, not only those that an encoder would choose.
void ExpectStreamRoundTrip(ColumnVersion version, const ColumnHead& head, const Values& numbers) {
  const size_t count = numbers.size() + (version == ColumnVersion::kFirst ? 1 : 2);
  std::string stream;
  AppendColumnStream(version, head, count, numbers, &stream);
  const std::string bytes = stream + '\x5A';
  Values values = ValuesOf(count);
  IntegerTotals totals;
  const char* const end = DecodeColumnStream(version, head, bytes, values, &totals);
  ASSERT_NE(end, nullptr);
  EXPECT_EQ(static_cast<size_t>(end - bytes.data()), stream.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    const uint64_t residual = head.is_unsigned ? numbers[i] : UnZigZag(numbers[i]);
    ASSERT_EQ(values[i + 1] - values[i], residual) << "number " << i;
  }
}

TEST(ColumnStreamTest, EveryModelAndShiftHoldsAnyNumbers) {
  Random random(7);
  for (const size_t count : {1U, 2U, 9U, 126U, 127U, 300U, 510U, 511U, 700U}) {
    for (uint8_t model = 0; model < kModels; ++model) {
      const ColumnHead head{.is_unsigned = random.Below(2) == 0,
                            .model = model,
                            .shift = static_cast<uint32_t>(random.Below(64))};
      SCOPED_TRACE(testing::Message() << count << " numbers, model " << int{model} << ", shift "
                                      << head.shift << ", unsigned " << head.is_unsigned);
      Values numbers;
      for (size_t i = 0; i < count; ++i)
        numbers.push_back(random.Below(3) == 0 ? 0 : random.Next() >> random.Below(64));
      ExpectStreamRoundTrip(ColumnVersion::kSecond, head, numbers);
      if (model < kPlainModels && !head.is_unsigned) {
        ExpectStreamRoundTrip(ColumnVersion::kFirst, head, numbers);
      }
    }
  }
}

}  // namespace
}  // namespace hourcell::column_stream_test
