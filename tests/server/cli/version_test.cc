#include "server/cli/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/config/version.h"
#include "tests/server/cli/captured_terminal.h"

namespace hourcell::version_test {
namespace {

TEST(VersionTest, FirstLineIsNameAndVersion) {
  CapturedTerminal terminal;

  EXPECT_EQ(RunVersion(terminal.get()), kExitOk);

  EXPECT_THAT(terminal.out(), testing::StartsWith("hourcell " + std::string(kHourcellVersion) +
                                                  "\nspeaks OpenTSDB "));
}

}  // namespace
}  // namespace hourcell::version_test
