// `hourcell serve` itself: what it says, and how it ends.

#include <signal.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

using testing::HasSubstr;

TEST(ServeProgramTest, SaysWhereItListensAndEndsCleanlyOnSigterm) {
  TempDir directory;
  ServerProcess server(directory.path());

  EXPECT_THAT(server.first_line(), HasSubstr("listening on 127.0.0.1:"));
  EXPECT_THAT(server.first_line(),
              HasSubstr("data in " + directory.path() + ", sync every 1000 ms"));
  EXPECT_EQ(server.End(SIGTERM), 0);
}

TEST(ServeProgramTest, NamesTheProcessThatHasTheStore) {
  TempDir directory;
  ServerProcess server(directory.path());

  const ProgramResult second = RunProgram({"scan", "--data", directory.path()});

  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err, HasSubstr("the store is in use by pid "));
  EXPECT_THAT(second.err, HasSubstr("serve --port 0"));
}

}  // namespace
}  // namespace hourcell
