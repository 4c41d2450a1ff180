#include "engine/bigtable/api/bigtable_options.h"

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::bigtable_options_test {
namespace {

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;

BigtableOptions Named() {
  BigtableOptions options;
  options.project = "p";
  options.instance = "i";
  return options;
}

TEST(BigtableOptionsTest, NamesAndTimesAreNeeded) {
  EXPECT_OK(CheckBigtableOptions(Named()));
  EXPECT_THAT(CheckBigtableOptions({}), StatusIs(kInvalid, testing::HasSubstr("project")));
  BigtableOptions options = Named();
  options.endpoint = "";
  EXPECT_THAT(CheckBigtableOptions(options), StatusIs(kInvalid, testing::HasSubstr("endpoint")));
  options = Named();
  options.attempt_timeout_ms = 0;
  EXPECT_THAT(CheckBigtableOptions(options), StatusIs(kInvalid, testing::HasSubstr("attempt")));
}

TEST(BigtableOptionsTest, AnEmulatorHasBothEndpointsAndNoCredentials) {
  const BigtableOptions options = AtEmulator(Named(), "localhost:8086");

  EXPECT_EQ(options.endpoint, "localhost:8086");
  EXPECT_EQ(options.admin_endpoint, "localhost:8086");
  EXPECT_EQ(options.credentials, BigtableCredentials::kInsecure);
  EXPECT_EQ(options.project, "p");
}

TEST(BigtableOptionsTest, WithoutAnEmulatorNothingChanges) {
  const BigtableOptions options = AtEmulator(Named(), "");

  EXPECT_EQ(options.endpoint, Named().endpoint);
  EXPECT_EQ(options.credentials, BigtableCredentials::kApplicationDefault);
}

}  // namespace
}  // namespace hourcell::bigtable_options_test
