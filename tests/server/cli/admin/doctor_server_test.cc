#include "server/cli/admin/doctor_server.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"
#include "tests/server/http/scripted_server.h"
#include "tests/support/status_matchers.h"

namespace hourcell::doctor_server_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

ServerFacts Good() {
  return {.address = "a:1",
          .checks = {{.name = "journal", .message = "points can be written to it"}},
          .metrics = {{"hourcell_forward_points_total{type=\"sent\"}", 5},
                      {"hourcell_forward_lag_seconds", 600},
                      {"hourcell_uid_ids_available{kind=\"tagk\"}", 100'000},
                      {"hourcell_storage_data_loss_total", 0}}};
}

std::vector<std::string> Changes(const ServerFacts& facts) {
  std::vector<std::string> texts;
  for (const DoctorFinding& finding : JudgeServer(facts)) {
    if (finding.is_change) texts.push_back(finding.text);
  }
  return texts;
}

TEST(DoctorServerTest, AGoodServerNeedsNoChange) {
  EXPECT_THAT(Changes(Good()), IsEmpty());
  EXPECT_EQ(JudgeServer(Good()).size(), 2U);
}

TEST(DoctorServerTest, EachFaultIsOneSentence) {
  ServerFacts facts = Good();
  facts.checks[0].is_ok = false;
  EXPECT_THAT(Changes(facts), ElementsAre("journal: points can be written to it"));
  facts = Good();
  facts.checks.push_back({.name = "forward", .is_warning = true, .message = "7 were dropped"});
  EXPECT_THAT(Changes(facts), ElementsAre("forward: 7 were dropped"));
  facts = Good();
  facts.metrics["hourcell_forward_lag_seconds"] = 601;
  EXPECT_THAT(Changes(facts), ElementsAre(StartsWith("601 s ago the oldest point was put that")));
  facts = Good();
  facts.metrics["hourcell_storage_data_loss_total"] = 2;
  EXPECT_THAT(Changes(facts), ElementsAre(StartsWith("2 reads found damage; run hourcell fsck")));
  facts = Good();
  facts.metrics["hourcell_uid_ids_available{kind=\"tagk\"}"] = 99'999;
  EXPECT_THAT(Changes(facts), ElementsAre(StartsWith("99999 UIDs are left ")));
  facts = Good();
  facts.fault = "connection refused";
  EXPECT_THAT(Changes(facts),
              ElementsAre("the server at a:1 does not report its state: connection refused"));
  facts = Good();
  facts.metrics_fault = "Unauthorized";
  EXPECT_THAT(Changes(facts), ElementsAre(AllOf(HasSubstr("refuses /metrics: Unauthorized"),
                                                HasSubstr("HOURCELL_TOKEN"))));
}

TEST(DoctorServerTest, ReadsWhatReadyzSays) {
  const auto checks = ParseReadiness(
      R"({"status":"not ready","checks":[{"name":"journal","ok":false,"message":"m","detail":"d"},)"
      R"({"name":"forward","ok":true,"warning":true,"message":"w"}]})");
  ASSERT_OK(checks);
  EXPECT_THAT(*checks,
              ElementsAre(ReadyCheck{.name = "journal", .is_ok = false, .message = "m: d"},
                          ReadyCheck{.name = "forward", .is_warning = true, .message = "w"}));
  for (const std::string_view text : {"", "[]", "{}", R"({"checks":1})", "<html>"}) {
    EXPECT_THAT(ParseReadiness(text).status(), StatusIs(absl::StatusCode::kDataLoss)) << text;
  }
  EXPECT_THAT(*ParseReadiness(R"({"checks":[1]})"), ElementsAre(ReadyCheck{.is_ok = false}));
}

TEST(DoctorServerTest, AsksAServerThatMayRefuse) {
  ScriptedServer server({{.bytes = HttpReplyText(503, R"({"checks":[{"name":"disk","ok":false,)"
                                                      R"("message":"7 bytes are free"}]})")},
                         {.bytes = HttpReplyText(403, "no rights")}});
  CapturedTerminal terminal;

  EXPECT_EQ(DoctorMain({"--url", server.url()}, terminal.get()), kExitFailure);

  EXPECT_THAT(terminal.out(), StartsWith("change  disk: 7 bytes are free\n"
                                         "change  the server refuses /metrics: "));
  EXPECT_THAT(server.requests(), ElementsAre(StartsWith("GET /readyz?json HTTP/1.1"),
                                             StartsWith("GET /metrics HTTP/1.1")));
}

TEST(DoctorServerTest, AUrlThatMakesNoSenseIsAUsageError) {
  CapturedTerminal terminal;
  EXPECT_EQ(DoctorMain({"--url", "ftp://a"}, terminal.get()), kExitUsage);
  EXPECT_EQ(DoctorMain({"dir", "--url", "http://a:1"}, terminal.get()), kExitUsage);
  EXPECT_THAT(terminal.err(), HasSubstr("expected a directory or --url, got both"));
}

}  // namespace
}  // namespace hourcell::doctor_server_test
