#include "server/api/http_job.h"

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "server/api/http_context.h"
#include "server/http/body/send_window.h"
#include "server/http/http_response.h"
#include "server/net/asio.h"
#include "tests/server/inputs/prometheus/prom_messages.h"

namespace hourcell::http_job_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class HttpJobTest : public testing::Test {
 protected:
  HttpJobTest() {
    context_.pools.workers = &pool_;
    context_.pools.queries = &query_pool_;
    context_.query_gate = &gate_;
    context_.counters = &counters_;
    context_.clock = &clock_;
    context_.answer = [this](HttpRequest* /*request*/) {
      ++answered_;
      HttpResponse response;
      response.body = "the answer";
      return response;
    };
  }

  HttpJob Task(std::string_view target, AccessRights rights = AccessRights::Admin()) {
    HttpRequest request;
    request.method = "GET";
    request.target = std::string(target);
    request.rights = rights;
    return {&context_, std::move(request), RequestBodyBudget::Hold(&memory_), &stopping_};
  }
  static StreamTarget Target() {
    return {.window = std::make_shared<SendWindow>(), .send = [](std::string /*bytes*/) {}};
  }

  static constexpr int64_t kNowMs = 1'357'300'800'000;

  ManualClock clock_{kNowMs};
  Stats stats_;
  const ConnectionCounters counters_{&stats_};
  QueryGate gate_{1};
  RequestBodyBudget memory_{0};
  WorkerPool pool_{1};
  WorkerPool query_pool_{1};
  HttpContext context_;
  std::atomic<bool> stopping_ = false;
  int answered_ = 0;
};

TEST_F(HttpJobTest, WhatIsQuickIsAnsweredAtOnceAndTheRestInItsPool) {
  EXPECT_EQ(Task("/api/version").Enter(), nullptr);
  EXPECT_EQ(Task("/api/put").Enter(), nullptr);
  EXPECT_EQ(Task("/api/stats").Enter(), &pool_);
  EXPECT_EQ(Task("/api/query?m=sum:m").Enter(), &query_pool_);
  EXPECT_EQ(Task("/api/query?m=sum:m", AccessRights()).Enter(), nullptr) << "of a stranger";
}

TEST_F(HttpJobTest, APathIsDecodedBeforeItIsJudged) {
  EXPECT_EQ(Task("/api/%70ut").Enter(), nullptr) << "a put takes no query's place";
  EXPECT_EQ(Task("/api/quer%79").Enter(), &query_pool_);
  EXPECT_EQ(Task("/api/%73tats").Enter(), &pool_);
}

TEST_F(HttpJobTest, AnEndThatLooksLikeARouteMakesNoRoute) {
  for (const char* const target : {"/anything/put", "/put", "/api/x/query", "/querys"})
    EXPECT_EQ(Task(target).Enter(), &pool_) << target;
}

// The cost of a body depends on more than its points, so its size decides.
TEST_F(HttpJobTest, LargeBodiesGoToTheirPool) {
  WorkerPool body_pool(1);
  context_.pools.bodies = &body_pool;
  context_.body_timeout_ms = 500;
  const auto pool_of = [this](std::string_view target, std::string body,
                              std::string_view encoding = "") {
    HttpJob task = Task(target);
    task.request().method = "POST";
    task.request().body = std::move(body);
    if (!encoding.empty()) task.request().headers = {{"content-encoding", std::string(encoding)}};
    WorkerPool* const pool = task.Enter();
    EXPECT_EQ(task.request().deadline_ms, pool == nullptr ? 0 : clock_.MonotonicMs() + 500);
    return pool;
  };
  const std::string small(kSmallBodyBytesMax, 'x');
  for (const char* const target : {"/api/put", "/write", "/api/v1/write", "/v1/metrics"}) {
    EXPECT_EQ(pool_of(target, small), nullptr) << target;
    EXPECT_EQ(pool_of(target, small + "x"), &body_pool) << target;
  }
  EXPECT_EQ(pool_of("/query", small + "x"), &pool_) << "no body of points";
  EXPECT_EQ(pool_of("/write", Gzip(small), "gzip"), nullptr);
  EXPECT_EQ(pool_of("/write", Gzip(small + "x"), "gzip"), &body_pool);
  EXPECT_EQ(pool_of("/write", SnappyBlock(small + "x"), "snappy"), &body_pool);
}

// As a put of series that have to wait for others.
TEST_F(HttpJobTest, WhatMustWaitAfterAllIsAnsweredInAPool) {
  context_.answer = [this](HttpRequest* request) {
    ++answered_;
    HttpResponse response;
    response.must_wait = !request->may_wait;
    response.body = "the answer";
    return response;
  };
  HttpJob task = Task("/api/put");
  ASSERT_EQ(task.Enter(), nullptr);
  EXPECT_FALSE(task.Answer().has_value());
  EXPECT_EQ(task.AnswerTo(Target()).body, "the answer");
  EXPECT_EQ(answered_, 2);
}

TEST_F(HttpJobTest, AShortQueryIsTriedAtOnce) {
  context_.quick_query_bytes = 32;
  context_.answer = [this](HttpRequest* request) {
    ++answered_;
    EXPECT_TRUE(request->only_if_quick);
    EXPECT_EQ(gate_.running(), 1);
    HttpResponse response;
    response.body = "the answer";
    return response;
  };
  HttpJob task = Task("/api/query?m=sum:m");
  ASSERT_EQ(task.Enter(), &query_pool_);
  ASSERT_TRUE(task.may_be_quick());

  EXPECT_EQ(task.Answer()->body, "the answer");

  EXPECT_EQ(gate_.running() + gate_.waiting(), 0) << "its place is free";
}

// Puts are taken by the same threads, and would wait for all queries that are read meanwhile.
TEST_F(HttpJobTest, WhileAQueryIsTriedOthersGoToQueryThreads) {
  QueryGate gate(10, /*tries_max=*/1);
  context_.query_gate = &gate;
  context_.quick_query_bytes = 32;
  HttpJob tried = Task("/api/query?m=sum:m");
  HttpJob other = Task("/api/query?m=sum:m");
  tried.Enter();
  EXPECT_TRUE(tried.may_be_quick());

  EXPECT_EQ(other.Enter(), &query_pool_);

  EXPECT_FALSE(other.may_be_quick());
}

TEST_F(HttpJobTest, AQueryThatIsNotQuickWaitsForAQueryThread) {
  context_.quick_query_bytes = 32;
  context_.answer = [this](HttpRequest* request) {
    ++answered_;
    HttpResponse response;
    response.must_wait = request->only_if_quick;
    response.body = "the answer";
    return response;
  };
  HttpJob task = Task("/api/query?m=sum:m");
  ASSERT_EQ(task.Enter(), &query_pool_);
  EXPECT_FALSE(task.Answer().has_value());
  EXPECT_EQ(gate_.running(), 0);
  EXPECT_EQ(gate_.waiting(), 1);

  EXPECT_EQ(task.AnswerTo(Target()).body, "the answer");
  EXPECT_EQ(answered_, 2);
}

TEST_F(HttpJobTest, OnlyShortQueriesAreTriedAtOnce) {
  context_.quick_query_bytes = 32;
  for (const std::string& target :
       {"/api/query?m=sum:" + std::string(32, 'm'), std::string("/api/query/last?timeseries=m"),
        std::string("/api/suggest?type=metrics"), std::string("/api/stats")}) {
    HttpJob task = Task(target);
    EXPECT_NE(task.Enter(), nullptr);
    EXPECT_FALSE(task.may_be_quick()) << target;
  }
  for (const char* const method : {"HEAD", "DELETE", "PUT"}) {
    HttpJob task = Task("/api/query?m=sum:m");
    task.request().method = method;
    EXPECT_NE(task.Enter(), nullptr);
    EXPECT_FALSE(task.may_be_quick()) << method;
  }
  HttpJob inflated = Task("/api/query?m=sum:m");
  inflated.request().headers = {{"content-encoding", "gzip"}};
  EXPECT_NE(inflated.Enter(), nullptr);
  EXPECT_FALSE(inflated.may_be_quick());
}

TEST_F(HttpJobTest, AQueryHasItsPlaceUntilItIsAnswered) {
  HttpJob first = Task("/api/query");
  ASSERT_EQ(first.Enter(), &query_pool_);
  HttpJob second = Task("/api/query");
  EXPECT_EQ(second.Enter(), nullptr);
  EXPECT_THAT(second.Answer()->head,
              AllOf(StartsWith("HTTP/1.1 503 "), HasSubstr("Retry-After: 1\r\n")));
  EXPECT_EQ(counters_.queries_refused->value(), 1U);
  EXPECT_EQ(answered_, 0);

  EXPECT_EQ(first.AnswerTo(Target()).body, "the answer");

  EXPECT_EQ(Task("/api/query").Enter(), &query_pool_);
}

TEST_F(HttpJobTest, AQueryThatWaitedOutItsTimeIsNotRun) {
  context_.query_timeout_ms = 500;
  HttpJob in_time = Task("/api/query");
  const int64_t begin_ms = clock_.MonotonicMs();
  ASSERT_EQ(in_time.Enter(), &query_pool_);
  clock_.Advance(500);
  clock_.StepWall(3'600'000);  // this time does not count as waiting
  EXPECT_EQ(in_time.AnswerTo(Target()).body, "the answer");
  EXPECT_EQ(in_time.request().deadline_ms, begin_ms + 500);

  HttpJob late = Task("/api/query");
  ASSERT_EQ(late.Enter(), &query_pool_);
  clock_.Advance(501);
  const HttpWire wire = late.AnswerTo(Target());

  EXPECT_THAT(wire.head, StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(wire.body, HasSubstr("Sorry, your query timed out."));
  EXPECT_FALSE(wire.close);
  EXPECT_EQ(answered_, 1);
  EXPECT_EQ(counters_.queries_late->value(), 1U);
  EXPECT_EQ(Task("/api/query").Enter(), &query_pool_) << "its place is free";
}

TEST_F(HttpJobTest, TimeIsLimitedForQueriesOnlyAndIfItIsSet) {
  HttpJob unlimited = Task("/api/query");
  ASSERT_EQ(unlimited.Enter(), &query_pool_);
  EXPECT_EQ(unlimited.request().deadline_ms, 0);
  context_.query_timeout_ms = 500;
  HttpJob other = Task("/api/stats");
  ASSERT_EQ(other.Enter(), &pool_);

  clock_.Advance(100'000);

  EXPECT_EQ(unlimited.AnswerTo(Target()).body, "the answer");
  EXPECT_EQ(other.AnswerTo(Target()).body, "the answer");
}

TEST_F(HttpJobTest, TheMemoryOfTheBodyIsGivenBackWithTheAnswer) {
  for (const std::string_view target : {"/api/put", "/api/stats"}) {
    HttpRequest request;
    request.target = std::string(target);
    request.rights = AccessRights::Admin();
    RequestBodyBudget::Hold body(&memory_);
    ASSERT_TRUE(body.Grow(100'000));
    HttpJob task(&context_, std::move(request), std::move(body), &stopping_);
    EXPECT_EQ(memory_.bytes(), 100'000U);

    task.Enter() == nullptr ? task.Answer() : task.AnswerTo(Target());

    EXPECT_EQ(memory_.bytes(), 0U) << target;
  }
}

TEST_F(HttpJobTest, AnswersEndTheirConnectionsWhenTheServerStops) {
  HttpJob before = Task("/api/version");
  ASSERT_EQ(before.Enter(), nullptr);
  EXPECT_FALSE(before.Answer()->close);

  stopping_ = true;

  HttpJob after = Task("/api/version");
  ASSERT_EQ(after.Enter(), nullptr);
  EXPECT_TRUE(after.Answer()->close);
}

}  // namespace
}  // namespace hourcell::http_job_test
