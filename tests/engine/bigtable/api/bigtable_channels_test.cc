#include "engine/bigtable/api/bigtable_channels.h"

#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::bigtable_channels_test {
namespace {

TEST(BigtableChannelsTest, OptionsAreChecked) {
  EXPECT_THAT(OpenBigtableChannels({}), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(BigtableChannelsTest, ConnectsWithTheFirstCall) {
  BigtableOptions options;
  options.project = "p";
  options.instance = "i";

  const auto channels = OpenBigtableChannels(AtEmulator(options, "127.0.0.1:1"));

  ASSERT_OK(channels);
  EXPECT_NE(channels->data, nullptr);
  EXPECT_NE(channels->admin, nullptr);
}

TEST(BigtableChannelsTest, AServiceAccountWithoutAKeyIsRefused) {
  BigtableOptions options;
  options.project = "p";
  options.instance = "i";
  options.credentials = BigtableCredentials::kServiceAccount;
  for (const char* const key : {"", "{}", R"({"type":"service_account","client_email":"a@b"})"}) {
    options.service_account = key;
    EXPECT_THAT(OpenBigtableChannels(options),
                StatusIs(absl::StatusCode::kUnauthenticated, testing::HasSubstr("its JSON key")))
        << key;
  }
}

}  // namespace
}  // namespace hourcell::bigtable_channels_test
