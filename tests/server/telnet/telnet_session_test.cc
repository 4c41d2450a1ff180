#include "server/telnet/telnet_session.h"

#include <atomic>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/net/asio.h"
#include "server/net/connection_quota.h"
#include "server/telnet/line_protocol.h"
#include "tests/server/net/fake_transport.h"
#include "tests/support/late_commits.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::line_protocol_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

// A session with a store that the test controls. Commits are waited for in a pool's
// thread, the rest runs where the test waits.
class TelnetSessionTest : public testing::Test {
 protected:
  TelnetSessionTest() {
    telnet_.clock = Clock::System();
    telnet_.append = [this](std::span<const LinePoint> points, std::vector<RefusedPoint>* refused) {
      refused->clear();
      ++appends_;
      for (size_t i = 0; is_full_ && i < points.size(); ++i) {
        refused->push_back(
            {.index = i, .error = {.kind = PointErrorKind::kThrottled, .text = "full"}});
      }
      if (is_full_) return CommitTicket();
      if (fails_) commits_.FailNext(absl::UnavailableError("disk full"));
      return commits_.Take(points.size());
    };
    context_.commit_pool = &pool_;
    context_.settings = &telnet_;
    context_.counters = &counters_;
    Begin(&transport_);
  }

  void Begin(FakeTransport* transport) {
    transport->Hold(
        StartTelnetSession(transport, &context_, AccessRights::Admin(), /*is_local=*/true));
  }

  Session& session() { return *transport_.session(); }
  bool RunUntilIdle() {
    return transport_.RunUntil([&] { return !transport_.is_kept_alive(); });
  }

  LateCommits commits_;
  bool is_full_ = false;
  bool fails_ = false;
  int appends_ = 0;
  Stats stats_;
  const TelnetCounters counters_{&stats_};
  TelnetSettings telnet_;
  TelnetContext context_;
  FakeTransport transport_;
  WorkerPool pool_{1};  // ends first
};

TEST_F(TelnetSessionTest, NothingIsReadWhileACommitIsWaitedFor) {
  EXPECT_TRUE(session().wants_input());

  session().Take("put m 1 1 a=b\nversion\nhelp\n");

  EXPECT_FALSE(session().wants_input());
  EXPECT_TRUE(session().is_working());
  EXPECT_EQ(transport_.sent(), "");
  EXPECT_TRUE(transport_.RunUntil([&] { return transport_.read_ons() == 1; }));
  EXPECT_TRUE(session().wants_input());
  EXPECT_FALSE(session().is_working());
  EXPECT_THAT(transport_.TakeSent(),
              AllOf(StartsWith("hourcell"), HasSubstr("available commands")));
  EXPECT_EQ(counters_.points->value(), 1U);
  EXPECT_EQ(commits_.written_points(), 1U);
}

TEST_F(TelnetSessionTest, AStoreThatAsksForPatienceIsTriedAgain) {
  is_full_ = true;
  session().Take("put m 1 1 a=b\nversion\n");
  EXPECT_FALSE(session().wants_input());
  EXPECT_TRUE(transport_.RunUntil([&] { return appends_ == 3; }));
  EXPECT_FALSE(session().wants_input());
  EXPECT_EQ(transport_.sent(), "");

  is_full_ = false;

  EXPECT_TRUE(transport_.RunUntil([&] { return session().wants_input(); }));
  EXPECT_THAT(transport_.TakeSent(), StartsWith("hourcell"));
  EXPECT_EQ(counters_.points->value(), 1U);
}

TEST_F(TelnetSessionTest, ALoginWaitsWhereTooManyAreBeforeIt) {
  TempDir dir;
  std::ofstream(dir.file("users")) << "";
  const auto authenticator = Authenticator::Open(dir.file("users"), &stats_);
  ASSERT_OK(authenticator);
  ConnectionQuota logins({.total = 9, .per_address = 1});
  telnet_.authenticator = authenticator->get();
  context_.logins.waiting = &logins;
  context_.logins.pool = &pool_;
  ASSERT_EQ(logins.Enter("test"), ConnectionQuota::Verdict::kWelcome);

  session().Take("auth a b\n");
  EXPECT_FALSE(session().wants_input());
  EXPECT_EQ(transport_.sent(), "");
  logins.Leave("test");

  EXPECT_TRUE(transport_.RunUntil([&] { return session().wants_input(); }));
  EXPECT_EQ(transport_.TakeSent(), "AUTH_FAIL\r\n");
  EXPECT_EQ(logins.total(), 0u) << "it has left";
}

TEST_F(TelnetSessionTest, AFailedCommitIsToldToAClientThatOnlyPuts) {
  fails_ = true;
  session().Take("put m 1 1 a=b\nput m 2 1 a=b\n");
  EXPECT_TRUE(session().wants_input()) << "it is not waited for";

  EXPECT_TRUE(transport_.RunUntil([&] { return !transport_.sent().empty(); }));

  EXPECT_EQ(transport_.TakeSent(), "put: HBase error: disk full: 2 lines not stored\n");
  fails_ = false;
  EXPECT_TRUE(transport_.RunUntil([&] { return session().wants_input(); }));
  session().Take("version\n");
  EXPECT_THAT(transport_.TakeSent(), StartsWith("hourcell"));
}

TEST_F(TelnetSessionTest, WithoutErrorLinesAFailedCommitEndsTheConnectionAtTheBarrier) {
  telnet_.return_errors = false;
  fails_ = true;

  session().Take("put m 1 1 a=b\nversion\n");

  EXPECT_TRUE(transport_.RunUntil([&] { return transport_.is_closing(); }));
  EXPECT_EQ(transport_.sent(), "");
}

TEST_F(TelnetSessionTest, TheClientsEndIsAnsweredByACloseAfterTheLastError) {
  fails_ = true;
  session().Take("put m 1 1 a=b\nput m 2 1");

  session().EndInput();

  EXPECT_FALSE(transport_.is_closing());
  EXPECT_TRUE(transport_.RunUntil([&] { return transport_.is_closing(); }));
  EXPECT_EQ(transport_.sent(), "put: HBase error: disk full\n");
  EXPECT_EQ(counters_.line_unfinished->value(), 1U);
  EXPECT_TRUE(RunUntilIdle());
}

TEST_F(TelnetSessionTest, TheServersEndCommitsWhatWasRead) {
  session().Take("put m 1 1 a=b\n");

  transport_.Stop();

  EXPECT_FALSE(transport_.is_closing());
  EXPECT_TRUE(transport_.RunUntil([&] { return transport_.is_closing(); }));
  EXPECT_EQ(counters_.points->value(), 1U);
  EXPECT_TRUE(RunUntilIdle());
}

TEST_F(TelnetSessionTest, TheServersEndComesAfterWhatIsWaitedFor) {
  session().Take("put m 1 1 a=b\nversion\nput m 2 1 a=b\n");

  transport_.Stop();

  EXPECT_TRUE(transport_.RunUntil([&] { return transport_.is_closing(); }));
  EXPECT_THAT(transport_.sent(), AllOf(StartsWith("hourcell"), EndsWith("\n")));
  EXPECT_EQ(counters_.points->value(), 2U);
}

TEST_F(TelnetSessionTest, ClosingCountsWhatIsUnderWay) {
  for (const std::string_view lines : {"put m 1 1 a=b\n", "put m 1 1 a=b\nversion\n"}) {
    SCOPED_TRACE(lines);
    const uint64_t points = counters_.points->value();
    FakeTransport transport;
    Begin(&transport);
    transport.session()->Take(lines);

    transport.Close();

    EXPECT_TRUE(transport.RunUntil([&] { return !transport.is_kept_alive(); }));
    EXPECT_EQ(counters_.points->value(), points + 1);
    EXPECT_EQ(transport.sent(), "");
  }
}

// Whatever the session wants as it is answered.
TEST_F(TelnetSessionTest, PointsOfAClientThatIsNotThereToBeAnsweredAreCounted) {
  for (const std::string_view lines :
       {"bad\nput m 1 1 a=b\n", "version\nput m 1 1 a=b\n", "bad\nput m 1 1 a=b\nversion\n",
        "bad\nput m 1 1 a=b\nexit\n"}) {
    SCOPED_TRACE(lines);
    const uint64_t points = counters_.points->value();
    FakeTransport transport;
    Begin(&transport);
    transport.Vanish();

    transport.session()->Take(lines);

    EXPECT_TRUE(transport.is_closed());
    EXPECT_TRUE(transport.RunUntil([&] { return !transport.is_kept_alive(); }));
    EXPECT_EQ(counters_.points->value(), points + 1);
  }
}

TEST_F(TelnetSessionTest, AStoreIsNotTriedAgainForAClientThatIsGone) {
  is_full_ = true;
  transport_.Vanish();

  session().Take("bad\nput m 1 1 a=b\n");

  EXPECT_TRUE(transport_.is_closed());
  EXPECT_TRUE(RunUntilIdle());
  EXPECT_EQ(appends_, 1);
}

}  // namespace
}  // namespace hourcell::line_protocol_test
