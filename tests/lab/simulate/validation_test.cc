#include "bench/lab/simulate/validation.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::validation_test {
namespace {

using testing::HasSubstr;

SimulatedRegion Region(std::string start, std::string end, uint64_t bytes) {
  SimulatedRegion region;
  region.info.range = {.start = std::move(start), .end = std::move(end)};
  region.file_bytes = bytes;
  return region;
}

TEST(ValidationTest, TheSameTablesDoNotDiffer) {
  const std::vector<SimulatedRegion> model = {Region("", "m", 100), Region("m", "", 300)};
  // Half the bytes in all: compression is not the model's business.
  const std::vector<MeasuredRegion> engine = {{.start = "", .bytes = 50},
                                              {.start = "m", .bytes = 150}};

  const Validation found = Validate(model, engine);

  EXPECT_EQ(found.equal_regions, 2U);
  EXPECT_EQ(found.share_error_max, 0);
  EXPECT_EQ(found.size_error_max, 0);
}

TEST(ValidationTest, DifferencesAreMeasured) {
  const std::vector<SimulatedRegion> model = {Region("", "g", 100), Region("g", "p", 100),
                                              Region("p", "", 200)};
  const std::vector<MeasuredRegion> engine = {
      {.start = "", .bytes = 150}, {.start = "g", .bytes = 50}, {.start = "q", .bytes = 200}};

  const Validation found = Validate(model, engine);

  EXPECT_EQ(found.equal_starts, 2U);
  EXPECT_EQ(found.equal_regions, 1U);
  EXPECT_NEAR(found.share_error_max, 1.0 / 3, 1e-9);
  EXPECT_NEAR(found.size_error_max, 50 / (400.0 / 3), 1e-9);
  const std::string text = ValidationText(model, engine);
  EXPECT_THAT(
      text,
      HasSubstr("\np                                                   200              -\n"));
  EXPECT_THAT(text, HasSubstr("regions: 3 in the model, 3 in the engine; 2 begin alike, 1 are"));
}

}  // namespace
}  // namespace hourcell::validation_test
