#include "server/telnet/line_protocol.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/codec/allocation_count.h"
#include "tests/server/rollups/rollup_test_rules.h"
#include "tests/support/late_commits.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/vectors.h"

namespace hourcell::line_protocol_test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

using Need = LineProtocol::Need;

const absl::Status kDiskFull = absl::UnavailableError("disk full");

class LineProtocolTest : public testing::Test {
 protected:
  void SetUp() override {
    Options options;
    options.path = dir_.file("store");
    auto opened = Tsdb::Open(options);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
    counters_ = std::make_unique<TelnetCounters>(&tsdb_->stats());
    settings_.origin = {.host = "here", .port = {}};
    settings_.clock = &clock_;
    settings_.dropcaches_allowed = true;
    Restart();
  }

  // A new connection.
  void Restart() {
    session_ = std::make_unique<LineProtocol>(tsdb_.get(), &settings_, counters_.get(), rights_);
  }

  // The replies to bytes, once all waits are over.
  std::string Send(std::string_view bytes, size_t queued_bytes = 0) {
    std::string replies;
    session_->Take(bytes, queued_bytes, &replies);
    MeetNeeds(queued_bytes, &replies);
    return replies;
  }

  std::string Settle() {
    session_->Settle();
    std::string replies;
    MeetNeeds(0, &replies);
    return replies;
  }

  std::string Finish() {
    session_->Finish();
    std::string replies;
    MeetNeeds(0, &replies);
    return replies;
  }

  void MeetNeeds(size_t queued_bytes, std::string* replies) {
    while (session_->need() != Need::kInput) {
      if (session_->need() == Need::kCommit) session_->WaitForCommits();
      if (session_->need() == Need::kLogin) session_->CheckLogin("test");
      session_->Resume(queued_bytes, replies);
    }
  }

  // The server has this user, and no other, from the next connection on.
  void UseUser(std::string_view user, std::string_view secret, AccessRights rights) {
    const SecretHash hash = SecretHash::Make(secret, {.log2_n = 10, .block = 1, .parallel = 1});
    std::ofstream(dir_.file("users")) << CredentialsLine(user, rights, hash);
    auto opened = Authenticator::Open(dir_.file("users"), &tsdb_->stats());
    ASSERT_OK(opened);
    authenticator_ = *std::move(opened);
    settings_.authenticator = authenticator_.get();
  }

  // From now on the store answers Appends with these, in turn, and then with OK.
  void AnswerAppends(std::vector<absl::Status> statuses) {
    settings_.append = [this, statuses, next = size_t{0}](
                           std::span<const LinePoint> points,
                           std::vector<RefusedPoint>* refused) mutable {
      refused->clear();
      for (const LinePoint& point : points)
        appended_ += fmt::format("{}{{{}}}={} ", point.metric, point.tags, point.value.integer());
      const absl::Status status = next < statuses.size() ? statuses[next++] : absl::OkStatus();
      return status.ok() ? commits_.Take(points.size()) : CommitTicket(status);
    };
    Restart();
  }

  size_t StoredPoints() {
    size_t points = 0;
    EXPECT_OK(tsdb_->queries().Scan({}, [&](const ScannedRow& row) {
      points += row.times.size();
      return true;
    }));
    return points;
  }

  TempDir dir_;
  ManualClock clock_{1356998400'000};
  TelnetSettings settings_;
  AccessRights rights_ = AccessRights::Admin();  // of the next connection
  std::unique_ptr<Tsdb> tsdb_;
  std::unique_ptr<TelnetCounters> counters_;
  std::unique_ptr<Authenticator> authenticator_;
  std::unique_ptr<LineProtocol> session_;
  std::string appended_;  // see AnswerAppends
  LateCommits commits_;
};

TEST_F(LineProtocolTest, AnswersAsOpenTsdb) {
  for (const TestVector& vector : LoadVectors("query.json", "telnet")) {
    std::string send = TextOf(vector.given, "send");
    std::string want = TextOf(vector.expect, "reply");
    SCOPED_TRACE(send);
    if (want.starts_with("(first byte")) continue;  // the connection's business, not the session's
    for (std::string* text : {&send, &want}) {
      for (size_t at; (at = text->find("\\n")) != std::string::npos;)
        text->replace(at, 2, "\n");
    }
    const bool closes = want.starts_with("(connection closed");
    Restart();

    const std::string replies = Send(send);

    EXPECT_EQ(replies, closes ? "" : want);
    EXPECT_EQ(session_->closed(), closes);
  }
}

TEST_F(LineProtocolTest, StoresWhatEveryCutOfTheBytesHolds) {
  const std::string bytes =
      "put m 1356998400 1 host=a\r\nput m 1356998401 2  host=a  dc=b\nbogus\nput m x 3 a=b\n";
  const std::string want =
      "unknown command: bogus.  Try `help'.\n"
      "put: invalid value: Invalid character 'x' in x\n";

  for (size_t split = 0; split <= bytes.size(); ++split) {
    Restart();
    const std::string first = Send(bytes.substr(0, split));
    EXPECT_EQ(first + Send(bytes.substr(split)), want) << split;
    EXPECT_EQ(Settle(), "");
  }

  EXPECT_EQ(StoredPoints(), 2U);
  EXPECT_EQ(counters_->points->value(), 2 * (bytes.size() + 1));
}

TEST_F(LineProtocolTest, ErrorsComeInTheOrderOfTheirLines) {
  const std::string replies = Send(
      "put m 1356998400 1 host=a!b\n"  // refused by the store
      "put m nonsense 1 host=a\n"      // refused by the parser
      "put m! 1356998400 1 host=a\n"
      "put m 1356998400 1\n");

  EXPECT_THAT(replies, MatchesRegex("put: illegal argument: Invalid tag value[^\n]*\n"
                                    "put: invalid value: [^\n]*\n"
                                    "put: illegal argument: Invalid metric[^\n]*\n"
                                    "put: illegal argument: not enough arguments[^\n]*\n"));
  EXPECT_EQ(counters_->put_errors[0]->value(), 1U);
  EXPECT_EQ(counters_->put_errors[1]->value(), 3U);
  EXPECT_EQ(counters_->points->value(), 0U);
}

TEST_F(LineProtocolTest, RepliesToCommandsAreBarriers) {
  const std::string replies =
      Send("put m 1356998400 1 a=b\nput m 0 1 a=b\nversion\nput m 0 2 a=b\n");

  EXPECT_THAT(replies, MatchesRegex("put: [^\n]*invalid timestamp: 0\n"
                                    "hourcell 0.1.0 built for OpenTSDB 2.4 clients\n"
                                    "Built with [^\n]*\n"
                                    "put: [^\n]*invalid timestamp: 0\n"));
  EXPECT_EQ(StoredPoints(), 1U);
}

TEST_F(LineProtocolTest, HelpListsWhatTheModeAllows) {
  EXPECT_EQ(Send("help\n"),
            "available commands: dropcaches exit help histogram put rollup stats status "
            "version \n");

  settings_.puts_allowed = false;
  Restart();

  EXPECT_EQ(Send("help\n"), "available commands: dropcaches exit help stats status version \n");
  EXPECT_EQ(Send("put m 1356998400 1 a=b\n"), "unknown command: put.  Try `help'.\n");
}

TEST_F(LineProtocolTest, StatusIsOneWordAfterEarlierPoints) {
  std::string_view word = "ok";
  settings_.status = [&word] { return word; };
  Restart();
  EXPECT_EQ(Send("put m 1356998400 1 a=b\nstatus\n"), "ok\n");
  EXPECT_EQ(StoredPoints(), 1U);

  word = "partial";
  EXPECT_EQ(Send("status\nstatus now\n"), "partial\npartial\n");

  rights_ = AccessRights();
  Restart();
  EXPECT_EQ(Send("status\n"), "partial\n") << "a probe has no rights";
}

TEST_F(LineProtocolTest, CachesAreDroppedOnlyWhereASettingSaysSo) {
  EXPECT_EQ(Send("dropcaches\n"), "Caches dropped.\n");

  settings_.dropcaches_allowed = false;
  Restart();

  EXPECT_EQ(Send("dropcaches\n"), "dropcaches: not enabled (tsd.rpc.allow_dropcaches=false)\n");
}

TEST_F(LineProtocolTest, AnHttpRequestWithAMethodOfItsOwnEndsTheSession) {
  EXPECT_EQ(Send("dropcaches / HTTP/1.1\r\nHost: evil.com\r\n\r\nput m 1356998400 1 a=b\n"),
            "unknown HTTP method: expected GET, POST, PUT or DELETE\n");
  EXPECT_EQ(StoredPoints(), 0u);
}

TEST_F(LineProtocolTest, StatsCarryTimeHostAndTags) {
  settings_.origin.port = 4242;
  Send("put m 1356998400 1 a=b\nput m 1356998401 1 a=b\n");

  const std::string replies = Send("stats\n");

  EXPECT_THAT(replies, HasSubstr("tsd.rpc.put.points 1356998400 2 host=here port=4242\n"));
  EXPECT_THAT(replies, HasSubstr("tsd.rpc.received 1356998400 2 type=put host=here port=4242\n"));
}

TEST_F(LineProtocolTest, ExitCommitsWhatCameBefore) {
  EXPECT_EQ(Send("put m 1356998400 1 a=b\nexit\nput m 1356998401 1 a=b\n"), "");

  EXPECT_TRUE(session_->closed());
  EXPECT_EQ(Send("version\n"), "");
  EXPECT_EQ(StoredPoints(), 1U);
}

TEST_F(LineProtocolTest, LongestLineIsTakenAndOneMoreByteIsNot) {
  const std::string start = "put m 1356998400 1 a=b";
  const std::string longest = start + std::string(kLineBytesMax - start.size(), ' ');

  EXPECT_EQ(Send(longest), "");
  EXPECT_EQ(Send("\n"), "");
  EXPECT_EQ(StoredPoints(), 1U);
  EXPECT_FALSE(session_->closed());
  EXPECT_THAT(Send("put m 1356998401 1 a=b\n" + longest + " "), StartsWith("line too long"));
  EXPECT_TRUE(session_->closed());
  EXPECT_EQ(StoredPoints(), 2U);
  EXPECT_EQ(counters_->line_too_long->value(), 1U);
}

TEST_F(LineProtocolTest, LongLineIsRefusedHoweverItIsCut) {
  const std::string line = std::string(kLineBytesMax + 1, 'x') + "\n";

  for (const size_t split : {size_t{0}, size_t{1}, kLineBytesMax, kLineBytesMax + 1}) {
    Restart();
    const std::string first = Send(line.substr(0, split));
    EXPECT_THAT(first + Send(line.substr(split)), StartsWith("line too long: ")) << split;
    EXPECT_TRUE(session_->closed());
  }
}

TEST_F(LineProtocolTest, UnfinishedLastLineIsDropped) {
  EXPECT_EQ(Send("put m 1356998400 1 a=b\nput m 1356998401 12"), "");
  EXPECT_EQ(Finish(), "");

  EXPECT_TRUE(session_->closed());
  EXPECT_EQ(StoredPoints(), 1U);
  EXPECT_EQ(counters_->line_unfinished->value(), 1U);
}

TEST_F(LineProtocolTest, ErrorsForAClientThatDoesNotReadAreDropped) {
  EXPECT_EQ(Send("put m 0 1 a=b\n", kErrorBytesQueuedMax), "");
  EXPECT_EQ(counters_->replies_dropped->value(), 1U);
  EXPECT_THAT(Send("help\n", kErrorBytesQueuedMax), StartsWith("available commands"));

  EXPECT_EQ(Send("help\n", kReplyBytesQueuedMax), "");
  EXPECT_TRUE(session_->closed());
  EXPECT_EQ(counters_->replies_overflow->value(), 1U);
}

TEST_F(LineProtocolTest, ManyErrorsOfOneReadAreBounded) {
  std::string bytes;
  for (int i = 0; i < 10'000; ++i)
    bytes += "put\n";

  const std::string replies = Send(bytes);

  EXPECT_LE(replies.size(), kErrorBytesQueuedMax);
  const auto lines = static_cast<uint64_t>(std::ranges::count(replies, '\n'));
  EXPECT_EQ(lines + counters_->replies_dropped->value(), 10'000U);
}

TEST_F(LineProtocolTest, ReturnErrorsOffKeepsQuiet) {
  settings_.return_errors = false;
  Restart();

  EXPECT_EQ(Send("put m 0 1 a=b\nput\n"), "");
  EXPECT_EQ(Send("bogus\n"), "unknown command: bogus.  Try `help'.\n");
  EXPECT_EQ(counters_->put_errors[1]->value(), 2U);
}

TEST_F(LineProtocolTest, PointsBeyondOneAppendAreAllStored) {
  std::string bytes;
  for (size_t i = 0; i < kAppendPointsMax + 10; ++i) {
    bytes += "put m " + std::to_string(1356998400 + i) + " 1 a=b\n";
  }

  EXPECT_EQ(Send(bytes), "");

  EXPECT_EQ(StoredPoints(), kAppendPointsMax + 10);
}

TEST_F(LineProtocolTest, PutsAloneDoNotWait) {
  AnswerAppends({});
  std::string replies;

  session_->Take("put m 1 1 a=b\nput m 2 2 a=b\r\n", 0, &replies);

  EXPECT_EQ(session_->need(), Need::kInput);
  EXPECT_TRUE(session_->has_commits_under_way());
  EXPECT_EQ(appended_, "m{a=b}=1 m{a=b}=2 ");
  EXPECT_EQ(counters_->points->value(), 0U);
  EXPECT_EQ(commits_.written_points(), 0U);
  EXPECT_EQ(Settle(), "");
  EXPECT_FALSE(session_->has_commits_under_way());
  EXPECT_EQ(counters_->points->value(), 2U);
  EXPECT_EQ(commits_.written_points(), 2U);
}

TEST_F(LineProtocolTest, BarriersWaitForEveryEarlierCommit) {
  AnswerAppends({});
  for (const std::string barrier : {"version", "stats", "help", "dropcaches", "exit"}) {
    SCOPED_TRACE(barrier);
    Restart();
    std::string replies;
    session_->Take("put m 1 1 a=b\n", 0, &replies);
    appended_.clear();
    session_->Take("put m 2 2 a=b\n" + barrier + "\nput m 3 3 a=b\nput m 4", 0, &replies);

    EXPECT_EQ(session_->need(), Need::kCommit);
    EXPECT_EQ(appended_, "m{a=b}=2 ");
    EXPECT_EQ(replies, "");
    EXPECT_FALSE(session_->closed());
    session_->WaitForCommits();
    session_->Resume(0, &replies);

    EXPECT_EQ(session_->need(), Need::kInput);
    EXPECT_EQ(replies.empty(), barrier == "exit");
    EXPECT_EQ(session_->closed(), barrier == "exit");
    if (barrier == "exit") continue;
    EXPECT_EQ(Send(" 4 a=b\n"), "");
    EXPECT_EQ(appended_, "m{a=b}=2 m{a=b}=3 m{a=b}=4 ");
  }
}

TEST_F(LineProtocolTest, EveryCutAroundABarrierGivesTheSame) {
  AnswerAppends({});
  const std::string bytes = "put m 1 1 a=b\nhelp\nput m 2 2 a=b\nhelp\nput m 3 3 a=b\n";
  const std::string want = Send(bytes);
  ASSERT_THAT(want, StartsWith("available commands"));

  for (size_t split = 0; split <= bytes.size(); ++split) {
    SCOPED_TRACE(split);
    Restart();
    appended_.clear();
    const std::string first = Send(bytes.substr(0, split));
    EXPECT_EQ(first + Send(bytes.substr(split)), want);
    EXPECT_EQ(appended_, "m{a=b}=1 m{a=b}=2 m{a=b}=3 ");
  }
}

TEST_F(LineProtocolTest, FinishWaitsForEveryCommit) {
  AnswerAppends({});
  std::string replies;
  session_->Take("put m 1 1 a=b\n", 0, &replies);

  session_->Finish();

  EXPECT_EQ(session_->need(), Need::kCommit);
  EXPECT_FALSE(session_->closed());
  session_->WaitForCommits();
  session_->Resume(0, &replies);
  EXPECT_TRUE(session_->closed());
  EXPECT_EQ(counters_->points->value(), 1U);
}

TEST_F(LineProtocolTest, ManyCommitsUnderWayAreWaitedFor) {
  AnswerAppends({});
  std::string replies;
  for (size_t i = 0; i < kCommitsUnderWayMax; ++i) {
    session_->Take("put m 1 1 a=b\n", 0, &replies);
    ASSERT_EQ(session_->need(), Need::kInput);
  }

  session_->Take("put m 1 1 a=b\nput m", 0, &replies);

  EXPECT_EQ(session_->need(), Need::kCommit);
  session_->WaitForCommits();
  session_->Resume(0, &replies);
  EXPECT_EQ(counters_->points->value(), kCommitsUnderWayMax / 2);
  EXPECT_TRUE(session_->has_commits_under_way());
  Send(" 1 7 a=b\n");
  EXPECT_TRUE(appended_.ends_with("=7 "));
}

TEST_F(LineProtocolTest, FailedCommitsAreToldBeforeTheBarriersReply) {
  AnswerAppends({kDiskFull, absl::OkStatus(), kDiskFull});

  EXPECT_EQ(Send("put m 1 1 a=b\nput m 1 1 a=b\n"), "");
  EXPECT_EQ(Send("put m 1 1 a=b\n"), "");
  const std::string replies = Send("put m x 1 a=b\nput m 1 1 a=b\nversion\n");

  EXPECT_THAT(replies, StartsWith("put: invalid value: Invalid character 'x' in x\n"
                                  "put: HBase error: disk full: 3 lines not stored\n"
                                  "hourcell "));
  EXPECT_EQ(counters_->points->value(), 1U);
  EXPECT_EQ(counters_->put_errors[static_cast<size_t>(PointErrorKind::kStorage)]->value(), 3U);
}

TEST_F(LineProtocolTest, OneFailedLineHasOpenTsdbsText) {
  AnswerAppends({kDiskFull, absl::ResourceExhaustedError("too much")});

  Send("put m 1 1 a=b\n");
  EXPECT_EQ(Settle(), "put: HBase error: disk full\n");
  Send("put m 1 1 a=b\n");
  EXPECT_EQ(Finish(), "put: Please throttle writes: too much\n");
}

TEST_F(LineProtocolTest, NoBarrierHidesAFailureTheClientWasNotToldOf) {
  settings_.return_errors = false;
  AnswerAppends({kDiskFull});
  EXPECT_EQ(Send("put m 1 1 a=b\n"), "");

  EXPECT_EQ(Send("put m 0 1 a=b\nversion\nput m 2 2 a=b\n"), "");

  EXPECT_TRUE(session_->closed());
  EXPECT_EQ(appended_, "m{a=b}=1 ");
}

TEST_F(LineProtocolTest, NoBarrierHidesAFailureWhoseLineWasDropped) {
  AnswerAppends({kDiskFull});

  EXPECT_EQ(Send("put m 1 1 a=b\nversion\n", kErrorBytesQueuedMax), "");

  EXPECT_TRUE(session_->closed());
}

TEST_F(LineProtocolTest, RefusalsAreNoReasonToKeepABarrierBack) {
  settings_.return_errors = false;
  Restart();

  EXPECT_THAT(Send("put m 0 1 a=b\nput m 1 1 a=b!\nversion\n"), StartsWith("hourcell "));
}

TEST_F(LineProtocolTest, LinesOfAStoreThatAsksForPatienceComeAgain) {
  int calls = 0;
  settings_.append = [&](std::span<const LinePoint> points, std::vector<RefusedPoint>* refused) {
    refused->clear();
    for (size_t i = 0; i < points.size(); ++i) {
      appended_ +=
          fmt::format("{}{{{}}}={} ", points[i].metric, points[i].tags, points[i].value.integer());
      if (calls > 1) continue;
      refused->push_back(
          {.index = i, .error = {.kind = PointErrorKind::kThrottled, .text = "later"}});
    }
    ++calls;
    return CommitTicket();
  };
  Restart();
  std::string replies;

  session_->Take("put m 1 1 a=b\nput m 1.5 2  a=b\r\nhelp\nput m 3 3", 0, &replies);

  EXPECT_EQ(session_->need(), Need::kPause);
  session_->Resume(0, &replies);
  EXPECT_EQ(session_->need(), Need::kPause);
  EXPECT_EQ(replies, "");
  appended_.clear();
  MeetNeeds(0, &replies);
  EXPECT_THAT(replies, StartsWith("available commands"));
  EXPECT_EQ(Send(" a=b\n"), "");
  EXPECT_EQ(appended_, "m{a=b}=1 m{ a=b}=2 m{a=b}=3 ");
  EXPECT_EQ(counters_->puts->value(), 3U);
  EXPECT_EQ(counters_->lines->value(), 4U);
  EXPECT_EQ(counters_->put_errors[static_cast<size_t>(PointErrorKind::kThrottled)]->value(), 0U);
}

// Whatever the session waits for.
TEST_F(LineProtocolTest, PointsOfAClientThatIsGoneAreCountedAndItsLinesDropped) {
  int appends = 0;
  settings_.append = [&](std::span<const LinePoint> points, std::vector<RefusedPoint>* refused) {
    refused->clear();
    ++appends;
    if (points[0].metric == "full") {
      refused->push_back(
          {.index = 0, .error = {.kind = PointErrorKind::kThrottled, .text = "later"}});
    }
    return CommitTicket();
  };
  const auto need_after = [&](std::string_view lines) {
    Restart();
    std::string replies;
    session_->Take(lines, 0, &replies);
    return session_->need();
  };

  EXPECT_EQ(need_after("put m 1 1 a=b\nput m"), Need::kInput);
  session_->Abandon();
  EXPECT_EQ(session_->need(), Need::kCommit);
  std::string replies;
  MeetNeeds(0, &replies);
  EXPECT_TRUE(session_->closed());
  EXPECT_EQ(need_after("put m 1 1 a=b\nversion\nput m 1 1 a=b\n"), Need::kCommit);
  session_->Abandon();
  MeetNeeds(0, &replies);
  EXPECT_TRUE(session_->closed());
  EXPECT_EQ(need_after("put full 1 1 a=b\nput m 1 1 a=b\nput m 1 1 a=b\n"), Need::kPause);
  session_->Abandon();
  MeetNeeds(0, &replies);
  EXPECT_TRUE(session_->closed());

  EXPECT_EQ(replies, "");
  EXPECT_EQ(appends, 3) << "no line again";
  EXPECT_EQ(counters_->points->value(), 4U);
}

TEST_F(LineProtocolTest, AGoodLineAllocatesNothing) {
  settings_.append = [](std::span<const LinePoint>, std::vector<RefusedPoint>*) {
    return CommitTicket();
  };
  Restart();
  std::string lines;
  for (int i = 0; i < 10'000; ++i)
    lines += fmt::format("put sys.cpu.user {} 4{}.5 host=web01 dc=lga\n", 1356998400 + i, i % 10);
  lines += "put sys.cpu.user 13569984";
  Send(lines);
  Settle();
  std::string replies;

  const size_t before = AllocationCount();
  session_->Take("00 1 host=web01\n" + lines, 0, &replies);
  const size_t allocations = AllocationCount() - before;

  // One for the test's own text, and those for buffers that a Take may grow once.
  EXPECT_LE(allocations, 2U);
  EXPECT_EQ(counters_->puts->value(), 20'001U);
}

TEST_F(LineProtocolTest, ErrorsQuoteInputInPrintableTextOfLimitedLength) {
  EXPECT_EQ(Send("a\x1B[2J\n"), "unknown command: a\\x1b[2J.  Try `help'.\n");
  EXPECT_EQ(Send("put m 1 1 a\1b\n"), "put: illegal argument: invalid tag: a\\x01b\n");
  EXPECT_EQ(Send("put m\1 1 1 a=b\n"),
            "put: illegal argument: Invalid metric name (\"m\\x01\"): illegal character: \\x01\n");
  EXPECT_EQ(Send("put m \1 1 a=b\n"), "put: invalid value: Invalid character '\\x01' in \\x01\n");
  EXPECT_EQ(Send("put m 1 1 " + std::string(900, 'a') + "\n"),
            "put: illegal argument: invalid tag: " + std::string(256, 'a') + "...\n");
  const std::string tags(100, 'a');
  std::string line = "put m 1 1";
  for (int i = 0; i < 9; ++i)
    line += fmt::format(" {}{}=b", i, tags);
  EXPECT_LT(Send(line + " 0" + tags + "=c\n").size(), 1500U);
}

TEST_F(LineProtocolTest, UnknownNamesAreToldWhenTheyMayNotBeMade) {
  ASSERT_OK(tsdb_->Close());
  Options options;
  options.path = dir_.file("strict");
  options.auto_create_metrics = false;
  auto strict = Tsdb::Open(options);
  ASSERT_OK(strict);
  tsdb_ = *std::move(strict);
  counters_ = std::make_unique<TelnetCounters>(&tsdb_->stats());
  Restart();

  EXPECT_EQ(Send("put m 1356998400 1 a=b\n"),
            "put: unknown metric: No such name for 'metrics': 'm'\n");
}

TEST_F(LineProtocolTest, WhoMayNotPutIsToldSoOnceALine) {
  rights_ = AccessRights::Read();
  Restart();

  EXPECT_EQ(Send("put m 1 1 a=b\nput m 2 2 a=b\nversion x\ndropcaches\n").substr(0, 74),
            "put: permission denied: this needs the role write; this client has read\npu");
  EXPECT_EQ(StoredPoints(), 0u);
  EXPECT_THAT(Send("dropcaches\n"), StartsWith("dropcaches: permission denied: "));
  EXPECT_THAT(Send("stats\n"), StartsWith("tsd."));
  EXPECT_EQ(tsdb_->stats().counter("rpc.errors", {{"type", "unauthorized"}})->value(), 4u);
}

TEST_F(LineProtocolTest, RefusalsOfPutsAreKeptBackWhereNobodyReadsThem) {
  rights_ = {};
  settings_.return_errors = false;
  Restart();

  EXPECT_EQ(Send("put m 1 1 a=b\n"), "");
  EXPECT_EQ(StoredPoints(), 0u);
}

TEST_F(LineProtocolTest, AuthGivesTheRightsOfItsUserFromTheNextLineOn) {
  UseUser("v", "s", AccessRights::Write());
  rights_ = AccessRights::Read();
  Restart();

  EXPECT_EQ(Send("auth v s\nput m 1 1 a=b\nput m 2 2 a=b\nversion\n").substr(0, 22),
            "AUTH_SUCCESS\r\nhourcell");
  EXPECT_EQ(StoredPoints(), 2u);
  EXPECT_THAT(Send("stats\n"), StartsWith("tsd.")) << "the connection's rights are kept";
  EXPECT_EQ(Send("auth basic v s\nauth v.s\n"), "AUTH_SUCCESS\r\nAUTH_SUCCESS\r\n");
  EXPECT_EQ(Send("auth v x\nput m 1 1 a=b\n").substr(0, 15), "AUTH_FAIL\r\nput:");
}

TEST_F(LineProtocolTest, OnlyALoginLiftsTheLimitOfNewSeries) {
  UseUser("u", "s", AccessRights::Write());
  size_t left = 1;
  const NewSeriesQuota quota = [&left](size_t wanted) {
    return std::exchange(left, left - std::min(left, wanted)) - left;
  };
  session_ =
      std::make_unique<LineProtocol>(tsdb_.get(), &settings_, counters_.get(), rights_, quota);

  EXPECT_THAT(Send("put m 1 1 a=a\nput m 1 1 a=b\nput m 2 1 a=a\nversion\n"),
              StartsWith("put: illegal argument: series: more than tsd.inputs.new_series new ones "
                         "in this hour\nhourcell"));
  EXPECT_EQ(StoredPoints(), 2u);
  EXPECT_EQ(Send("auth u s\nput m 1 1 a=b\nversion\n").substr(0, 22), "AUTH_SUCCESS\r\nhourcell");
  EXPECT_EQ(StoredPoints(), 3u);
  EXPECT_EQ(Send("auth u x\nput m 1 1 a=c\nversion\n").substr(0, 23), "AUTH_FAIL\r\nput: illegal");
}

TEST_F(LineProtocolTest, ThreeWrongLoginsEndTheSession) {
  UseUser("u", "s", AccessRights::Write());
  Restart();

  EXPECT_EQ(Send("auth\nauth u x\n"), "AUTH_FAIL\r\nAUTH_FAIL\r\n");
  EXPECT_FALSE(session_->closed());
  EXPECT_EQ(Send("auth u y\nauth u s\nversion\n"), "AUTH_FAIL\r\n");
  EXPECT_TRUE(session_->closed());
}

TEST_F(LineProtocolTest, ARollupIsAPointOfItsLevel) {
  settings_.rollups = MakeTestRules();
  AnswerAppends({});

  EXPECT_EQ(Send("rollup 1h-sum cpu 1356998400 1 host=a\n"
                 "put cpu 1356998401 2 host=a\n"
                 "rollup 10m-count:max cpu 1356998400 3 host=a _aggregate=max\r\n"
                 "rollup max cpu 1356998400 4  host=a \n"),
            "");
  Settle();

  EXPECT_EQ(appended_,
            "_rollup/1h-sum/cpu{host=a}=1 cpu{host=a}=2 "
            "_rollup/10m-count-agg/cpu{host=a _aggregate=MAX}=3 "
            "_rollup/agg/cpu{host=a _aggregate=MAX}=4 ");
  EXPECT_EQ(counters_->rollups->value(), 3U);
  EXPECT_EQ(counters_->puts->value(), 1U);
  EXPECT_EQ(counters_->points->value(), 4U);
}

TEST_F(LineProtocolTest, RefusalsOfRollupsNameTheCommand) {
  EXPECT_EQ(Send("rollup 1h-sum cpu 1356998400 1 host=a\n"),
            "rollup: illegal argument: " + std::string(kRollupsAreOff) + "\n");
  settings_.rollups = MakeTestRules();

  EXPECT_EQ(Send("rollup 1h-sum cpu 1356998400 1\n"
                 "rollup 5m-sum cpu 1356998400 1 host=a\n"
                 "rollup 1h-sum cpu 1356998400 x host=a\n"
                 "put cpu 1356998400 x host=a\n"
                 "rollup 1h-sum c! 1356998400 1 host=a\n"),
            "rollup: illegal argument: not enough arguments (need least 7, got 4)\n"
            "rollup: No such rollup: interval 5m: expected one of tsd.rollups.config\n"
            "rollup: invalid value: Invalid character 'x' in x\n"
            "put: invalid value: Invalid character 'x' in x\n"
            "rollup: illegal argument: Invalid metric name (\"_rollup/1h-sum/c!\"): illegal "
            "character: !\n");
  EXPECT_EQ(counters_->rollups->value(), 5U) << "refused ones, too, as in OpenTSDB";
  EXPECT_EQ(StoredPoints(), 0U);

  rights_ = AccessRights::Read();
  Restart();
  EXPECT_EQ(Send("rollup 1h-sum cpu 1356998400 1 host=a\n"),
            "rollup: permission denied: this needs the role write; this client has read\n");
  settings_.puts_allowed = false;
  EXPECT_THAT(Send("rollup 1h-sum cpu 1356998400 1 host=a\n"), StartsWith("unknown command: "));
}

TEST_F(LineProtocolTest, RollupsOfAFullStoreComeAgain) {
  settings_.rollups = MakeTestRules();
  bool is_full = true;
  settings_.append = [&](std::span<const LinePoint> points, std::vector<RefusedPoint>* refused) {
    refused->clear();
    for (size_t i = 0; i < points.size(); ++i) {
      appended_ += fmt::format("{}{{{}}} ", points[i].metric, points[i].tags);
      if (is_full) refused->push_back({.index = i, .error = {PointErrorKind::kThrottled, "later"}});
    }
    return CommitTicket();
  };
  Restart();
  std::string replies;

  session_->Take("put m 1 1 a=b\nrollup 1h-sum:max cpu 1356998400 1  a=b\r\nput m 2 1 a=b\n", 0,
                 &replies);
  EXPECT_EQ(session_->need(), Need::kPause);
  is_full = false;
  appended_.clear();
  MeetNeeds(0, &replies);
  Settle();

  EXPECT_EQ(replies, "");
  EXPECT_EQ(appended_, "m{a=b} _rollup/1h-sum-agg/cpu{a=b _aggregate=MAX} m{a=b} ");
  EXPECT_EQ(counters_->rollups->value(), 1U);
  EXPECT_EQ(counters_->puts->value(), 2U);
  EXPECT_EQ(counters_->lines->value(), 3U);
}

TEST_F(LineProtocolTest, HistogramsAreStoredOrRefusedInTheWordsOfOpenTsdb) {
  EXPECT_THAT(Send("histogram m 1356998400 0,1=42 host=a\n"),
              StartsWith("histogram: illegal argument: Histogram storage has not been enabled."));
  settings_.histograms.simple = 42;
  EXPECT_EQ(Send("histogram m 1356998400 o=1:0,1=42:1,5=24 host=a\n"), "");
  EXPECT_EQ(Send("histogram m 1356998460 42 AAIAAAAAP4AAACo/gAAAQKAAABgAAQ== host=a\n"), "");
  EXPECT_EQ(Send("histogram m 1356998400 0,1 host=a\n"),
            "histogram: illegal argument: Improperly formatted bucket: 0,1\n");
  QuerySpec spec{.start_ms = 1356998400000, .end_ms = 1356998500000, .queries = {}};
  spec.queries.push_back(
      {.metric = "m", .filters = {}, .downsample = {}, .rate = {}, .percentiles = {50}});
  const auto result = tsdb_->queries().Query(spec);
  ASSERT_OK(result);
  ASSERT_EQ(result->series.size(), 1);
  EXPECT_EQ(result->series[0].points.size(), 2);
}

}  // namespace
}  // namespace hourcell::line_protocol_test
