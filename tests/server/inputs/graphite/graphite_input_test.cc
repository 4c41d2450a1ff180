#include "server/inputs/graphite/graphite_input.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "server/access/series_allowance.h"
#include "tests/server/api_fixture.h"

namespace hourcell::graphite_input_test {
namespace {

using testing::HasSubstr;
using Outcome = GraphiteInput::Outcome;

class GraphiteInputTest : public ApiTest {
 protected:
  GraphiteInput Input(AppendInPlace append = {}) {
    return GraphiteInput(
        {.tsdb = &tsdb(), .names = &names_, .clock = &clock_, .append = std::move(append)},
        *InputSettingsOf(Config()));
  }
  // A store that fails with that.
  GraphiteInput InputOf(absl::Status failure) {
    return Input([failure](size_t, std::vector<RefusedPoint>*, const AppendOptions&) {
      return CommitTicket(failure);
    });
  }
  std::string Stored(std::string_view metric) {
    return Send(fmt::format("GET /api/query?start=1356990000&end=1357310000&ms=true&m=none:{}",
                            metric))
        .body;
  }
  uint64_t Count(const std::string& name) {
    return tsdb().stats().counter(name, {{"type", "graphite"}})->value();
  }

  const NameRule names_{NameEncoding::kLatin1, ""};
};

// The protocol lacks logins: any client that reaches the port can send any name.
TEST_F(GraphiteInputTest, CreatesNoMoreSeriesThanItMay) {
  const SeriesAllowance allowance(2, &clock_, &tsdb().stats());
  const GraphiteInput input(
      {.tsdb = &tsdb(), .names = &names_, .clock = &clock_, .new_series = allowance.quota()},
      *InputSettingsOf(Config()));
  EXPECT_EQ(input.Write("a 1 1356998400\nb 2 1356998400\n", /*may_wait=*/false), Outcome::kDone);

  EXPECT_EQ(input.Write("c 3 1356998400\na 4 1356998401\n", /*may_wait=*/false), Outcome::kDone);

  EXPECT_EQ(Count("rpc.inputs.points"), 3U) << "known series go on";
  EXPECT_EQ(Count("rpc.inputs.refused"), 1U);
  EXPECT_THAT(Stored("c"), HasSubstr("No such name")) << "no UID is given to it";
  clock_.Advance(1'800'000);
  EXPECT_EQ(input.Write("c 3 1356998400\n", /*may_wait=*/false), Outcome::kDone);
  EXPECT_THAT(Stored("c"), HasSubstr("1356998400"));
}

TEST_F(GraphiteInputTest, LinesArePoints) {
  EXPECT_EQ(Input().Write("cpu.user;host=web01;core=0:1 1.5 1356998400\r\n"
                          "# a comment\n"
                          "disk.C:\\ 7 1356998401.75\n"
                          "now 1e3 -1\n",
                          /*may_wait=*/false),
            Outcome::kDone);

  EXPECT_THAT(Stored("cpu.user"), HasSubstr(R"("tags":{"host":"web01","core":"0_1"},)"
                                            R"("aggregateTags":[],"dps":{"1356998400000":1.5})"));
  EXPECT_THAT(
      Stored("disk.C__"),
      HasSubstr(R"("tags":{"host":"unknown"},"aggregateTags":[],"dps":{"1356998401000":7})"));
  EXPECT_THAT(Stored("now"), HasSubstr(R"("dps":{"1357300800000":1000.0})"));
  EXPECT_EQ(Count("rpc.inputs.points"), 3U);
  EXPECT_EQ(Count("rpc.inputs.refused"), 0U);
}

TEST_F(GraphiteInputTest, BadLinesAreCountedAndTheOthersAreStored) {
  EXPECT_EQ(Input().Write("a 1\nb x 1356998400\nc 1 yesterday\nd 1 -2\ne 1 0\n;k=v 1 1356998400\n"
                          "f;a b=1;a_b=2 1 1356998400\ng;a:b=1;a_b=2 1 1356998400\n"
                          "h 7 4294967296\ngood 7 1356998400\n",
                          /*may_wait=*/false),
            Outcome::kDone);

  EXPECT_THAT(Stored("good"), HasSubstr(R"("1356998400000":7)"));
  EXPECT_EQ(Count("rpc.inputs.points"), 1U);
  EXPECT_EQ(Count("rpc.inputs.refused"), 9U);
}

TEST_F(GraphiteInputTest, IntegersBeyond64BitsAreFloats) {
  EXPECT_EQ(Input().Write("a 18446744073709551615 1356998400\na 9223372036854775808 1356998401\n"
                          "a -9223372036854775809 1356998402\na 9223372036854775807 1356998403\n"
                          "b 00000000000000000000007 1356998404\n",
                          /*may_wait=*/false),
            Outcome::kDone);

  const std::string stored = Stored("a");
  EXPECT_THAT(stored, HasSubstr(R"("1356998400000":1.8446744073709552E19)"));
  EXPECT_THAT(stored, HasSubstr(R"("1356998403000":)"));
  EXPECT_THAT(Stored("b"), HasSubstr(R"("1356998404000":7.0)"));
  EXPECT_EQ(Count("rpc.inputs.points"), 5U);
}

// The complete fault, however long the line before it is.
TEST_F(GraphiteInputTest, TheLogQuotesTheWordThatIsWrong) {
  const std::string path = "ndg." + std::string(100, 'x');
  const std::vector<std::pair<std::string, std::string>> cases = {
      {path + ";a=b 1 0", "got \"0\" as the time of \"ndg.xxx"},
      {path + ";a=b 1,5 1356998400", "got \"1,5\" as the value of \"ndg.xxx"},
      {path + ";a=b;b= 1 1356998400", "expected path;tag=value;tag=value, got \"b=\""},
      {"a b 1 1356998400", "expected three words: path value time, got \"a b 1 1356998400\""}};
  for (const auto& [line, want] : cases) {
    testing::internal::CaptureStderr();
    Input().Write(line + "\n", /*may_wait=*/false);
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr(want)) << line;
  }
}

TEST_F(GraphiteInputTest, NumbersThatAreNotFiniteAreDropped) {
  EXPECT_EQ(Input().Write("a nan 1356998400\na NaN 1356998401\na -inf 1356998402\n"
                          "a Infinity 1356998403\na 5 1356998404\n",
                          /*may_wait=*/false),
            Outcome::kDone);

  EXPECT_THAT(Stored("a"), HasSubstr(R"("dps":{"1356998404000":5})"));
  EXPECT_EQ(tsdb()
                .stats()
                .counter("rpc.inputs.dropped", {{"type", "graphite"}, {"reason", "not_finite"}})
                ->value(),
            4U);
}

TEST_F(GraphiteInputTest, TheOutcomeSaysWhatTheStoreSaid) {
  constexpr std::string_view kLine = "a 1 1356998400\n";
  EXPECT_EQ(InputOf(absl::AbortedError("busy")).Write(kLine, false), Outcome::kMustWait);
  EXPECT_EQ(InputOf(absl::UnavailableError("full")).Write(kLine, true), Outcome::kLater);
  EXPECT_EQ(InputOf(absl::FailedPreconditionError("broken")).Write(kLine, true), Outcome::kLost);
  EXPECT_EQ(Count("rpc.inputs.points"), 0U);
}

TEST_F(GraphiteInputTest, WhatIsRefusedBeforeItIsALineIsCounted) {
  Input().Refuse("a line that is too long");
  EXPECT_EQ(Count("rpc.inputs.refused"), 1U);
}

}  // namespace
}  // namespace hourcell::graphite_input_test
