#include "bench/lab/simulate/engine_run.h"

#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::engine_run_test {
namespace {

EngineRunOptions Small(const std::string& directory) {
  EngineRunOptions options{.directory = directory, .start_ms = 1'000};
  options.regions.split.policy = SplitPolicyKind::kConstantSize;
  options.regions.split.flush_bytes = 100'000;
  options.regions.split.max_bytes = 400'000;
  options.regions.split.jitter = 0;
  options.regions.split.daughter_bytes_min = 10'000;
  return options;
}

TEST(EngineRunTest, RowsBecomeRegionsOfTheEngine) {
  TempDir directory;
  const auto replay = OpenEngineRun(Small(directory.file("store")));
  ASSERT_OK(replay);
  Random random(7);
  for (uint64_t i = 0; i < 10'000; ++i) {
    ASSERT_OK((*replay)->Put(fmt::format("{:016x}", random.Next()), 200, 1'000 + i));
  }
  ASSERT_OK((*replay)->Finish());

  const auto regions = (*replay)->Regions();
  ASSERT_OK(regions);
  EXPECT_GE(regions->size(), 5U);
  EXPECT_LE(regions->size(), 8U);
  uint64_t bytes = 0;
  for (const RegionUse& use : *regions)
    bytes += use.file_bytes;
  EXPECT_NEAR(static_cast<double>(bytes), 2e6, 0.2e6);
}

TEST(EngineRunTest, SplitKeysAreItsFirstRegions) {
  TempDir directory;
  EngineRunOptions options = Small(directory.file("store"));
  options.split_keys = {"g", "p"};
  const auto replay = OpenEngineRun(options);
  ASSERT_OK(replay);
  ASSERT_OK((*replay)->Put("a", 100, 2'000));
  ASSERT_OK((*replay)->Finish());

  const auto regions = (*replay)->Regions();
  ASSERT_OK(regions);
  ASSERT_EQ(regions->size(), 3U);
  EXPECT_EQ((*regions)[2].region.range.start, "p");
}

TEST(EngineRunTest, RefusesADirectoryThatIsNotEmpty) {
  TempDir directory;
  std::filesystem::create_directory(directory.file("x"));

  EXPECT_THAT(OpenEngineRun(Small(directory.path())),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

}  // namespace
}  // namespace hourcell::engine_run_test
