#include "codec/cells/column_choice.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "codec/cells/token_model.h"

namespace hourcell::column_choice_test {
namespace {

// Sums of steps.
std::vector<uint64_t> Sums(size_t count, const std::function<int64_t(int64_t)>& step_at) {
  std::vector<uint64_t> values;
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i)
    values.push_back(value += static_cast<uint64_t>(step_at(static_cast<int64_t>(i))));
  return values;
}

// That many bits, the same every time.
int64_t Bits(int64_t i, uint32_t bits) {
  return static_cast<int64_t>(Random(static_cast<uint64_t>(i)).Next() >> (64 - bits));
}

ColumnChoice Second(const std::vector<uint64_t>& values) {
  return ChooseColumn(ColumnVersion::kSecond, values);
}

TEST(ColumnChoiceTest, NumbersLeaveOutTheKnownValues) {
  const std::vector<uint64_t> values = {3, 4, 9, 1, 5};
  EXPECT_EQ(ChooseColumn(ColumnVersion::kFirst, values).numbers.size(), 4U);
  EXPECT_EQ(Second(values).numbers.size(), 3U);
}

TEST(ColumnChoiceTest, ZerosAmongWideNumbersGetAZeroModel) {
  const auto idle = [](int64_t i) { return i % 3 == 1 ? Bits(i, 16) - 32768 : 0; };
  EXPECT_GE(Second(Sums(360, idle)).head.model, kPlainModels);
  EXPECT_LT(ChooseColumn(ColumnVersion::kFirst, Sums(360, idle)).head.model, kPlainModels);
  EXPECT_LT(Second(Sums(360, [](int64_t i) { return Bits(i, 16) - 32768; })).head.model,
            kPlainModels);
}

TEST(ColumnChoiceTest, SeriesThatNeverFallAreUnsigned) {
  const auto burst = [](int64_t i) { return i % 3 == 1 ? Bits(i, 16) : 0; };
  EXPECT_TRUE(Second(Sums(360, burst)).head.is_unsigned);
  EXPECT_FALSE(ChooseColumn(ColumnVersion::kFirst, Sums(360, burst)).head.is_unsigned);
}

TEST(ColumnChoiceTest, ShortColumnsTakeAModelWithAShortHead) {
  // About normal, with a deviation of 150.
  const auto noise = [](int64_t i) {
    return Bits(i, 8) + Bits(i + 50, 8) + Bits(i + 100, 8) + Bits(i + 150, 8) - 512;
  };
  const ColumnHead head = Second(Sums(24, noise)).head;
  std::string bytes;
  AppendColumnHead(ColumnVersion::kSecond, head, &bytes);
  EXPECT_EQ(bytes.size(), 1U);
}

}  // namespace
}  // namespace hourcell::column_choice_test
