#include "server/http/http_parser.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::http_parser_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Event = HttpParser::Event;

// What a connection's bytes come to: a line for each event.
std::vector<std::string> Events(HttpParser* parser) {
  std::vector<std::string> events;
  while (true) {
    switch (parser->Next()) {
      case Event::kNeedMore:
        return events;
      case Event::kContinue:
        events.push_back("continue");
        break;
      case Event::kLargeBody:
        events.push_back("large " + parser->head()->target);
        break;
      case Event::kRequest: {
        const HttpRequest request = parser->TakeRequest();
        events.push_back(request.method + " " + request.target + " " + request.body +
                         (request.keep_alive ? "" : " close"));
        break;
      }
      case Event::kError:
        events.push_back("error " + std::to_string(parser->error_status()));
        return events;
    }
  }
}

// Feeds bytes[0, split) and the rest; what Finish says is the last event.
std::vector<std::string> EventsSplit(std::string_view bytes, size_t split, size_t body_max) {
  HttpParser parser(body_max);
  parser.Feed(bytes.substr(0, split));
  std::vector<std::string> events = Events(&parser);
  if (parser.error_status() == 0) {
    parser.Feed(bytes.substr(split));
    for (std::string& event : Events(&parser))
      events.push_back(std::move(event));
  }
  if (parser.error_status() == 0 && parser.Finish() == Event::kError) events.push_back("cut");
  return events;
}

std::vector<std::string> EventsOf(std::string_view bytes, size_t body_max = 1000) {
  return EventsSplit(bytes, bytes.size(), body_max);
}

TEST(HttpParserTest, ReadsARequestWithItsHeaders) {
  HttpParser parser;
  parser.Feed("POST /api/put?details HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");

  ASSERT_EQ(parser.Next(), Event::kRequest);
  const HttpRequest request = parser.TakeRequest();

  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/api/put?details");
  EXPECT_EQ(request.header("host"), "x");
  EXPECT_EQ(request.body, "abc");
  EXPECT_FALSE(request.http10);
  EXPECT_TRUE(request.keep_alive);
  EXPECT_EQ(parser.Next(), Event::kNeedMore);
}

TEST(HttpParserTest, KeepsAliveByVersionAndHeader) {
  EXPECT_THAT(EventsOf("GET / HTTP/1.0\r\n\r\n"), ElementsAre("GET /  close"));
  EXPECT_THAT(EventsOf("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"), ElementsAre("GET / "));
  EXPECT_THAT(EventsOf("GET / HTTP/1.1\r\nConnection: close\r\n\r\n"), ElementsAre("GET /  close"));
}

TEST(HttpParserTest, TakesUnencodedTargets) {
  EXPECT_THAT(EventsOf("GET /q?m=sum:x{a=b|c,\"d\"} HTTP/1.1\r\n\r\n"),
              ElementsAre("GET /q?m=sum:x{a=b|c,\"d\"} "));
}

TEST(HttpParserTest, ReadsChunksAndPipelinedRequests) {
  EXPECT_THAT(EventsOf("PUT /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                       "3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: t\r\n\r\n"
                       "\r\nGET /b HTTP/1.1\r\n\r\nGET /c HTTP/1.1\r\n\r\n"),
              ElementsAre("PUT /a abcde", "GET /b ", "GET /c "));
}

TEST(HttpParserTest, AsksForTheBodyOnce) {
  HttpParser parser;
  parser.Feed("POST / HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n");

  EXPECT_EQ(parser.Next(), Event::kContinue);
  EXPECT_EQ(parser.Next(), Event::kNeedMore);
  parser.Feed("{}");
  EXPECT_EQ(parser.Next(), Event::kRequest);
  EXPECT_EQ(parser.TakeRequest().body, "{}");
}

TEST(HttpParserTest, RefusesBodiesOverTheLimit) {
  EXPECT_THAT(EventsOf("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n", 4),
              ElementsAre("error 413"));
  EXPECT_THAT(
      EventsOf("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde", 4),
      ElementsAre("error 413"));
  EXPECT_THAT(EventsOf("POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nabcd", 4),
              ElementsAre("POST / abcd"));
}

TEST(HttpParserTest, BoundsTargetAndHeaders) {
  const std::string target = "/" + std::string(kTargetBytesMax - 1, 'x');

  EXPECT_THAT(EventsOf("GET " + target + " HTTP/1.1\r\n\r\n"), ElementsAre("GET " + target + " "));
  EXPECT_THAT(EventsOf("GET " + target + "y HTTP/1.1\r\n\r\n"), ElementsAre("error 414"));
  EXPECT_THAT(EventsOf("GET " + std::string(kHeaderBytesMax, 'x')), ElementsAre("error 414"));
  EXPECT_THAT(EventsOf("GET / HTTP/1.1\r\nX: " + std::string(kHeaderBytesMax, 'x')),
              ElementsAre("error 431"));
}

// Less than all headers may have together.
TEST(HttpParserTest, RefusesAHeaderOf64KiB) {
  const std::string long_text(64 << 10, 'x');
  const std::string half(33 << 10, 'x');
  static_assert((64 << 10) + 100 < kHeaderBytesMax);

  for (const std::string& header :
       {"a: " + long_text, long_text + ": a", "a: " + half + "\r\n " + half}) {
    EXPECT_THAT(EventsOf("GET / HTTP/1.1\r\n" + header + "\r\n\r\n"), ElementsAre("error 431"));
  }
  EXPECT_THAT(EventsOf("GET / HTTP/1.1\r\na: " + long_text.substr(0, 60'000) + "\r\n\r\n"),
              ElementsAre("GET / "));
}

TEST(HttpParserTest, RefusesWhatIsNotHttp) {
  for (const char* bytes :
       {"HELLO\r\n\r\n", "HELLO\n\n", "GET / HTTP/2.0\r\n\r\n", "GET /\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/1.1\nHost: x\n\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"}) {
    EXPECT_THAT(EventsOf(bytes), ElementsAre("error 400")) << bytes;
  }
  EXPECT_THAT(EventsOf("POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n"),
              ElementsAre("error 501"));
}

TEST(HttpParserTest, WhatIsFedIsBorrowedOnlyUntilNext) {
  HttpParser parser;
  std::string buffer =
      "POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET /b HTTP/1.1\r\n\r\nGET /c HT";
  parser.Feed(buffer);
  ASSERT_EQ(parser.Next(), Event::kRequest);
  buffer.assign(buffer.size(), '!');

  EXPECT_EQ(parser.TakeRequest().body, "abc");
  EXPECT_THAT(Events(&parser), ElementsAre("GET /b "));
  buffer = "TP/1.1\r\nContent-Length: 2\r\n\r\nx";
  parser.Feed(buffer);
  EXPECT_EQ(parser.Next(), Event::kNeedMore);
  buffer.assign(buffer.size(), '!');
  parser.Feed("y");
  EXPECT_THAT(Events(&parser), ElementsAre("GET /c xy"));
}

TEST(HttpParserTest, FeedMayBeRepeatedBeforeNext) {
  HttpParser parser;
  const std::string begin = "POST /a HTTP/1.1\r\nContent-Le";
  const std::string middle = "ngth: 4\r\n\r\na";
  parser.Feed(begin);
  parser.Feed(middle);
  parser.Feed("bcd");

  EXPECT_THAT(Events(&parser), ElementsAre("POST /a abcd"));
}

TEST(HttpParserTest, EndWithinARequestIsAnError) {
  EXPECT_THAT(EventsOf("GET / HTTP/1.1\r\n"), ElementsAre("cut"));
  EXPECT_THAT(EventsOf("POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nabc"), ElementsAre("cut"));
  EXPECT_THAT(EventsOf("GET / HTTP/1.1\r\n\r\n\r\n"), ElementsAre("GET / "));
}

TEST(HttpParserTest, TheLastChunkMayComeByteByByte) {
  for (const std::string_view body : {"0\r\n\r\n", "3\r\n000\r\n0\r\n\r\n"}) {
    HttpParser parser;
    parser.Feed("POST /p HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
    EXPECT_THAT(Events(&parser), ElementsAre());

    std::vector<std::string> events;
    for (size_t i = 0; i < body.size(); ++i) {
      parser.Feed(body.substr(i, 1));
      for (std::string& event : Events(&parser))
        events.push_back(std::move(event));
    }

    EXPECT_THAT(events, ElementsAre(body.size() == 5 ? "POST /p " : "POST /p 000"));
  }
}

TEST(HttpParserTest, EveryCutGivesTheSameEvents) {
  const std::string bytes =
      "POST /a HTTP/1.1\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n"
      "4\r\nab\r\n\r\n1;e=\"x\"\r\nc\r\n0\r\nT: u\r\n\r\n"
      "GET /b HTTP/1.1\r\n\r\nPOST /c HTTP/1.1\r\nContent-Length: 3\r\n\r\nxyzBAD\r\n\r\n";
  const std::vector<std::string> want = EventsOf(bytes);

  ASSERT_THAT(want,
              ElementsAre("continue", "POST /a ab\r\nc", "GET /b ", "POST /c xyz", "error 400"));
  for (size_t split = 0; split < bytes.size(); ++split) {
    EXPECT_EQ(EventsSplit(bytes, split, 1000), want) << split;
  }
}

// Fed `step` bytes at a time: the events, and what an error says.
std::vector<std::string> EventsInSteps(std::string_view bytes, size_t step, size_t body_max) {
  HttpParser parser(body_max);
  std::vector<std::string> events;
  for (; !bytes.empty() && parser.error_status() == 0;
       bytes.remove_prefix(std::min(step, bytes.size()))) {
    parser.Feed(bytes.substr(0, step));
    for (std::string& event : Events(&parser))
      events.push_back(std::move(event));
  }
  events.push_back(parser.error_text());
  return events;
}

// The chunk must not count anew with each of the bytes that follow.
TEST(HttpParserTest, AQuoteThatAChunkHeaderLeavesOpenIsRefusedHoweverItIsCut) {
  const std::string head = "POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string refused = "malformed request: bad chunk extension";
  for (const std::string chunk : {"3;a=\"\r\nabc\r\n", "1\r\nx\r\n3;a=\"b\\\"\r\nabc\r\n",
                                  "3;a=\"\r\nabc\";b\r\n", "0;a=\"\r\n\r\n"}) {
    const std::string bytes = head + chunk + std::string(100, 'x');
    for (size_t step = 1; step <= bytes.size(); ++step)
      EXPECT_THAT(EventsInSteps(bytes, step, 128), ElementsAre("error 400", refused))
          << chunk << step;
  }
  const std::string good = head + "3;a=\"b\\\";c\" ; d=e\r\nabc\r\n0\r\n\r\n";
  for (size_t step = 1; step <= good.size(); ++step)
    EXPECT_THAT(EventsInSteps(good, step, 3), ElementsAre("POST /a abc", "")) << step;
}

TEST(HttpParserTest, AChunkHeaderOrTrailerIsTooLongHoweverItIsCut) {
  const std::string head = "POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  // With this many bytes in its chunk header, or in its last chunk and trailer.
  const auto with_header = [&](size_t size) {
    return head + "3;" + std::string(size - 4, 'x') + "\r\nabc\r\n0\r\n\r\n";
  };
  const auto with_trailer = [&](size_t size) {
    return head + "3\r\nabc\r\n0\r\nt: " + std::string(size - 12, 'x') + "\r\n\r\n";
  };
  for (const size_t step :
       {size_t{1000}, size_t{8191}, size_t{8192}, size_t{8193}, size_t{20'000}}) {
    for (const std::string& good :
         {with_header(kChunkHeaderBytesMax), with_trailer(kChunkHeaderBytesMax)}) {
      EXPECT_THAT(EventsInSteps(good, step, 128), ElementsAre("POST /a abc", "")) << step;
    }
    for (const std::string& bad :
         {with_header(kChunkHeaderBytesMax + 1), with_trailer(kChunkHeaderBytesMax + 1)}) {
      EXPECT_THAT(EventsInSteps(bad, step, 128),
                  ElementsAre("error 400", "chunk header or trailer over 8192 bytes"))
          << step;
    }
  }
}

TEST(HttpParserTest, TellsOfALargeBodyOnceHoweverItIsCut) {
  constexpr std::string_view kRequests[] = {
      "POST /a HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\nabcdef",
      "POST /a HTTP/1.1\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n"};
  for (const std::string_view request : kRequests) {
    for (size_t split = 0; split < request.size(); ++split) {
      HttpParser parser(1000, /*small_body_bytes_max=*/4);
      parser.Feed(request.substr(0, split));
      std::vector<std::string> events = Events(&parser);
      parser.Feed(request.substr(split));
      for (std::string& event : Events(&parser))
        events.push_back(std::move(event));
      EXPECT_THAT(events, testing::UnorderedElementsAre("large /a", "continue", "POST /a abcdef"))
          << split;
      EXPECT_EQ(events.back(), "POST /a abcdef");
    }
  }
}

TEST(HttpParserTest, ASmallBodyIsNoLargeOne) {
  HttpParser parser(1000, /*small_body_bytes_max=*/4);
  parser.Feed("POST /a HTTP/1.1\r\nContent-Length: 4\r\n\r\nabcd");
  EXPECT_THAT(Events(&parser), ElementsAre("POST /a abcd"));
}

}  // namespace
}  // namespace hourcell::http_parser_test
