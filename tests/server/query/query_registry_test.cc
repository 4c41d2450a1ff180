#include "server/query/query_registry.h"

#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "tests/support/status_matchers.h"

namespace hourcell::query_registry_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

QueryRequest Request(size_t queries = 1) {
  QueryRequest request;
  request.spec.start_ms = 1000;
  request.spec.end_ms = 2000;
  request.spec.queries.resize(queries);
  for (SubQuery& query : request.spec.queries)
    query.metric = "m\"";
  return request;
}

class QueryRegistryTest : public testing::Test {
 protected:
  // The registry's text, parsed; it must be JSON at all times.
  simdjson::dom::element Parsed() {
    text_ = registry_.Json();
    simdjson::dom::element root;
    EXPECT_EQ(parser_.parse(text_).get(root), simdjson::SUCCESS) << text_;
    return root;
  }
  static size_t Size(simdjson::dom::element list) { return simdjson::dom::array(list).size(); }

  ManualClock clock_{5000};
  QueryRegistry registry_{&clock_};
  std::string text_;
  simdjson::dom::parser parser_;
};

TEST_F(QueryRegistryTest, ListsNothingAtFirst) {
  EXPECT_EQ(registry_.Json(), R"({"completed":[],"running":[]})");
}

TEST_F(QueryRegistryTest, ListsARunningQueryWithWhatItCostUntilNow) {
  const auto control = std::make_shared<QueryControl>();
  const uint64_t id = registry_.Begin(ListedQueryText(Request()), "127.0.0.1:50000", control);
  control->rows = 7;
  control->points = 420;
  clock_.Set(5250);

  const std::string text = registry_.Json();

  EXPECT_THAT(text, StartsWith(R"({"completed":[],"running":[{"queryId":1,"query":{"start":1000,)"
                               R"("end":2000,"msResolution":false,"showTSUIDs":false,)"
                               R"("queries":[{"aggregator":"sum","metric":"m\"",)"));
  EXPECT_THAT(text, HasSubstr(R"(,"remote":"127.0.0.1:50000","queryStartTimestamp":5000,)"
                              R"("stats":{"series":0,"rows":7,"rowsSkipped":0,"points":420,)"
                              R"("bytes":0,"memory":0},"explain":[],"elapsed":250}]})"));
  Parsed();
  registry_.End(id, {});
}

TEST_F(QueryRegistryTest, ListsTheUserOfAQueryThatHasOne) {
  const auto control = std::make_shared<QueryControl>();
  const uint64_t id = registry_.Begin(ListedQueryText(Request()), "a", control, "an\"na");

  EXPECT_THAT(registry_.Json(),
              HasSubstr(R"("remote":"a","user":"an\"na","queryStartTimestamp":5000)"));
  Parsed();
  registry_.End(id, {});
}

TEST_F(QueryRegistryTest, KeepsWhatIsCompletedNewestFirst) {
  const auto control = std::make_shared<QueryControl>();
  const uint64_t first = registry_.Begin(ListedQueryText(Request()), "a", control);
  const uint64_t second = registry_.Begin(ListedQueryText(Request()), "b", control);
  registry_.End(first, {});
  clock_.Set(6000);
  registry_.End(second, {.status = 413, .exception = "too \"much\"", .sent = false});

  const simdjson::dom::element root = Parsed();

  EXPECT_EQ(Size(root["running"]), 0U);
  ASSERT_EQ(Size(root["completed"]), 2U);
  const simdjson::dom::element newest = root["completed"].at(0);
  EXPECT_EQ(int64_t(newest["queryId"]), 2);
  EXPECT_EQ(int64_t(newest["queryCompletedTimestamp"]), 6000);
  EXPECT_EQ(simdjson::to_string(newest["httpResponse"]),
            R"({"code":413,"reasonPhrase":"Request Entity Too Large"})");
  EXPECT_EQ(std::string_view(newest["exception"]), "too \"much\"");
  EXPECT_FALSE(bool(newest["sentToClient"]));
  const simdjson::dom::element oldest = root["completed"].at(1);
  EXPECT_TRUE(oldest["exception"].is_null());
  EXPECT_TRUE(bool(oldest["sentToClient"]));
}

TEST_F(QueryRegistryTest, SaysHowEachSubQueryWasRead) {
  const auto control = std::make_shared<QueryControl>();
  const uint64_t id = registry_.Begin(ListedQueryText(Request()), "a", control);
  control->AddPlan({.query_index = 0, .method = "skip scan", .series = 4, .cost = {.rows = 12}});

  const simdjson::dom::element running = Parsed()["running"].at(0)["explain"];
  EXPECT_EQ(std::string_view(running.at(0)["method"]), "skip scan");

  for (size_t i = 1; i < 2 * kListedPlansMax; ++i)
    control->AddPlan({.query_index = i, .method = "point reads", .cost = {}});
  EXPECT_EQ(Size(Parsed()["running"].at(0)["explain"]), kListedPlansMax);
  registry_.End(id, {});

  const simdjson::dom::element completed = Parsed()["completed"].at(0)["explain"];
  EXPECT_EQ(Size(completed), kListedPlansMax);
  EXPECT_EQ(int64_t(completed.at(0)["rows"]), 12);
  EXPECT_EQ(int64_t(completed.at(0)["series"]), 4);
}

TEST_F(QueryRegistryTest, ForgetsTheOldest) {
  for (size_t i = 0; i < kCompletedQueriesMax + 5; ++i)
    registry_.End(
        registry_.Begin(ListedQueryText(Request()), "a", std::make_shared<QueryControl>()), {});

  const simdjson::dom::element root = Parsed();

  ASSERT_EQ(Size(root["completed"]), kCompletedQueriesMax);
  EXPECT_EQ(uint64_t(root["completed"].at(0)["queryId"]), kCompletedQueriesMax + 5);
}

TEST_F(QueryRegistryTest, KeepsTheSlowestOfADay) {
  const auto run = [this](int64_t ms) {
    const uint64_t id =
        registry_.Begin(ListedQueryText(Request()), "a", std::make_shared<QueryControl>());
    clock_.Set(clock_.NowMs() + ms);
    registry_.End(id, {});
    return id;
  };
  const auto pass = [&](size_t count) {
    for (size_t i = 0; i < count; ++i)
      run(0);
  };
  const uint64_t slow = run(300);
  const uint64_t slower = run(500);
  pass(kCompletedQueriesMax + kSlowQueriesMax);

  const simdjson::dom::element listed = Parsed()["slow"];
  ASSERT_EQ(Size(listed), kSlowQueriesMax);
  EXPECT_EQ(uint64_t(listed.at(0)["queryId"]), slower);
  EXPECT_EQ(uint64_t(listed.at(1)["queryId"]), slow);

  clock_.Set(clock_.NowMs() + kSlowQueriesKeptMs + 1);
  pass(kCompletedQueriesMax + 1);

  EXPECT_EQ(registry_.Json().find("\"queryId\":" + std::to_string(slower) + ","),
            std::string::npos);
}

TEST_F(QueryRegistryTest, BackgroundQueriesAreKeptIfTheyAreSlowOrFail) {
  const auto run = [this](int64_t ms, QueryOutcome outcome) {
    const uint64_t id =
        registry_.Begin(ListedQueryText(Request()), "a", std::make_shared<QueryControl>());
    clock_.Set(clock_.NowMs() + ms);
    registry_.End(id, std::move(outcome));
  };

  run(kQuickBackgroundMs - 1, {.background = true});
  EXPECT_EQ(Size(Parsed()["completed"]), 0U);

  run(kQuickBackgroundMs, {.background = true});
  run(0, {.status = 413, .exception = "too much", .background = true});
  EXPECT_EQ(Size(Parsed()["completed"]), 2U);
}

TEST_F(QueryRegistryTest, CancelsWhatRunsAndNothingElse) {
  const auto first = std::make_shared<QueryControl>();
  const auto second = std::make_shared<QueryControl>();
  const uint64_t first_id = registry_.Begin(ListedQueryText(Request()), "a", first);
  const uint64_t second_id = registry_.Begin(ListedQueryText(Request()), "b", second);

  const absl::StatusOr<std::string> cancelled = registry_.Cancel(second_id);

  ASSERT_OK(cancelled);
  EXPECT_THAT(*cancelled, StartsWith(R"({"queryId":2,)"));
  EXPECT_FALSE(first->is_cancelled());
  EXPECT_TRUE(second->is_cancelled());
  registry_.End(second_id, {});
  EXPECT_THAT(registry_.Cancel(second_id),
              StatusIs(absl::StatusCode::kNotFound, "No query of the id 2 is running"));
  registry_.End(first_id, {});
}

TEST_F(QueryRegistryTest, AHugeRequestIsListedInPart) {
  const uint64_t id =
      registry_.Begin(ListedQueryText(Request(1000)), "a", std::make_shared<QueryControl>());

  const simdjson::dom::element root = Parsed();

  EXPECT_LT(text_.size(), 2 * kListedQueryBytesMax);
  const simdjson::dom::element query = root["running"].at(0)["query"];
  EXPECT_EQ(Size(query["queries"]) + uint64_t(query["queriesNotListed"]), 1000U);
  registry_.End(id, {});
}

TEST_F(QueryRegistryTest, OneThatIsForgottenWasNeverThere) {
  const uint64_t id =
      registry_.Begin(ListedQueryText(Request()), "a", std::make_shared<QueryControl>());

  registry_.Forget(id);

  const simdjson::dom::element root = Parsed();
  EXPECT_EQ(Size(root["running"]), 0u);
  EXPECT_EQ(Size(root["completed"]), 0u);
}

TEST_F(QueryRegistryTest, ARequestIsListedAsItsText) {
  for (const size_t queries : {1U, 16U, 17U, 1000U}) {
    for (const size_t filter_bytes : {size_t{1}, kListedTextBytesMax}) {
      QueryRequest request = Request(queries);
      request.printing.ms = true;
      request.spec.queries[0].filters.push_back(
          {.tagk = "host", .filter = std::string(filter_bytes, 'f')});
      const ListedQuery text(ListedQueryText(request));
      EXPECT_EQ(ListedQuery(std::make_shared<const QueryRequest>(request)).Text(), text.Text());
    }
  }
}

TEST_F(QueryRegistryTest, OnlyASmallRequestIsKept) {
  const auto small = std::make_shared<const QueryRequest>(Request());
  const auto many = std::make_shared<const QueryRequest>(Request(1000));
  QueryRequest request = Request();
  request.spec.queries[0].filters.push_back(
      {.tagk = "host", .filter = std::string(kListedQueryBytesMax, 'f')});
  const auto large = std::make_shared<const QueryRequest>(std::move(request));

  const ListedQuery listed[] = {ListedQuery(small), ListedQuery(many), ListedQuery(large)};

  EXPECT_EQ(small.use_count(), 2);
  EXPECT_EQ(many.use_count(), 1);
  EXPECT_EQ(large.use_count(), 1);
}

// A hundred queries are kept, and a request may have a megabyte of filters.
TEST_F(QueryRegistryTest, ATextThatIsTooLongIsNotKept) {
  const std::string text = R"({"filter":")" + std::string(kListedTextBytesMax, 'f') + R"("})";
  const uint64_t id = registry_.Begin(text, "127.0.0.1:1", std::make_shared<QueryControl>());

  EXPECT_THAT(registry_.Json(), HasSubstr(R"("query":{"bytesNotListed":65549})"));
  EXPECT_OK(registry_.Cancel(id));
  registry_.End(id, {});
  EXPECT_EQ(Size(Parsed()["completed"]), 1u);
}

}  // namespace
}  // namespace hourcell::query_registry_test
