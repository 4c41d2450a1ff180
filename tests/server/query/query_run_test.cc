#include "server/query/query_run.h"

#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/api_fixture.h"

namespace hourcell::query_run_test {
namespace {

using testing::HasSubstr;

// A sink that the test controls.
class CallingSink : public QuerySink {
 public:
  explicit CallingSink(std::function<absl::Status()> call) : call_(std::move(call)) {}
  absl::Status OnSeries(const SeriesView& /*series*/) override { return call_(); }

 private:
  const std::function<absl::Status()> call_;
};

// A body that remembers the query bound to it.
class BoundBody : public BodyWriter {
 public:
  void Bind(std::shared_ptr<QueryControl> control) override { bound = std::move(control); }
  std::shared_ptr<QueryControl> bound;

 private:
  absl::Status Take(std::string* piece) override {
    piece->clear();
    return absl::OkStatus();
  }
};

class QueryRunTest : public ApiTest {
 protected:
  void SetUp() override {
    Put(OwnedPoint("m", "host=a", kStartS, 1));
    request_.remote = "10.0.0.1:999";
    query_.spec.start_ms = kStartS * 1000;
    query_.spec.end_ms = query_.spec.start_ms + 60'000;
    query_.spec.queries.resize(1);
    query_.spec.queries[0].metric = "m";
  }

  absl::Status Run(const std::function<absl::Status()>& on_series) {
    CallingSink sink(on_series);
    const QueryService service{.tsdb = &tsdb(), .clock = &clock_, .registry = &registry_};
    const auto finish = [this](const QueryControl& control) {
      ++finished_;
      points_ = control.cost().points;
    };
    return RunListedQuery(service, request_, std::make_shared<const QueryRequest>(query_), &sink,
                          finish, &body_);
  }

  QueryRegistry registry_{&clock_};
  HttpRequest request_;
  QueryRequest query_;
  BoundBody body_;
  int finished_ = 0;
  uint64_t points_ = 0;
};

TEST_F(QueryRunTest, ListsTheQueryWhileItRunsAndAfterwards) {
  std::string running;

  EXPECT_OK(Run([&] {
    running = registry_.Json();
    return absl::OkStatus();
  }));

  EXPECT_THAT(running, HasSubstr(R"({"completed":[],"running":[{"queryId":1,)"));
  EXPECT_THAT(running, HasSubstr(R"("remote":"10.0.0.1:999")"));
  EXPECT_THAT(registry_.Json(),
              HasSubstr(R"("httpResponse":{"code":200,"reasonPhrase":"OK"},)"
                        R"("exception":null,"sentToClient":true}],"running":[])"));
  EXPECT_EQ(finished_, 1);
  EXPECT_EQ(points_, 1U);
}

TEST_F(QueryRunTest, ABackgroundQueryIsListedOnlyWhileItRuns) {
  request_.headers.emplace_back("x-requested-with", "explorer-background");
  std::string running;

  EXPECT_OK(Run([&] {
    running = registry_.Json();
    return absl::OkStatus();
  }));

  EXPECT_THAT(running, HasSubstr(R"("running":[{"queryId":1,)"));
  EXPECT_EQ(registry_.Json(), R"({"completed":[],"running":[]})");
}

TEST_F(QueryRunTest, BindsTheQueryToItsClientAndItsCancel) {
  Run([&] {
    EXPECT_NE(body_.bound, nullptr);
    EXPECT_OK(registry_.Cancel(1));
    EXPECT_TRUE(body_.bound->is_cancelled());
    return absl::OkStatus();
  }).IgnoreError();  // whether the engine still looks after the last series is its business
}

TEST_F(QueryRunTest, AFailureIsListedWithItsStatus) {
  EXPECT_THAT(Run([] { return absl::CancelledError("gone"); }),
              StatusIs(absl::StatusCode::kCancelled));

  EXPECT_THAT(registry_.Json(), HasSubstr(R"("code":503,)"));
  EXPECT_THAT(registry_.Json(), HasSubstr(R"("exception":"gone","sentToClient":true)"));
  EXPECT_EQ(finished_, 0);
}

TEST_F(QueryRunTest, AFailureAfterTheFirstPieceDidNotReachTheClient) {
  EXPECT_THAT(Run([&] {
                body_.buffer().assign(kBodyPieceBytes, 'x');
                EXPECT_OK(body_.Offer());
                return absl::DataLossError("bad cell");
              }),
              StatusIs(absl::StatusCode::kDataLoss));

  EXPECT_THAT(registry_.Json(), HasSubstr(R"("code":500,)"));
  EXPECT_THAT(registry_.Json(), HasSubstr(R"("sentToClient":false)"));
}

TEST_F(QueryRunTest, AnExceptionDoesNotLeaveItRunning) {
  EXPECT_THROW(Run([]() -> absl::Status { throw std::bad_alloc(); }).IgnoreError(), std::bad_alloc);

  EXPECT_THAT(registry_.Json(), HasSubstr(R"("code":500,)"));
  EXPECT_THAT(registry_.Json(), HasSubstr(R"("running":[]})"));
}

TEST(QueryErrorTest, MapsStatusesToHttp) {
  EXPECT_EQ(QueryError(absl::InvalidArgumentError("x")).status, 400);
  EXPECT_EQ(QueryError(absl::NotFoundError("x")).status, 400);
  EXPECT_EQ(QueryError(absl::UnimplementedError("x")).status, 400);
  EXPECT_EQ(QueryError(absl::ResourceExhaustedError("x")).status, 413);
  EXPECT_EQ(QueryError(absl::DeadlineExceededError("x")).status, 413);
  EXPECT_EQ(QueryError(absl::DataLossError("x")).status, 500);
  EXPECT_EQ(QueryError(absl::UnavailableError("x")).status, 503);
  EXPECT_EQ(QueryError(absl::CancelledError("x")).status, 503);
  EXPECT_EQ(QueryError(absl::NotFoundError("x")).body,
            R"({"error":{"code":400,"message":"x","details":"x"}})");
}

}  // namespace
}  // namespace hourcell::query_run_test
