#include "server/telnet_session.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/vectors.h"

namespace hourcell {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

class TelnetSessionTest : public testing::Test {
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
    Restart();
  }

  // A new connection.
  void Restart() {
    session_ = std::make_unique<TelnetSession>(tsdb_.get(), &settings_, counters_.get());
  }

  std::string Send(std::string_view bytes, size_t queued_bytes = 0) {
    std::string replies;
    session_->Take(bytes, queued_bytes, &replies);
    return replies;
  }

  size_t StoredPoints() {
    size_t points = 0;
    EXPECT_OK(tsdb_->Scan({}, [&](const ScannedRow& row) {
      points += row.times.size();
      return true;
    }));
    return points;
  }

  TempDir dir_;
  ManualClock clock_{1356998400'000};
  TelnetSettings settings_;
  std::unique_ptr<Tsdb> tsdb_;
  std::unique_ptr<TelnetCounters> counters_;
  std::unique_ptr<TelnetSession> session_;
};

TEST_F(TelnetSessionTest, AnswersAsOpenTsdb) {
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

TEST_F(TelnetSessionTest, StoresWhatEveryCutOfTheBytesHolds) {
  const std::string bytes =
      "put m 1356998400 1 host=a\r\nput m 1356998401 2  host=a  dc=b\nbogus\nput m x 3 a=b\n";
  const std::string want =
      "unknown command: bogus.  Try `help'.\n"
      "put: invalid value: Invalid character 'x' in x\n";

  for (size_t split = 0; split <= bytes.size(); ++split) {
    Restart();
    const std::string first = Send(bytes.substr(0, split));
    EXPECT_EQ(first + Send(bytes.substr(split)), want) << split;
  }

  EXPECT_EQ(StoredPoints(), 2U);
  EXPECT_EQ(counters_->points->value(), 2 * (bytes.size() + 1));
}

TEST_F(TelnetSessionTest, ErrorsComeInTheOrderOfTheirLines) {
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

TEST_F(TelnetSessionTest, RepliesToCommandsAreBarriers) {
  const std::string replies =
      Send("put m 1356998400 1 a=b\nput m 0 1 a=b\nversion\nput m 0 2 a=b\n");

  EXPECT_THAT(replies, MatchesRegex("put: [^\n]*invalid timestamp: 0\n"
                                    "hourcell 0.1.0 built for OpenTSDB 2.4 clients\n"
                                    "Built with [^\n]*\n"
                                    "put: [^\n]*invalid timestamp: 0\n"));
  EXPECT_EQ(StoredPoints(), 1U);
}

TEST_F(TelnetSessionTest, HelpListsWhatTheModeAllows) {
  EXPECT_EQ(Send("help\n"), "available commands: dropcaches exit help put stats version \n");

  settings_.puts_allowed = false;
  Restart();

  EXPECT_EQ(Send("help\n"), "available commands: dropcaches exit help stats version \n");
  EXPECT_EQ(Send("put m 1356998400 1 a=b\n"), "unknown command: put.  Try `help'.\n");
}

TEST_F(TelnetSessionTest, StatsCarryTimeHostAndTags) {
  settings_.origin.port = 4242;
  Send("put m 1356998400 1 a=b\nput m 1356998401 1 a=b\n");

  const std::string replies = Send("stats\n");

  EXPECT_THAT(replies, HasSubstr("tsd.rpc.put.points 1356998400 2 host=here port=4242\n"));
  EXPECT_THAT(replies, HasSubstr("tsd.rpc.received 1356998400 2 type=put host=here port=4242\n"));
}

TEST_F(TelnetSessionTest, ExitCommitsWhatCameBefore) {
  EXPECT_EQ(Send("put m 1356998400 1 a=b\nexit\nput m 1356998401 1 a=b\n"), "");

  EXPECT_TRUE(session_->closed());
  EXPECT_EQ(Send("version\n"), "");
  EXPECT_EQ(StoredPoints(), 1U);
}

TEST_F(TelnetSessionTest, LongestLineIsTakenAndOneMoreByteIsNot) {
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

TEST_F(TelnetSessionTest, LongLineIsRefusedHoweverItIsCut) {
  const std::string line = std::string(kLineBytesMax + 1, 'x') + "\n";

  for (const size_t split : {size_t{0}, size_t{1}, kLineBytesMax, kLineBytesMax + 1}) {
    Restart();
    const std::string first = Send(line.substr(0, split));
    EXPECT_THAT(first + Send(line.substr(split)), StartsWith("line too long: ")) << split;
    EXPECT_TRUE(session_->closed());
  }
}

TEST_F(TelnetSessionTest, UnfinishedLastLineIsDropped) {
  EXPECT_EQ(Send("put m 1356998400 1 a=b\nput m 1356998401 12"), "");
  session_->Finish();

  EXPECT_EQ(StoredPoints(), 1U);
  EXPECT_EQ(counters_->line_unfinished->value(), 1U);
}

TEST_F(TelnetSessionTest, ErrorsForAClientThatDoesNotReadAreDropped) {
  EXPECT_EQ(Send("put m 0 1 a=b\n", kErrorBytesQueuedMax), "");
  EXPECT_EQ(counters_->replies_dropped->value(), 1U);
  EXPECT_THAT(Send("help\n", kErrorBytesQueuedMax), StartsWith("available commands"));

  EXPECT_EQ(Send("help\n", kReplyBytesQueuedMax), "");
  EXPECT_TRUE(session_->closed());
  EXPECT_EQ(counters_->replies_overflow->value(), 1U);
}

TEST_F(TelnetSessionTest, ManyErrorsOfOneReadAreBounded) {
  std::string bytes;
  for (int i = 0; i < 10'000; ++i)
    bytes += "put\n";

  const std::string replies = Send(bytes);

  EXPECT_LE(replies.size(), kErrorBytesQueuedMax);
  const auto lines = static_cast<uint64_t>(std::ranges::count(replies, '\n'));
  EXPECT_EQ(lines + counters_->replies_dropped->value(), 10'000U);
}

TEST_F(TelnetSessionTest, ReturnErrorsOffKeepsQuiet) {
  settings_.return_errors = false;
  Restart();

  EXPECT_EQ(Send("put m 0 1 a=b\nput\n"), "");
  EXPECT_EQ(Send("bogus\n"), "unknown command: bogus.  Try `help'.\n");
  EXPECT_EQ(counters_->put_errors[1]->value(), 2U);
}

TEST_F(TelnetSessionTest, PointsBeyondOneAppendAreAllStored) {
  std::string bytes;
  for (size_t i = 0; i < kAppendPointsMax + 10; ++i) {
    bytes += "put m " + std::to_string(1356998400 + i) + " 1 a=b\n";
  }

  EXPECT_EQ(Send(bytes), "");

  EXPECT_EQ(StoredPoints(), kAppendPointsMax + 10);
}

TEST_F(TelnetSessionTest, UnknownNamesAreToldWhenTheyMayNotBeMade) {
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

}  // namespace
}  // namespace hourcell
