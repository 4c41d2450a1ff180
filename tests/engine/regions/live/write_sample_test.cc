#include "engine/regions/live/write_sample.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::write_sample_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr size_t kKeysMax = 100;

double WeightOf(const WriteSample& sample, const std::string& key) {
  double weight = 0;
  for (const SampledWrite& write : sample.Writes())
    if (write.key == key) weight += write.weight;
  return weight;
}

double AllWeights(const WriteSample& sample) {
  double all = 0;
  for (const SampledWrite& write : sample.Writes())
    all += write.weight;
  return all;
}

TEST(WriteSampleTest, FewWritesAreAllKept) {
  WriteSample sample(1);
  EXPECT_THAT(sample.Writes(), IsEmpty());
  sample.Add("b", 1, kKeysMax);
  sample.Add("a", 2, kKeysMax);
  sample.Add("b", 1, kKeysMax);
  EXPECT_THAT(sample.Writes(), ElementsAre(SampledWrite{"a", 2}, SampledWrite{"b", 2}));
}

TEST(WriteSampleTest, ManyWritesAreSampledEvenly) {
  WriteSample sample(1);
  // In order: the first half of the time only `a`.
  sample.Add("a", 30'000, kKeysMax);
  sample.Add("b", 10'000, kKeysMax);
  EXPECT_NEAR(WeightOf(sample, "a"), 30'000, 4'000);
  EXPECT_NEAR(AllWeights(sample), 40'000, 1e-6);
}

TEST(WriteSampleTest, KeepsTheWindowBeforeTheCurrentOne) {
  WriteSample sample(1);
  sample.Add("a", 1'000, kKeysMax);
  sample.EndWindow();
  sample.Add("b", 3'000, kKeysMax);
  EXPECT_DOUBLE_EQ(WeightOf(sample, "a"), 1'000);
  EXPECT_DOUBLE_EQ(WeightOf(sample, "b"), 3'000);
  sample.EndWindow();
  EXPECT_THAT(sample.Writes(), ElementsAre(SampledWrite{"b", 3'000}));
  sample.EndWindow();
  EXPECT_THAT(sample.Writes(), IsEmpty());
}

TEST(WriteSampleTest, ASmallerLimitIsMetInTheNextWindow) {
  WriteSample sample(1);
  for (int i = 0; i < 50; ++i)
    sample.Add("k" + std::to_string(i), 1, 50);
  sample.Add("x", 1'000, 10);
  EXPECT_LE(sample.Writes().size(), 50u);
  sample.EndWindow();
  for (int i = 0; i < 50; ++i)
    sample.Add("l" + std::to_string(i), 1, 10);
  sample.EndWindow();
  EXPECT_EQ(sample.Writes().size(), 10u);
}

}  // namespace
}  // namespace hourcell::write_sample_test
