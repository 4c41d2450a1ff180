#include "server/http/request_reader.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

namespace hourcell::request_reader_test {
namespace {

using Event = RequestReader::Event;
using std::chrono::milliseconds;

class RequestReaderTest : public testing::Test {
 protected:
  static std::string Head(size_t length) {
    return "POST /api/put HTTP/1.1\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n";
  }
  Event Take(RequestReader* intake, const std::string& bytes) {
    intake->Feed(bytes);
    return intake->Next(now_);
  }

  const RequestReader::TimePoint now_{milliseconds(1'000'000)};
  RequestBodyBudget memory_{300'000};
};

TEST_F(RequestReaderTest, AHeaderHasItsTimeHoweverItDrips) {
  RequestReader intake({.timeout_ms = 30'000});
  EXPECT_FALSE(intake.due(now_).has_value());
  EXPECT_EQ(Take(&intake, "GET / HT"), Event::kNeedMore);
  EXPECT_EQ(intake.due(now_), now_ + milliseconds(30'000));

  intake.Feed(std::string("TP/1.1\r\nA: ") + std::string(50'000, 'a'));
  EXPECT_EQ(intake.Next(now_ + milliseconds(20'000)), Event::kNeedMore);

  EXPECT_EQ(intake.due(now_), now_ + milliseconds(30'000));
}

TEST_F(RequestReaderTest, TellsWhetherAFurtherRequestIsHere) {
  RequestReader intake({.timeout_ms = 30'000});
  const std::string request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  ASSERT_EQ(Take(&intake, request + request + "\r\n"), Event::kRequest);
  intake.TakeRequest();
  EXPECT_TRUE(intake.has_more());

  ASSERT_EQ(intake.Next(now_), Event::kRequest);
  intake.TakeRequest();
  EXPECT_FALSE(intake.has_more()) << "empty lines are no request";
}

TEST_F(RequestReaderTest, TellsHowLongARequestTookToComeIn) {
  RequestReader intake({.timeout_ms = 30'000});
  EXPECT_EQ(Take(&intake, "GET / HT"), Event::kNeedMore);
  intake.Feed("TP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(intake.Next(now_ + milliseconds(70)), Event::kRequest);
  EXPECT_EQ(intake.received_in(), milliseconds(70));
  intake.TakeRequest();

  EXPECT_EQ(Take(&intake, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"), Event::kRequest);
  EXPECT_EQ(intake.received_in(), milliseconds(0)) << "it came at once";
}

TEST_F(RequestReaderTest, ABodyHasMoreTimeTheMoreOfItIsHere) {
  RequestReader intake({.timeout_ms = 30'000});
  EXPECT_EQ(Take(&intake, Head(60'000)), Event::kNeedMore);

  EXPECT_EQ(Take(&intake, std::string(10 * kBodyBytesPerSMin, 'x')), Event::kNeedMore);

  EXPECT_EQ(intake.due(now_), now_ + milliseconds(40'000));
}

TEST_F(RequestReaderTest, WhatIsHereHasNoDeadlineAndTheNextOneItsOwn) {
  RequestReader intake({.timeout_ms = 30'000});
  EXPECT_EQ(Take(&intake, Head(1)), Event::kNeedMore);
  EXPECT_EQ(Take(&intake, "xGET"), Event::kRequest);
  EXPECT_EQ(intake.TakeRequest().body, "x");
  EXPECT_FALSE(intake.due(now_).has_value());

  EXPECT_EQ(intake.Next(now_ + milliseconds(5)), Event::kNeedMore);

  EXPECT_EQ(intake.due(now_), now_ + milliseconds(30'005));
}

TEST_F(RequestReaderTest, WithoutATimeoutNothingIsDue) {
  RequestReader intake({.timeout_ms = 0});
  EXPECT_EQ(Take(&intake, "GET / HT"), Event::kNeedMore);
  EXPECT_FALSE(intake.due(now_).has_value());
}

TEST_F(RequestReaderTest, ExpiryIsAnError) {
  RequestReader intake({.timeout_ms = 30'000});
  Take(&intake, "GET");

  intake.Expire();

  EXPECT_EQ(intake.Next(now_), Event::kError);
  EXPECT_EQ(intake.ErrorResponse().status, 408);
  EXPECT_TRUE(intake.ErrorResponse().close);
}

TEST_F(RequestReaderTest, ALargeBodyIsToldOfBeforeMemoryIsTakenForIt) {
  RequestReader intake({.memory = &memory_});

  EXPECT_EQ(Take(&intake, Head(200'000) + std::string(100'000, 'x')), Event::kLargeBody);
  EXPECT_EQ(intake.head()->target, "/api/put");
  EXPECT_EQ(memory_.bytes(), 0U);

  EXPECT_EQ(intake.Next(now_), Event::kNeedMore);
  EXPECT_EQ(memory_.bytes(), 100'000U);
}

TEST_F(RequestReaderTest, ABodyThatIsOnlyAnnouncedTakesNoMemory) {
  RequestReader first({.memory = &memory_});
  RequestReader second({.memory = &memory_});
  EXPECT_EQ(Take(&first, Head(250'000)), Event::kLargeBody);
  EXPECT_EQ(first.Next(now_), Event::kNeedMore);
  EXPECT_EQ(Take(&first, std::string(1'000, 'x')), Event::kNeedMore);
  EXPECT_EQ(memory_.bytes(), 0U);

  EXPECT_EQ(Take(&second, Head(250'000) + std::string(250'000, 'x')), Event::kLargeBody);
  EXPECT_EQ(second.Next(now_), Event::kRequest);

  EXPECT_EQ(memory_.bytes(), 250'000U);
  EXPECT_EQ(Take(&first, std::string(100'000, 'x')), Event::kError) << "the second has the memory";
  EXPECT_EQ(first.ErrorResponse().status, 503);
}

TEST_F(RequestReaderTest, WhileOthersFindNoRoomALargeBodyMustComeFaster) {
  RequestReader slow({.timeout_ms = 30'000, .memory = &memory_});
  EXPECT_EQ(Take(&slow, Head(250'000)), Event::kLargeBody);
  EXPECT_EQ(slow.Next(now_), Event::kNeedMore);
  EXPECT_EQ(Take(&slow, std::string(200'000, 'x')), Event::kNeedMore);
  EXPECT_TRUE(slow.has_memory());
  EXPECT_GT(slow.due(now_), now_ + milliseconds(200'000)) << "a second for each KiB";

  RequestReader other({.memory = &memory_});
  EXPECT_EQ(Take(&other, Head(200'000)), Event::kLargeBody);
  EXPECT_EQ(other.Next(now_ + milliseconds(5'000)), Event::kError);

  EXPECT_EQ(slow.due(now_ + milliseconds(5'000)), now_ + kPressedFor);
  EXPECT_GT(slow.due(now_ + milliseconds(5'000) + kPressedFor), now_ + milliseconds(200'000))
      << "nobody was refused since";
}

TEST_F(RequestReaderTest, AFastBodyIsNotDueWhileOthersFindNoRoom) {
  RequestBodyBudget memory(2'000'000);
  RequestReader fast({.timeout_ms = 30'000, .memory = &memory});
  EXPECT_EQ(Take(&fast, Head(1'900'000) + std::string(100'000, 'x')), Event::kLargeBody);
  EXPECT_EQ(fast.Next(now_), Event::kNeedMore);

  const auto later = now_ + milliseconds(9'000);
  const std::string more(1'000'000, 'x');
  fast.Feed(more);
  EXPECT_EQ(fast.Next(later), Event::kNeedMore);
  memory.NoteRefused(later);

  EXPECT_EQ(fast.due(later), later + kPressedFor);
}

TEST_F(RequestReaderTest, WithoutMemoryForABodyItIsRefusedToBeSentLater) {
  RequestReader first({.memory = &memory_});
  RequestReader second({.memory = &memory_});
  EXPECT_EQ(Take(&first, Head(200'000) + std::string(190'000, 'x')), Event::kLargeBody);
  EXPECT_EQ(first.Next(now_), Event::kNeedMore);

  EXPECT_EQ(Take(&second, Head(200'000)), Event::kLargeBody);
  EXPECT_EQ(second.Next(now_), Event::kError);
  const HttpResponse refusal = second.ErrorResponse();
  EXPECT_EQ(refusal.status, 503);
  ASSERT_EQ(refusal.headers.size(), 1U);
  EXPECT_EQ(refusal.headers[0].first, "Retry-After");
  EXPECT_EQ(memory_.bytes(), 190'000U);
}

TEST_F(RequestReaderTest, MemoryIsHeldUntilTheRequestIsAnswered) {
  RequestReader intake({.memory = &memory_});
  EXPECT_EQ(Take(&intake, Head(200'000) + std::string(200'000, 'x')), Event::kLargeBody);
  EXPECT_EQ(intake.Next(now_), Event::kRequest);
  EXPECT_EQ(intake.TakeRequest().body.size(), 200'000U);
  EXPECT_EQ(memory_.bytes(), 200'000U);

  intake.Release();

  EXPECT_EQ(memory_.bytes(), 0U);
}

TEST_F(RequestReaderTest, ABodyInChunksTakesMemoryAsItComes) {
  RequestReader intake({.memory = &memory_});
  EXPECT_EQ(Take(&intake, "POST /api/put HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n40000\r\n"),
            Event::kNeedMore);
  EXPECT_EQ(memory_.bytes(), 0U);

  EXPECT_EQ(Take(&intake, std::string(100'000, 'x')), Event::kLargeBody);
  EXPECT_EQ(intake.Next(now_), Event::kNeedMore);
  EXPECT_EQ(memory_.bytes(), 100'000U);
}

TEST_F(RequestReaderTest, SmallBodiesAreNotCounted) {
  RequestReader intake({.memory = &memory_});
  EXPECT_EQ(Take(&intake, Head(kSmallBodyBytesMax)), Event::kNeedMore);
  EXPECT_EQ(memory_.bytes(), 0U);
}

}  // namespace
}  // namespace hourcell::request_reader_test
