#include "server/cli/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/config/version.h"
#include "tests/server/cli/captured_terminal.h"

namespace hourcell::version_test {
namespace {

TEST(VersionTest, FirstLineIsNameAndVersion) {
  CapturedTerminal terminal;

  EXPECT_EQ(RunVersion(/*as_json=*/false, terminal.get()), kExitOk);

  EXPECT_THAT(terminal.out(), testing::StartsWith("hourcell " + std::string(kHourcellVersion) +
                                                  "\nspeaks OpenTSDB "));
}

TEST(VersionTest, SaysWhatItWasBuiltOf) {
  EXPECT_THAT(VersionText(), testing::ContainsRegex("\ncommit [a-z0-9-]+; build type [A-Za-z]+\n"
                                                    "libraries: RocksDB [0-9.]+, .*OpenSSL 3"));
}

TEST(VersionTest, JsonIsOneObject) {
  CapturedTerminal terminal;

  EXPECT_EQ(VersionMain({"--json"}, terminal.get()), kExitOk);

  EXPECT_THAT(
      terminal.out(),
      testing::MatchesRegex("[{]\"hourcell\":\"[0-9.]+\",\"version\":\"2.4.0\",\"commit\":.*,"
                            "\"debug_checks\":(true|false),\"libraries\":\"RocksDB .*\"[}]\n"));
}

}  // namespace
}  // namespace hourcell::version_test
