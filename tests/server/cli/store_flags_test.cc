#include "server/cli/store_flags.h"

#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/cli/command_line.h"
#include "tests/server/cli/captured_terminal.h"

namespace hourcell::store_flags_test {
namespace {

using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::Not;
using testing::Optional;

TEST(StoreFlagsTest, DirectoryFileAndSettingsAreTaken) {
  CapturedTerminal terminal;
  CommandLine line("try", "Tries it.");
  StoreOptions store;
  std::string url;
  TlsTrust trust;
  AddStoreOptions(&line, &store);
  AddUrl(&line, &url, &trust);

  EXPECT_THAT(line.Parse({"--set", "a=1", "--data", "d", "--set", "b=2", "--config", "c", "--url",
                          "https://localhost:1", "--ca-file", "f", "--insecure"},
                         terminal.get()),
              Eq(std::nullopt));

  EXPECT_EQ(store.data, "d");
  EXPECT_EQ(store.config_file, "c");
  EXPECT_THAT(store.settings, ElementsAre("a=1", "b=2"));
  EXPECT_EQ(url, "https://localhost:1");
  EXPECT_EQ(trust.ca_file, "f");
  EXPECT_TRUE(trust.insecure);
}

TEST(StoreFlagsTest, AUrlIsRefusedByCommandsThatNeedTheDirectory) {
  CapturedTerminal terminal;
  CommandLine line("try", "Tries it.");
  RefuseUrl(&line);

  EXPECT_THAT(line.Parse({"--url", "http://localhost:1"}, terminal.get()), Optional(kExitUsage));
  EXPECT_EQ(terminal.err(),
            "hourcell try: --url: this command works on the store's directory (--data) while no "
            "server has it open\nTry 'hourcell try --help'.\n");
  EXPECT_THAT(line.Parse({"--help"}, terminal.get()), Optional(kExitOk));
  EXPECT_THAT(terminal.out(), Not(HasSubstr("--url")));
}

}  // namespace
}  // namespace hourcell::store_flags_test
