#include "server/cli/opentsdb/opentsdb_source.h"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/http/scripted_server.h"
#include "tests/support/status_matchers.h"

namespace hourcell::opentsdb_source_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::SizeIs;

const QuerySpec kSpec{.start_ms = 1'356'998'400'000, .end_ms = 1'356'998'400'999, .queries = {}};

SourcePatience Quick() {
  return {.tries = 3, .pause_ms = 1, .names_max = 3};
}

OpenTsdbSource SourceOf(const ScriptedServer& server, SourcePatience patience = Quick()) {
  return OpenTsdbSource(*ParseHttpUrl(server.url()), patience);
}

std::string ErrorText(int code, const std::string& text) {
  return HttpReplyText(
      code, R"({"error":{"code":)" + std::to_string(code) + R"(,"message":")" + text + R"("}})");
}

TEST(OpenTsdbSourceTest, AsksForMetricsInPartsIfAnAnswerIsFull) {
  std::vector<ScriptedReply> script = {{HttpReplyText(200, R"(["a","b","c"])")}};
  for (int i = 0; i < 300; ++i)
    script.push_back({HttpReplyText(200, i == 'b' - '!' ? R"(["b","ba"])" : "[]")});
  ScriptedServer server(std::move(script));
  OpenTsdbSource source = SourceOf(server);

  const auto metrics = source.Metrics();

  ASSERT_OK(metrics.status());
  EXPECT_THAT(*metrics, ElementsAre("b", "ba"));
  EXPECT_THAT(server.requests()[0], HasSubstr(R"({"type":"metrics","q":"","max":3,"all":true})"));
  EXPECT_THAT(server.requests()[1], HasSubstr(R"("q":"!")"));
  EXPECT_THAT(server.requests(), SizeIs(1 + 94 + 95));
}

// A second try would wait for an hour.
TEST(OpenTsdbSourceTest, AHostThatNobodyKnowsIsNotTriedAgain) {
  OpenTsdbSource source(*ParseHttpUrl("http://no-such-host.invalid:4242"),
                        {.tries = 2, .pause_ms = 3'600'000});
  EXPECT_THAT(source.Metrics().status(),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("no-such-host.invalid")));
}

TEST(OpenTsdbSourceTest, AFailureThatPassesIsTriedAgain) {
  ScriptedServer server(
      {{ErrorText(503, "full")},
       {.bytes = {}, .close = true},
       {HttpReplyText(200, R"([{"metric":"m","tags":{"a":"b"},"dps":[[1,2]]}])")}});
  OpenTsdbSource source = SourceOf(server);

  const auto series = source.Query(kSpec);

  ASSERT_OK(series.status());
  ASSERT_THAT(*series, SizeIs(1));
  EXPECT_THAT((*series)[0].tags, ElementsAre(Pair("a", "b")));
  EXPECT_THAT(server.requests()[2], HasSubstr("POST /api/query?arrays=true"));
  EXPECT_THAT(server.requests()[2], HasSubstr(R"("start":"1356998400000","end":"1356998400999")"));
}

TEST(OpenTsdbSourceTest, AFailureThatStaysIsSaid) {
  ScriptedServer server(
      {{ErrorText(503, "full")}, {ErrorText(500, "down")}, {ErrorText(502, "x")}});
  OpenTsdbSource source = SourceOf(server);

  const absl::Status status = source.Query(kSpec).status();

  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(std::string(status.message()), HasSubstr("502 x"));
}

TEST(OpenTsdbSourceTest, AnAnswerThatIsTooLargeAsksForLess) {
  for (const std::string& reply :
       {ErrorText(413, "x"), ErrorText(504, "x"),
        ErrorText(400, "Sorry, you have attempted to fetch more than our limit of 10 data points."),
        HttpReplyText(200, std::string(2000, ' '))}) {
    ScriptedServer server({{reply}});
    SourcePatience patience = Quick();
    patience.reply_bytes_max = 1000;
    OpenTsdbSource source = SourceOf(server, patience);
    EXPECT_THAT(source.Query(kSpec).status(), StatusIs(absl::StatusCode::kResourceExhausted))
        << reply;
  }
}

TEST(OpenTsdbSourceTest, ARefusalIsNotTriedAgain) {
  ScriptedServer server({{ErrorText(400, "No such name for 'metrics': 'm'")}});
  OpenTsdbSource source = SourceOf(server);

  EXPECT_THAT(source.Query(kSpec).status(), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(server.requests(), SizeIs(1));
}

TEST(OpenTsdbSourceTest, AnAnswerOfAnotherShapeIsDataLoss) {
  for (const char* const body : {"", "{}", "[1]", R"(["a",null])", R"(["a"]])"})
    EXPECT_THAT(ParseNameList(body).status(), StatusIs(absl::StatusCode::kDataLoss)) << body;
  for (const char* const body :
       {"", "[]", R"({"results":[1]})", R"({"results":[{"tags":{"a":1}}]})"}) {
    EXPECT_THAT(ParseLookupReply(body).status(), StatusIs(absl::StatusCode::kDataLoss)) << body;
  }
  const auto series = ParseLookupReply(
      R"({"type":"LOOKUP","results":[{"tsuid":"01","metric":"m","tags":{"a":"b"}}]})");
  ASSERT_OK(series.status());
  EXPECT_THAT(*series, ElementsAre(ElementsAre(Pair("a", "b"))));
}

}  // namespace
}  // namespace hourcell::opentsdb_source_test
