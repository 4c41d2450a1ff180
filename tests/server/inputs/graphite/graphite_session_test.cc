#include "server/inputs/graphite/graphite_session.h"

#include <atomic>
#include <string>
#include <string_view>

#include <gmock/gmock.h>

#include "codec/limits.h"
#include "server/inputs/graphite/graphite_input.h"
#include "server/net/asio.h"
#include "tests/server/api_fixture.h"
#include "tests/server/net/fake_transport.h"
#include "tests/support/late_commits.h"

namespace hourcell::graphite_session_test {
namespace {

using testing::HasSubstr;

class GraphiteSessionTest : public ApiTest {
 protected:
  void Start(AccessRights rights = AccessRights::Write()) {
    transport_.Hold(StartGraphiteSession(&transport_, &context_, rights));
  }
  void Take(std::string_view bytes) { transport_.session()->Take(bytes); }
  FakeTransport& transport() { return transport_; }

  std::string Stored() { return Send("GET /api/query?start=1356990000&m=none:a").body; }
  uint64_t Refused() {
    return tsdb().stats().counter("rpc.inputs.refused", {{"type", "graphite"}})->value();
  }

  // How the store answers the next batches; then it takes them.
  std::atomic<int> busy_ = 0;  // kAborted
  std::atomic<int> full_ = 0;  // kUnavailable
  std::atomic<bool> broken_ = false;
  std::atomic<int> batches_ = 0;

 private:
  CommitTicket Append(size_t points) {
    ++batches_;
    if (busy_ > 0 && busy_-- > 0) return CommitTicket(absl::AbortedError("busy"));
    if (full_ > 0 && full_-- > 0) return CommitTicket(absl::UnavailableError("full"));
    if (broken_) return CommitTicket(absl::FailedPreconditionError("broken"));
    taken_ += points;
    return commits_.Take(points);
  }

 protected:
  std::atomic<size_t> taken_ = 0;
  LateCommits commits_;

 private:
  const NameRule names_{NameEncoding::kLatin1, ""};
  const GraphiteInput input_{{.tsdb = &tsdb(),
                              .names = &names_,
                              .clock = &clock_,
                              .append = [this](size_t points,
                                               std::vector<RefusedPoint>*,
                                               const AppendOptions&) { return Append(points); }},
                             *InputSettingsOf(Config())};
  WorkerPool pool_{1};
  const GraphiteContext context_{.input = &input_, .pool = &pool_};
  FakeTransport transport_;
};

TEST_F(GraphiteSessionTest, ALineInPiecesIsOneLine) {
  Start();
  Take("a 1 1356");
  EXPECT_EQ(batches_, 0);
  Take("998400\nb 2 1356998400\nc 3");
  EXPECT_EQ(taken_, 2U);
  EXPECT_EQ(commits_.written_points(), 2U);
  EXPECT_EQ(transport().sent(), "");

  transport().session()->EndInput();
  EXPECT_TRUE(transport().is_closing());
  EXPECT_EQ(taken_, 2U) << "c may be 30";
  EXPECT_EQ(Refused(), 1U);
}

TEST_F(GraphiteSessionTest, ABusyStoreIsWaitedForInAPool) {
  Start();
  busy_ = 1;
  Take("a 1 1356998400\n");
  EXPECT_FALSE(transport().session()->wants_input());
  ASSERT_TRUE(transport().RunUntil([this] { return transport().session()->wants_input(); }));

  EXPECT_EQ(taken_, 1U);
  EXPECT_EQ(batches_, 2);
  EXPECT_EQ(transport().read_ons(), 1);
}

TEST_F(GraphiteSessionTest, AFullStoreIsTriedAgain) {
  Start();
  full_ = 2;
  Take("a 1 1356998400\n");
  EXPECT_FALSE(transport().session()->wants_input());
  ASSERT_TRUE(transport().RunUntil([this] { return transport().session()->wants_input(); }));

  EXPECT_EQ(taken_, 1U);
  EXPECT_EQ(batches_, 3);
}

TEST_F(GraphiteSessionTest, ABrokenStoreEndsTheConnection) {
  Start();
  broken_ = true;
  Take("a 1 1356998400\n");
  EXPECT_TRUE(transport().is_closing());
}

TEST_F(GraphiteSessionTest, ALineThatIsTooLongEndsTheConnection) {
  Start();
  Take("a 1 1356998400\n" + std::string(kLineBytesMax + 1, 'x'));
  EXPECT_TRUE(transport().is_closing());
  EXPECT_EQ(taken_, 1U) << "what came before it is stored";
  EXPECT_EQ(Refused(), 1U);
}

TEST_F(GraphiteSessionTest, PickleEndsTheConnection) {
  Start();
  Take(std::string_view("\0\0\1", 3));
  EXPECT_TRUE(transport().is_closing());
  EXPECT_EQ(Refused(), 1U);
  EXPECT_EQ(batches_, 0);
}

TEST_F(GraphiteSessionTest, ALaterZeroIsABadLine) {
  Start();
  Take("a 1 1356998400\n");
  Take(std::string_view("\0 1 1356998400\n", 15));
  EXPECT_FALSE(transport().is_closing());
}

TEST_F(GraphiteSessionTest, WhoMayNotWriteIsClosed) {
  Start(AccessRights::Read());
  Take("a 1 1356998400\n");
  EXPECT_TRUE(transport().is_closing());
  EXPECT_EQ(batches_, 0);
  EXPECT_EQ(Refused(), 1U);
}

TEST_F(GraphiteSessionTest, AStopWaitsForWhatTheStoreHasNotTaken) {
  Start();
  busy_ = 1;
  Take("a 1 1356998400\n");
  transport().Stop();
  ASSERT_TRUE(transport().RunUntil([this] { return transport().is_closing(); }));
  EXPECT_EQ(taken_, 1U);
}

}  // namespace
}  // namespace hourcell::graphite_session_test
