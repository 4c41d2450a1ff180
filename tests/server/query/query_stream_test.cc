// Look-ups and deletes behave like queries: they are sent as they are made, listed,
// cancelled, and their memory is that of queries.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/api/routes.h"
#include "server/http/body/body_writer.h"
#include "server/http/http_target.h"
#include "tests/server/api_fixture.h"

namespace hourcell::query_stream_test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// Takes a body in pieces, and calls back at the first.
class PieceBody : public BodyWriter {
 public:
  explicit PieceBody(std::function<absl::Status()> at_first) : at_first_(std::move(at_first)) {}

  std::string All() { return sent_ + buffer(); }
  size_t pieces() const { return pieces_; }
  size_t largest() const { return largest_; }

 private:
  absl::Status Take(std::string* piece) override {
    largest_ = std::max(largest_, piece->size());
    sent_ += *piece;
    piece->clear();
    return ++pieces_ == 1 ? at_first_() : absl::OkStatus();
  }

  const std::function<absl::Status()> at_first_;
  std::string sent_;
  size_t pieces_ = 0;
  size_t largest_ = 0;
};

class QueryStreamTest : public ApiTest {
 protected:
  static constexpr int kSeries = 4000;

  void SetUp() override {
    options().query_threads = 2;
    config().Set("tsd.http.query.allow_delete", "true").IgnoreError();
    for (int i = 0; i < kSeries; ++i) {
      Put({"m", fmt::format("host=a-host-with-a-rather-long-name-{:05}", i), kStartS, i});
    }
    api_ = std::make_unique<Routes>(&tsdb(), &config(), &clock_);
  }

  HttpRequest Request(std::string_view method, std::string target) {
    HttpRequest request;
    request.method = method;
    request.target = std::move(target);
    request.rights = rights_;
    request.remote = "127.0.0.1:50000";
    HOURCELL_CHECK(ParseTarget(&request).ok());
    return request;
  }
  std::string Queries() { return api_->Handle(Request("GET", "/api/stats/query")).body; }

  // Requests with large responses: the list that shows them, and the end of the response.
  struct Case {
    HttpRequest request;
    std::string listed;
    std::string end;
  };
  std::vector<Case> Cases() {
    return {
        {Request("GET", "/api/query/last?timeseries=m{host=*}&resolve"), R"("type":"LAST")", "}]"},
        {Request("GET", "/api/search/lookup?m=m{host=*}&limit=0"), R"("type":"LOOKUP")",
         R"("totalResults":4000})"},
        {Request("GET", "/api/suggest?type=tagv&max=100000"), R"("type":"SUGGEST")", "\"]"},
        {Request("DELETE", "/api/query?start=1356998000&end=1356998001&m=none:m&show_tsuids"),
         R"("metric":"m")", "]"},
        {Request("DELETE", "/api/query?start=1356998000&end=1356999999&m=none:m&show_tsuids"),
         R"("metric":"m")", "]"},
    };
  }

  std::unique_ptr<Routes> api_;
};

TEST_F(QueryStreamTest, AnswersAreSentAsTheyAreMade) {
  for (const Case& of : Cases()) {
    SCOPED_TRACE(of.request.target);
    HttpResponse response = api_->Begin(of.request);
    ASSERT_NE(response.produce, nullptr);
    std::string queries;
    PieceBody body([&] {
      queries = Queries();
      return absl::OkStatus();
    });
    HttpResponse failure;

    ASSERT_TRUE(response.produce(&body, &failure)) << failure.body;

    const std::string all = body.All();
    EXPECT_THAT(all, EndsWith(of.end));
    if (all.size() < kBodyPieceBytes) continue;
    EXPECT_LT(body.largest(), kBodyPieceBytes + 1024);
    EXPECT_GE(body.pieces(), all.size() / (kBodyPieceBytes + 1024));
    EXPECT_THAT(queries.substr(queries.find("\"running\"")), HasSubstr(of.listed));
    EXPECT_THAT(Queries(), EndsWith("\"running\":[]}"));
  }
}

TEST_F(QueryStreamTest, ACancelledOneEnds) {
  for (const Case& of : Cases()) {
    SCOPED_TRACE(of.request.target);
    HttpResponse response = api_->Begin(of.request);
    ASSERT_NE(response.produce, nullptr);
    PieceBody body([&] {
      const std::string queries = Queries();
      const std::string running = queries.substr(queries.find("\"running\""));
      const size_t id = running.find("\"queryId\":") + 10;
      const std::string text = running.substr(id, running.find(',', id) - id);
      const HttpResponse cancelled = api_->Handle(Request("DELETE", "/api/stats/query?id=" + text));
      EXPECT_EQ(cancelled.status, 200) << cancelled.body;
      return absl::OkStatus();
    });
    HttpResponse failure;

    const bool printed = response.produce(&body, &failure);

    if (body.pieces() == 0) continue;  // its queue is empty
    EXPECT_FALSE(printed);
    EXPECT_EQ(failure.status, 503);
    EXPECT_LE(body.pieces(), 2u);
  }
  // The points are still there.
  EXPECT_THAT(
      Send("GET /api/query/last?timeseries=m{host=a-host-with-a-rather-long-name-00001}").body,
      HasSubstr("\"value\":\"1\""));
}

TEST_F(QueryStreamTest, AClientThatIsGoneEndsIt) {
  for (const Case& of : Cases()) {
    SCOPED_TRACE(of.request.target);
    HttpResponse response = api_->Begin(of.request);
    ASSERT_NE(response.produce, nullptr);
    PieceBody body([] { return absl::CancelledError("gone"); });
    HttpResponse failure;

    const bool printed = response.produce(&body, &failure);

    EXPECT_EQ(printed, body.pieces() == 0);
    EXPECT_LE(body.pieces(), 1u);
  }
}

TEST_F(QueryStreamTest, ShortOnesAreWholeAndListedAsCompleted) {
  EXPECT_EQ(Send("GET /api/suggest?type=metrics").body, R"(["m"])");
  EXPECT_THAT(Send("GET /api/stats/query").body,
              AllOf(StartsWith("{\"completed\":[{\"queryId\":1,"),
                    HasSubstr(R"("query":{"type":"SUGGEST","names":"metrics","q":"","max":25})"),
                    HasSubstr("\"running\":[]")));
}

TEST_F(QueryStreamTest, LastPointsCountInTheMemoryOfQueries) {
  ASSERT_OK(tsdb().Close());
  Options small = options();
  small.query_memory_bytes = 256 << 10;
  auto store = *Tsdb::Open(small);
  Routes api(store.get(), &config(), &clock_);

  EXPECT_EQ(api.Handle(Request("GET", "/api/query/last?timeseries=m{host=*}")).status, 413);
  EXPECT_EQ(api.Handle(Request("GET", "/api/search/lookup?m=m{host=*}&limit=0")).status, 200);
  EXPECT_EQ(api.Handle(Request("GET", "/api/suggest?type=tagv&max=100000")).status, 200);
  EXPECT_EQ(
      api.Handle(Request("GET",
                         "/api/query/last?timeseries=m{host=a-host-with-a-rather-long-name-00001}"))
          .status,
      200);
}

}  // namespace
}  // namespace hourcell::query_stream_test
