#include "server/cli/opentsdb/opentsdb_command.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"
#include "tests/support/temp_dir.h"

namespace hourcell::opentsdb_command_test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

class OpenTsdbCommandTest : public testing::Test {
 protected:
  int Run(std::vector<std::string> words) {
    words.insert(words.end(), {"--data", dir_.file("store")});
    return OpenTsdbMain(words, terminal_.get());
  }

  TempDir dir_;
  CapturedTerminal terminal_;
};

TEST_F(OpenTsdbCommandTest, AVerbThatIsNoneIsRefused) {
  EXPECT_EQ(Run({"import"}), kExitUsage);
  EXPECT_THAT(terminal_.err(), HasSubstr("expected adopt or export"));
}

TEST_F(OpenTsdbCommandTest, AStoreInADirectorySharesNoTables) {
  EXPECT_EQ(Run({"adopt"}), kExitUsage);
  EXPECT_THAT(
      terminal_.err(),
      HasSubstr("tsd.storage.engine: expected bigtable, to share OpenTSDB's tables, got rocksdb"));
}

// A build without Bigtable says so before it looks for the store.
TEST_F(OpenTsdbCommandTest, WithoutAnInstanceNothingIsExported) {
  EXPECT_EQ(Run({"export"}), kExitUsage);
  EXPECT_THAT(terminal_.err(), AnyOf(HasSubstr("tsd.storage.bigtable.project: missing"),
                                     HasSubstr("this program was built without Bigtable")));
}

TEST_F(OpenTsdbCommandTest, AServerIsNotAskedForIt) {
  EXPECT_EQ(Run({"adopt", "--url", "http://localhost:4242"}), kExitUsage);
}

}  // namespace
}  // namespace hourcell::opentsdb_command_test
