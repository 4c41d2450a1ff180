#include "engine/regions/split/append_detector.h"

#include <algorithm>
#include <deque>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"

namespace hourcell::append_detector_test {
namespace {

TEST(AppendDetectorTest, AscendingWritesAreAppends) {
  AppendDetector detector(4);
  for (int i = 0; i < 10; ++i)
    detector.Record(fmt::format("k{:04}", i));

  EXPECT_EQ(detector.share(), 1);
  EXPECT_EQ(detector.largest(), "k0009");
}

TEST(AppendDetectorTest, KnowsNothingBeforeItsWindowIsFull) {
  AppendDetector detector(3);
  detector.Record("a");
  detector.Record("b");
  EXPECT_EQ(detector.share(), 0);

  detector.Record("c");

  EXPECT_EQ(detector.share(), 1);
}

TEST(AppendDetectorTest, EqualKeysAreNotAbove) {
  AppendDetector detector(2);
  for (const std::string_view key : {"a", "a", "a"})
    detector.Record(key);

  EXPECT_EQ(detector.share(), 0);
}

TEST(AppendDetectorTest, BeginsWithTheLargestKeyThereIs) {
  AppendDetector detector(2, "m");
  detector.Record("a");
  detector.Record("z");

  EXPECT_EQ(detector.share(), 0.5);
}

TEST(AppendDetectorTest, ForgetsWhatLeftTheWindow) {
  AppendDetector detector(65);
  for (int i = 0; i < 65; ++i)
    detector.Record(fmt::format("k{:04}", i));
  for (int i = 0; i < 13; ++i)
    detector.Record("a");

  EXPECT_DOUBLE_EQ(detector.share(), 0.8);
}

TEST(AppendDetectorTest, AgreesWithTheDefinition) {
  constexpr uint64_t kSeed = 20240521;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  for (const size_t window : {size_t{1}, size_t{63}, size_t{64}, size_t{100}}) {
    AppendDetector detector(window);
    std::deque<bool> last;
    std::string largest;
    for (int i = 0; i < 500; ++i) {
      const std::string key =
          fmt::format("{:05}", random.Below(2) == 0 ? i * 10 : int(random.Below(5000)));
      last.push_back(key > largest);
      largest = std::max(largest, key);
      if (last.size() > window) last.pop_front();
      detector.Record(key);
      const auto above = std::count(last.begin(), last.end(), true);
      const double want =
          last.size() < window ? 0 : static_cast<double>(above) / static_cast<double>(window);
      ASSERT_DOUBLE_EQ(detector.share(), want);
      ASSERT_EQ(detector.largest(), largest);
    }
  }
}

}  // namespace
}  // namespace hourcell::append_detector_test
