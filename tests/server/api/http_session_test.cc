#include "server/api/http_session.h"

#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/access/series_allowance.h"
#include "server/api/http_context.h"
#include "server/api/query_gate.h"
#include "server/http/body/body_writer.h"
#include "server/http/http_error.h"
#include "server/net/asio.h"
#include "server/net/connection_quota.h"
#include "tests/server/net/fake_transport.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::http_session_test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// Answered on the spot.
constexpr std::string_view kQuick = "GET /api/version HTTP/1.1\r\n\r\n";
// Answered by the pool, once the test lets it.
constexpr std::string_view kSlow = "GET /slow HTTP/1.1\r\n\r\n";
// Answered by a query of the pool that only ends as it is cancelled.
constexpr std::string_view kEndless = "GET /endless HTTP/1.1\r\n\r\n";

class HttpSessionTest : public testing::Test {
 protected:
  HttpSessionTest() {
    context_.pools.workers = &pool_;
    context_.counters = &counters_;
    context_.body_bytes_max = 1000;
    context_.answer = [this](HttpRequest* request) {
      HttpResponse response;
      response.body = "answer to " + request->target;
      if (request->target == "/slow") {
        while (is_held_)
          std::this_thread::yield();
      } else if (request->target == "/endless") {
        response.produce = [this](BodyWriter* body, HttpResponse* failure) {
          body->Bind(control_);
          is_running_ = true;
          while (!control_->is_cancelled() && !gives_up_)
            std::this_thread::yield();
          *failure = HttpError(503, "cancelled");
          return false;
        };
      }
      return response;
    };
  }
  // So that the pool ends where a test failed.
  ~HttpSessionTest() override {
    is_held_ = false;
    gives_up_ = true;
  }

  // With the context as it is by now.
  void Begin() {
    transport_.Hold(StartHttpSession(&transport_, &context_,
                                     {.listener = AccessRights::Admin(), .address = {}}));
  }

  Session& session() { return *transport_.session(); }
  bool RunUntilIdle() {
    return transport_.RunUntil([&] { return !transport_.is_kept_alive(); });
  }

  Stats stats_;
  const ConnectionCounters counters_{&stats_};
  HttpContext context_;
  const std::shared_ptr<QueryControl> control_ = std::make_shared<QueryControl>();
  std::atomic<bool> is_held_ = true;
  std::atomic<bool> is_running_ = false;
  std::atomic<bool> gives_up_ = false;
  FakeTransport transport_;
  WorkerPool pool_{1};  // ends first
};

TEST_F(HttpSessionTest, NothingIsReadWhileARequestIsAnswered) {
  Begin();
  EXPECT_TRUE(session().wants_input());

  session().Take(std::string(kSlow) + std::string(kQuick) + "GET /api");

  EXPECT_FALSE(session().wants_input());
  EXPECT_TRUE(session().is_working());
  EXPECT_EQ(transport_.sent(), "");
  is_held_ = false;
  EXPECT_TRUE(transport_.RunUntil([&] { return transport_.read_ons() > 0; }));
  EXPECT_TRUE(session().wants_input());
  EXPECT_FALSE(session().is_working());
  const std::string sent = transport_.TakeSent();
  EXPECT_LT(sent.find("answer to /slow"), sent.find("answer to /api/version"));
  EXPECT_THAT(sent, EndsWith("answer to /api/version"));
  session().Take("/version HTTP/1.1\r\n\r\n");
  EXPECT_THAT(transport_.TakeSent(), EndsWith("answer to /api/version"));
}

TEST_F(HttpSessionTest, ClientsOfOtherMachinesHaveALimitOfNewSeries) {
  ManualClock clock(0);
  ClientAllowances allowances(10, &clock, &stats_);
  context_.new_series = &allowances;
  std::vector<size_t> allowed;
  context_.answer = [&](HttpRequest* request) {
    const auto* const limit = request->new_series_limit();
    allowed.push_back(limit == nullptr ? 99 : (*limit)(6));
    return HttpResponse();
  };
  const std::string forwarded = "GET /api/version HTTP/1.1\r\nX-Forwarded-For: 10.0.0.1\r\n\r\n";
  const auto send = [&](bool is_local, std::string_view request) {
    transport_.Hold(
        StartHttpSession(&transport_, &context_,
                         {.listener = AccessRights::Admin(), .address = {}, .is_local = is_local}));
    session().Take(request);
  };

  send(/*is_local=*/true, kQuick);
  send(/*is_local=*/false, kQuick);
  send(/*is_local=*/true, forwarded);
  send(/*is_local=*/false, kQuick);

  // A proxy that is not listed counts as one client.
  EXPECT_THAT(allowed, testing::ElementsAre(99U, 6U, 4U, 0U));
}

// A client sends many queries at once, and its thread answers them: it takes one per turn.
TEST_F(HttpSessionTest, OtherConnectionsAreServedBetweenTwoQuickQueries) {
  QueryGate gate(10);
  context_.query_gate = &gate;
  context_.pools.queries = &pool_;
  context_.quick_query_bytes = 100;
  Begin();
  const std::string query = "GET /api/query?m=sum:m HTTP/1.1\r\n\r\n";

  session().Take(query + query + std::string(kQuick));

  EXPECT_THAT(transport_.TakeSent(), EndsWith("answer to /api/query?m=sum:m"));
  EXPECT_FALSE(session().wants_input()) << "what is here is answered before more is read";
  EXPECT_TRUE(transport_.RunUntil([&] { return !transport_.sent().empty(); }));
  EXPECT_THAT(transport_.TakeSent(), EndsWith("answer to /api/query?m=sum:m"))
      << "not the request after it";
  EXPECT_TRUE(transport_.RunUntil([&] { return !transport_.sent().empty(); }));
  EXPECT_THAT(transport_.TakeSent(), EndsWith("answer to /api/version"));
  EXPECT_TRUE(session().wants_input());
}

TEST_F(HttpSessionTest, ALoginThatFindsTooManyBeforeItIsAskedToComeAgain) {
  TempDir dir;
  std::ofstream(dir.file("users")) << "";
  const auto authenticator = Authenticator::Open(dir.file("users"), &stats_);
  ASSERT_OK(authenticator);
  ConnectionQuota logins({.total = 9, .per_address = 1});
  WorkerPool login_pool(1);
  context_.logins.authenticator = authenticator->get();
  context_.logins.waiting = &logins;
  context_.logins.pool = &login_pool;
  Begin();
  const std::string request = "GET /api/version HTTP/1.1\r\nAuthorization: Bearer a.b\r\n\r\n";

  ASSERT_EQ(logins.Enter("test"), ConnectionQuota::Verdict::kWelcome);
  session().Take(request);
  EXPECT_THAT(transport_.TakeSent(),
              AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After: 1\r\n")));
  EXPECT_TRUE(session().wants_input());

  logins.Leave("test");
  session().Take(request);
  EXPECT_TRUE(transport_.RunUntil([&] { return !transport_.sent().empty(); }));
  EXPECT_EQ(logins.total(), 0u) << "it has left";
}

TEST_F(HttpSessionTest, AnAnswerIsSentBeforeTheNextRequestIsAnswered) {
  Begin();
  transport_.StopReading();

  session().Take(std::string(kQuick) + std::string(kQuick));

  EXPECT_FALSE(session().wants_input());
  EXPECT_FALSE(session().is_working()) << "the client is waited for, not we";
  EXPECT_EQ(counters_.http_requests->value(), 1U);
  transport_.Read();
  EXPECT_EQ(counters_.http_requests->value(), 2U);
  EXPECT_TRUE(session().wants_input());
}

TEST_F(HttpSessionTest, ExpectIsAnsweredBeforeTheBody) {
  Begin();

  session().Take("POST /api/version HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(transport_.TakeSent(), "HTTP/1.1 100 Continue\r\n\r\n");
  session().Take("{}");

  EXPECT_THAT(transport_.TakeSent(), StartsWith("HTTP/1.1 200 OK"));
}

TEST_F(HttpSessionTest, AMalformedRequestEndsTheConnection) {
  Begin();

  session().Take("NONSENSE\r\n\r\n" + std::string(kQuick));

  EXPECT_THAT(transport_.sent(), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(transport_.sent(), Not(HasSubstr("answer")));
  EXPECT_TRUE(transport_.is_closing());
  EXPECT_EQ(counters_.http_malformed->value(), 1U);
}

TEST_F(HttpSessionTest, TheClientsEndCloses) {
  Begin();
  session().Take(kQuick);
  EXPECT_FALSE(transport_.is_closing());

  session().EndInput();

  EXPECT_TRUE(transport_.is_closing());
  EXPECT_THAT(transport_.sent(), EndsWith("answer to /api/version"));
}

TEST_F(HttpSessionTest, ARequestThatIsCutShortIsRefused) {
  Begin();
  session().Take("POST /api/version HTTP/1.1\r\nContent-Length: 2\r\n\r\n{");

  session().EndInput();

  EXPECT_THAT(transport_.sent(), StartsWith("HTTP/1.1 400 "));
  EXPECT_TRUE(transport_.is_closing());
}

TEST_F(HttpSessionTest, TheServersEndClosesBetweenRequests) {
  Begin();
  session().Take("GET /api/ver");

  transport_.Stop();

  EXPECT_TRUE(transport_.is_closing());
  EXPECT_EQ(transport_.sent(), "");
}

TEST_F(HttpSessionTest, TheServersEndComesAfterTheAnswerUnderWay) {
  Begin();
  session().Take(std::string(kSlow) + std::string(kQuick));

  transport_.Stop();

  EXPECT_FALSE(transport_.is_closing());
  is_held_ = false;
  EXPECT_TRUE(transport_.RunUntil([&] { return transport_.is_closing(); }));
  EXPECT_THAT(transport_.sent(), EndsWith("answer to /slow"));
}

// The response was made before: it is not marked as the last.
TEST_F(HttpSessionTest, TheServersEndComesAfterTheAnswerThatIsBeingSent) {
  Begin();
  transport_.StopReading();
  session().Take(std::string(kQuick) + std::string(kQuick));

  transport_.Stop();

  EXPECT_FALSE(transport_.is_closing());
  transport_.Read();
  EXPECT_TRUE(transport_.is_closing());
  EXPECT_EQ(counters_.http_requests->value(), 1U);
}

TEST_F(HttpSessionTest, ARequestThatTakesTooLongIsRefused) {
  context_.request_timeout_ms = 20;
  Begin();
  session().Take("GET /api/ver");

  EXPECT_TRUE(transport_.RunUntil([&] { return transport_.is_closing(); }));

  EXPECT_THAT(transport_.sent(), StartsWith("HTTP/1.1 408 "));
  EXPECT_EQ(counters_.http_timed_out->value(), 1U);
}

// Once the time of the first is over, a second one runs.
TEST_F(HttpSessionTest, EveryRequestHasTheTime) {
  context_.request_timeout_ms = 20;
  Begin();
  session().Take("GET /api/ver");
  session().Take("sion HTTP/1.1\r\n\r\n");
  EXPECT_THAT(transport_.TakeSent(), StartsWith("HTTP/1.1 200 "));
  EXPECT_TRUE(RunUntilIdle()) << "the first one's timer";
  EXPECT_FALSE(transport_.is_closing());

  session().Take("GET /api/ver");

  EXPECT_TRUE(transport_.RunUntil([&] { return transport_.is_closing(); }));
  EXPECT_THAT(transport_.sent(), StartsWith("HTTP/1.1 408 "));
}

TEST_F(HttpSessionTest, AClientThatTakesNothingIsCut) {
  context_.send_timeout_ms = 1000;
  Begin();
  transport_.StopReading();
  transport_.Stall(std::chrono::milliseconds(1000));

  session().Take(kQuick);

  EXPECT_FALSE(transport_.was_cut());
  EXPECT_TRUE(transport_.RunUntil([&] { return transport_.was_cut(); }));
  EXPECT_EQ(counters_.timed_out->value(), 1U);
  EXPECT_TRUE(RunUntilIdle());
}

// It did not even take the bytes before the response.
TEST_F(HttpSessionTest, AClientThatTakesNoLeaveToGoOnIsCut) {
  context_.send_timeout_ms = 1000;
  Begin();
  transport_.StopReading();
  transport_.Stall(std::chrono::milliseconds(1000));
  session().Take("POST /api/version HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");

  session().Take("{}");

  EXPECT_TRUE(transport_.RunUntil([&] { return transport_.was_cut(); }));
}

TEST_F(HttpSessionTest, AClientThatHangsUpCancelsItsQuery) {
  Begin();
  session().Take(kEndless);
  EXPECT_TRUE(transport_.RunUntil([&] { return is_running_.load(); }));

  transport_.HangUp();

  EXPECT_TRUE(transport_.RunUntil([&] { return control_->is_cancelled(); }));
  EXPECT_TRUE(transport_.RunUntil([&] { return !transport_.sent().empty(); }));
  EXPECT_THAT(transport_.sent(), StartsWith("HTTP/1.1 503 ")) << "it may listen all the same";
}

TEST_F(HttpSessionTest, ClosingCancelsTheQueryAndSendsNothing) {
  Begin();
  session().Take(kEndless);
  EXPECT_TRUE(transport_.RunUntil([&] { return is_running_.load(); }));

  transport_.Close();

  EXPECT_TRUE(control_->is_cancelled());
  EXPECT_TRUE(RunUntilIdle());
  EXPECT_EQ(transport_.sent(), "");
}

TEST_F(HttpSessionTest, AClientThatIsNotThereToBeAnsweredEndsIt) {
  Begin();
  transport_.Vanish();

  session().Take(std::string(kQuick) + std::string(kQuick));

  EXPECT_TRUE(transport_.is_closed());
  EXPECT_EQ(counters_.http_requests->value(), 1U);
  EXPECT_TRUE(RunUntilIdle());
}

}  // namespace
}  // namespace hourcell::http_session_test
