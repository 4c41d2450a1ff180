#include "server/cli/names/mapping_source.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/cli/names/uid.h"
#include "tests/server/cli/captured_terminal.h"
#include "tests/server/http/scripted_server.h"
#include "tests/server/running_server.h"

namespace hourcell::mapping_source_test {
namespace {

using testing::HasSubstr;

class MappingSourceTest : public RunningServerTest {
 protected:
  struct Outcome {
    int exit_code = 0;
    std::string out;
    std::string err;
  };
  static Outcome Run(UidCommandOptions options, std::vector<std::string> words) {
    CapturedTerminal terminal;
    options.words = std::move(words);
    const int exit_code = RunUid(options, terminal.get());
    return {exit_code, terminal.out(), terminal.err()};
  }
  UidCommandOptions OnServer() const {
    return {.url = "http://127.0.0.1:" + std::to_string(port())};
  }
};

TEST_F(MappingSourceTest, EverySubcommandPrintsTheSameOfAServerAndOfADirectory) {
  Start();
  const UidCommandOptions on_store{.store = {.data = dir_.file("other")}};
  const std::vector<std::vector<std::string>> commands = {
      {"assign", "metrics", "cpu", "mem", "cpu", "\u00e4"},
      {"assign", "tagk", "host", "a\nb", "dc"},
      {"grep", "m"},
      {"grep", "metrics", "^[c]&?"},
      {"grep", "tagv", "."},
      {"grep", "("},
      {"metrics", "cpu"},
      {"host"},
      {"1"},
      {"99"},
      {"rename", "metrics", "cpu", "cpu.user"},
      {"rename", "metrics", "cpu.user", "mem"},
      {"rename", "metrics", "none", "mem"},
      {"delete", "metrics", "mem"},
      {"delete", "metrics", "mem"},
      {"grep", "metrics", "."}};
  for (const std::vector<std::string>& words : commands) {
    SCOPED_TRACE(testing::PrintToString(words));
    const Outcome of_server = Run(OnServer(), words);
    const Outcome of_store = Run(on_store, words);
    EXPECT_EQ(of_server.out, of_store.out);
    EXPECT_EQ(of_server.exit_code != 0, of_store.exit_code != 0) << of_server.err << of_store.err;
  }
}

TEST_F(MappingSourceTest, MkmetricAssignsOnAServer) {
  Start();
  CapturedTerminal terminal;
  UidCommandOptions options = OnServer();
  options.words = {"a", "b"};

  EXPECT_EQ(RunMkmetric(options, terminal.get()), kExitOk) << terminal.err();

  EXPECT_EQ(terminal.out(), "metrics a: [0, 0, 1]\nmetrics b: [0, 0, 2]\n");
}

TEST_F(MappingSourceTest, FsckNeedsTheDirectory) {
  const Outcome outcome = Run({.url = "http://localhost:1"}, {"fsck"});

  EXPECT_EQ(outcome.exit_code, kExitUsage);
  EXPECT_THAT(outcome.err, HasSubstr("hourcell fsck --url"));
}

TEST(MappingsOfAServerTest, ARefusalIsSaid) {
  const std::string refusal =
      HttpReplyText(403, R"({"error":{"code":403,"message":"needs admin"}})");
  ScriptedServer server({{.bytes = refusal}, {.bytes = refusal}, {.bytes = refusal}});
  const auto url = ParseHttpUrl(server.url());
  ASSERT_OK(url);
  const auto names = MappingsOf(*url);

  for (const absl::Status& status :
       {names->FindUid(UidKind::kMetric, "a").status(), names->Delete(UidKind::kTagk, "a b"),
        names->Assign(UidKind::kTagv, "a").status()}) {
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("needs admin")));
  }
  EXPECT_THAT(server.requests()[1],
              testing::StartsWith("DELETE /api/admin/uid?kind=tagk&name=a%20b "));
  EXPECT_THAT(server.requests()[2], testing::StartsWith("POST /api/uid/assign "));
}

}  // namespace
}  // namespace hourcell::mapping_source_test
