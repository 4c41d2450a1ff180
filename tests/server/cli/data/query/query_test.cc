#include "server/cli/data/query/query.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tsdb.h"
#include "server/cli/data/import/import.h"
#include "tests/server/cli/captured_terminal.h"
#include "tests/server/http/scripted_server.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::query_test {
namespace {

using testing::HasSubstr;

class QueryTest : public testing::Test {
 protected:
  void SetUp() override {
    WriteFile(dir_.file("in"),
              "cpu 1356998400 1.5 host=a dc=x\n"
              "cpu 1356998460 2.25 host=a dc=x\n"
              "cpu 1356998400 10 host=b dc=x\n");
    CapturedTerminal terminal;
    ASSERT_EQ(RunImport({.store = store(), .paths = {dir_.file("in")}}, terminal.get()), kExitOk);
  }
  StoreOptions store() const { return {.data = dir_.file("store")}; }
  int Query(QueryOptions options) {
    options.store = store();
    return RunQuery(options, terminal_.get());
  }

  TempDir dir_;
  CapturedTerminal terminal_{1357002000000};
};

TEST_F(QueryTest, OldFormPrintsALineAPoint) {
  EXPECT_EQ(Query({.words = {"1356998400", "sum", "cpu", "host=a", "sum", "cpu", "host=b"}}),
            kExitOk);

  EXPECT_EQ(terminal_.out(),
            "cpu 1356998400000 1.5 {host=a, dc=x}\n"
            "cpu 1356998460000 2.25 {host=a, dc=x}\n"
            "cpu 1356998400000 10 {host=b, dc=x}\n");
}

TEST_F(QueryTest, MFormGroupsBySeries) {
  EXPECT_EQ(Query({.words = {"1356998400"}, .m_texts = {"sum:0all-count:cpu{host=*}"}}), kExitOk);

  EXPECT_THAT(terminal_.out(), testing::MatchesRegex("cpu [0-9]+ 2[.0]* \\{.*host=a.*\\}\n"
                                                     "cpu [0-9]+ 1[.0]* \\{.*host=b.*\\}\n"));
}

TEST_F(QueryTest, JsonIsTheApis) {
  EXPECT_EQ(Query({.json = true, .words = {"1356998400", "sum", "cpu", "host=b"}}), kExitOk);

  EXPECT_THAT(terminal_.out(), HasSubstr("\"metric\":\"cpu\""));
  EXPECT_THAT(terminal_.out(), HasSubstr("\"dps\":{\"1356998400000\":10}"));
}

// What the plans say is the engine's; that they are asked for and printed is ours.
TEST_F(QueryTest, ExplainsOnTheStandardError) {
  EXPECT_EQ(Query({.explain = true, .words = {"1356998400", "sum", "cpu", "host=b"}}), kExitOk);
  EXPECT_EQ(terminal_.out(), "cpu 1356998400000 10 {host=b, dc=x}\n");
  EXPECT_THAT(terminal_.err(),
              testing::AnyOf(HasSubstr("query  method"), HasSubstr("No sub query was planned")));
}

TEST_F(QueryTest, WithJsonTheExplanationIsInTheAnswer) {
  EXPECT_EQ(Query({.json = true, .explain = true, .words = {"1356998400", "sum", "cpu"}}), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr(",{\"explain\":["));
}

TEST_F(QueryTest, UnknownMetricFailsInBothForms) {
  EXPECT_EQ(Query({.words = {"1356998400", "sum", "disk"}}), kExitFailure);
  EXPECT_EQ(Query({.json = true, .words = {"1356998400", "sum", "disk"}}), kExitFailure);

  EXPECT_THAT(terminal_.err(), HasSubstr("hourcell query: No such name for 'metrics': 'disk'"));
  EXPECT_THAT(terminal_.err(), HasSubstr("hourcell query: 400 No such name"));
}

TEST_F(QueryTest, WordsThatDoNotParseAreAUsageError) {
  EXPECT_EQ(Query({.words = {"soon"}}), kExitUsage);
  EXPECT_THAT(terminal_.err(), HasSubstr("Try 'hourcell query --help'"));
}

TEST_F(QueryTest, ServerIsAskedForArraysAndReprinted) {
  ScriptedServer server(
      {{HttpReplyText(200, R"([{"metric":"cpu","tags":{"host":"a"},"dps":[[1,2.0]]}])")}});

  EXPECT_EQ(Query({.url = server.url(), .words = {"1356998400", "sum", "cpu"}}), kExitOk);

  EXPECT_EQ(terminal_.out(), "cpu 1 2.0 {host=a}\n");
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_THAT(server.requests()[0], testing::StartsWith("POST /api/query?arrays=true HTTP/1.1"));
  EXPECT_THAT(server.requests()[0], HasSubstr("\"start\":\"1356998400000\""));
}

TEST_F(QueryTest, PercentilesOfAStoreAndOfAServer) {
  const SimpleHistogram histogram{.buckets = {{0, 2, 9}, {2, 4, 1}}};
  OwnedPoint point("latency", "host=a", 1356998400, 0);
  const HistogramPoint one{.point = point.view(), .histogram = &histogram, .codec = 42};
  {
    const auto tsdb = OpenStore(store(), StoreUse::kExisting);
    ASSERT_OK(tsdb.status());
    ASSERT_OK((*tsdb)->points().AppendHistograms({&one, 1}, nullptr));
  }
  const QueryOptions options{
      .words = {"1356998400"},
      .m_texts = {"sum:percentiles[50]:show-histogram-buckets:latency{host=a}"}};

  EXPECT_EQ(Query(options), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr("latency_pct_50.0 1356998400000 1.0 {host=a}\n"));
  EXPECT_THAT(terminal_.out(), HasSubstr("latency_2.0_4.0 1356998400000 1 {host=a}\n"));

  QueryOptions json = options;
  json.json = true;
  EXPECT_EQ(Query(json), kExitOk);
  EXPECT_THAT(terminal_.out(), HasSubstr("\"latency_pct_50.0\""));
  EXPECT_THAT(terminal_.out(), HasSubstr("\"latency_2.0_4.0\""));

  ScriptedServer server({{HttpReplyText(200, "[]")}});
  QueryOptions remote = options;
  remote.url = server.url();
  EXPECT_EQ(Query(remote), kExitOk);
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_THAT(server.requests()[0],
              HasSubstr("\"percentiles\":[50.0],\"showHistogramBuckets\":true"));
}

TEST_F(QueryTest, ServersErrorIsSaid) {
  ScriptedServer server({{HttpReplyText(400, R"({"error":{"code":400,"message":"No such"}})")}});

  EXPECT_EQ(Query({.url = server.url(), .json = true, .words = {"1356998400", "sum", "cpu"}}),
            kExitFailure);

  EXPECT_THAT(terminal_.err(), HasSubstr("400 No such"));
}

}  // namespace
}  // namespace hourcell::query_test
