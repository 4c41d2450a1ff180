#include "bench/lab/simulate/model/minor_compaction.h"

#include <vector>

#include <gtest/gtest.h>

namespace hourcell::minor_lsm_compaction_test {
namespace {

constexpr RatioSettings kSettings{
    .ratio = 1.0, .files_min = 3, .files_max = 5, .bytes_min = 10, .bytes_max = 1'000};

FileRange Select(const std::vector<uint64_t>& files, const RatioSettings& settings = kSettings) {
  return SelectForMinorLsmCompaction(files, settings);
}

TEST(MinorLsmCompactionTest, SkipsFilesLargerThanTheNewerOnesTogether) {
  EXPECT_EQ(Select({100, 50, 23, 12, 12}), (FileRange{2, 5}));
}

TEST(MinorLsmCompactionTest, TakesNothingWhenTooFewAreLeft) {
  EXPECT_EQ(Select({100, 25, 12, 12}), (FileRange{0, 0}));
  EXPECT_EQ(Select({1, 1}), (FileRange{0, 0}));
  EXPECT_EQ(Select({}), (FileRange{0, 0}));
}

TEST(MinorLsmCompactionTest, SmallFilesAreTakenWhateverTheRatio) {
  EXPECT_EQ(Select({10, 1, 1}), (FileRange{0, 3}));
  EXPECT_EQ(Select({11, 1, 1}), (FileRange{0, 0}));
}

TEST(MinorLsmCompactionTest, LargeOldFilesAreLeftAlone) {
  EXPECT_EQ(Select({1'001, 30, 20, 20}), (FileRange{1, 4}));
}

TEST(MinorLsmCompactionTest, AHigherRatioTakesOlderFiles) {
  RatioSettings eager = kSettings;
  eager.ratio = 5.0;

  EXPECT_EQ(Select({100, 25, 12, 12}, eager), (FileRange{0, 4}));
}

}  // namespace
}  // namespace hourcell::minor_lsm_compaction_test
