#include "server/cluster/answer_tracker.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace hourcell::answer_tracker_test {
namespace {

// Where an answer may begin, as numbers of bytes that were taken one at a time.
std::string PlacesIn(std::string_view answers, std::string_view asked = "GET / HTTP/1.1\r\n\r\n") {
  AnswerTracker tracker;
  tracker.OnRequestBytes(asked);
  std::string places = tracker.is_between() ? "0" : "";
  for (size_t i = 0; i < answers.size(); ++i) {
    tracker.OnAnswerBytes(answers.substr(i, 1));
    if (tracker.is_between()) places += " " + std::to_string(i + 1);
  }
  AnswerTracker at_once;
  at_once.OnRequestBytes(asked);
  at_once.OnAnswerBytes(answers);
  EXPECT_EQ(at_once.is_between(), tracker.is_between());
  return places;
}

TEST(AnswerTrackerTest, AnAnswerHasTheLengthThatItSays) {
  constexpr std::string_view kHead = "HTTP/1.1 200 OK\r\nA: b\r\nCONTENT-LENGTH:  3 \r\n\r\n";
  ASSERT_EQ(kHead.size(), 46U);
  EXPECT_EQ(PlacesIn(std::string(kHead) + "abc" + std::string(kHead) + "ab"), "0 49");
  EXPECT_EQ(PlacesIn("HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n"), "0 37");
}

TEST(AnswerTrackerTest, ChunksAreFollowed) {
  constexpr std::string_view kHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  ASSERT_EQ(kHead.size(), 47U);
  EXPECT_EQ(PlacesIn(std::string(kHead) + "a;x=y\r\n0123456789\r\n0\r\n\r\n"), "0 71");
  EXPECT_EQ(PlacesIn(std::string(kHead) + "1\r\na\r\n0\r\nTrailer: 1\r\n\r\n"), "0 70");
  EXPECT_EQ(PlacesIn(std::string(kHead) + "g\r\n"), "0");
}

TEST(AnswerTrackerTest, AnswersWithoutABodyEndWithTheirHead) {
  EXPECT_EQ(PlacesIn("HTTP/1.1 204 No Content\r\n\r\n"), "0 27");
  EXPECT_EQ(PlacesIn("HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n"), "0 48");
  EXPECT_EQ(PlacesIn("HTTP/1.1 100 Continue\r\n\r\n"), "0 25");
}

TEST(AnswerTrackerTest, WhatCannotBeFollowedIsGivenUp) {
  EXPECT_EQ(PlacesIn("HTTP/1.0 200 OK\r\n\r\nabc"), "0");
  EXPECT_EQ(PlacesIn("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"), "0");
  EXPECT_EQ(PlacesIn("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"), "0");
  EXPECT_EQ(PlacesIn("nonsense\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"), "0");
  EXPECT_EQ(PlacesIn(std::string(AnswerTracker::kHeadBytesMax, 'a') + "\r\n\r\n"), "0");
}

// Of its body only the length is there.
TEST(AnswerTrackerTest, AnswersToHeadAreNotFollowed) {
  EXPECT_EQ(PlacesIn("HTTP/1.1 204 No Content\r\n\r\n", "HEAD / HTTP/1.1\r\n\r\n"), "");
  AnswerTracker tracker;
  tracker.OnRequestBytes("GET / HTTP/1.1\r\n\r\nHE");
  tracker.OnRequestBytes("A");
  EXPECT_TRUE(tracker.is_between());
  tracker.OnRequestBytes("D / HTTP/1.1\r\n");
  EXPECT_FALSE(tracker.is_between());
}

}  // namespace
}  // namespace hourcell::answer_tracker_test
