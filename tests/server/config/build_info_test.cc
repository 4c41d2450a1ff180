#include "server/config/build_info.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::build_info_test {
namespace {

using testing::ContainsRegex;
using testing::IsEmpty;
using testing::Not;

TEST(BuildInfoTest, SaysOfWhatTheProgramWasBuilt) {
  const BuildInfo& build = ThisBuild();

  EXPECT_THAT(std::string(build.commit), ContainsRegex("^[a-z0-9-]+$"));
  EXPECT_THAT(build.build_type, Not(IsEmpty()));
  EXPECT_THAT(std::string(build.compiler), ContainsRegex("^(gcc|clang) [0-9]+"));
  EXPECT_THAT(std::string(build.libraries), ContainsRegex("RocksDB [0-9.]+, .*OpenSSL [0-9]"));
}

}  // namespace
}  // namespace hourcell::build_info_test
