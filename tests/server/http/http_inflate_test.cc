#include "server/http/http_inflate.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <snappy.h>
#include <zlib.h>

#include "server/http/http_response.h"
#include "tests/support/status_matchers.h"

namespace hourcell::http_inflate_test {
namespace {

constexpr size_t kMax = 1 << 20;

// `window_bits` as deflateInit2 takes it: 31 gzip, 15 zlib, -15 raw.
std::string Compress(std::string_view text, int window_bits) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string input(text);
  std::string out(deflateBound(&stream, input.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(HttpInflateTest, InflatesEachForm) {
  const std::string text = std::string(100'000, 'x') + "end";

  EXPECT_THAT(Inflate(Compress(text, 31), Compression::kGzip, kMax), IsOkAndHolds(text));
  EXPECT_THAT(Inflate(Compress(text, 15), Compression::kDeflate, kMax), IsOkAndHolds(text));
  EXPECT_THAT(Inflate(Compress(text, -15), Compression::kDeflate, kMax), IsOkAndHolds(text));
  EXPECT_THAT(Inflate(Gzip(text), Compression::kGzip, kMax), IsOkAndHolds(text));
}

TEST(HttpInflateTest, JoinsGzipMembers) {
  EXPECT_THAT(Inflate(Compress("a", 31) + Compress("b", 31), Compression::kGzip, kMax),
              IsOkAndHolds("ab"));
}

TEST(HttpInflateTest, RefusesEveryCutAndEveryTail) {
  const std::string whole = Compress("some text to be cut at each place", 31);

  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(Inflate(whole.substr(0, size), Compression::kGzip, kMax),
                StatusIs(absl::StatusCode::kInvalidArgument))
        << size;
  }
  EXPECT_THAT(Inflate(whole + "x", Compression::kGzip, kMax),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(HttpInflateTest, RefusesABombEarly) {
  const std::string text(100 * 1024 * 1024, '0');
  const std::string bomb = Compress(text, 31);

  EXPECT_THAT(Inflate(bomb, Compression::kGzip, kMax),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(Inflate(Compress(std::string(kMax, '0'), 31), Compression::kGzip, kMax), IsOk());
}

TEST(HttpInflateTest, InflatesABlockOfSnappyWithinItsBounds) {
  const std::string text = std::string(100'000, 'x') + "end";
  std::string block;
  snappy::Compress(text.data(), text.size(), &block);

  EXPECT_THAT(Inflate(block, Compression::kSnappy, kMax), IsOkAndHolds(text));
  EXPECT_THAT(Inflate(block, Compression::kSnappy, text.size()), IsOkAndHolds(text));
  EXPECT_THAT(Inflate(block, Compression::kSnappy, text.size() - 1),
              StatusIs(absl::StatusCode::kResourceExhausted));
  for (size_t size = 0; size < block.size(); ++size) {
    EXPECT_THAT(Inflate(block.substr(0, size), Compression::kSnappy, kMax),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
  EXPECT_THAT(Inflate("\xff\xff\xff\x0f"
                      "x",
                      Compression::kSnappy, size_t{1} << 30),
              StatusIs(absl::StatusCode::kInvalidArgument))
      << "five bytes say that they are 32 MiB";

  RequestBodyBudget memory(100'001);
  RequestBodyBudget::Hold other(&memory);
  RequestBodyBudget::Hold hold(&memory);
  ASSERT_TRUE(other.Grow(100));
  EXPECT_THAT(Inflate(block, Compression::kSnappy, kMax, &hold),
              StatusIs(absl::StatusCode::kUnavailable));

  HttpRequest request;
  request.headers = {{"content-encoding", "snappy"}};
  request.body = block;
  ASSERT_OK(InflateBody(kMax, &request));
  EXPECT_EQ(request.body, text);
}

TEST(HttpInflateTest, BodyFollowsItsHeader) {
  HttpRequest request;
  request.headers = {{"content-encoding", "GZIP"}};
  request.body = Compress("{}", 31);

  ASSERT_OK(InflateBody(kMax, &request));

  EXPECT_EQ(request.body, "{}");
  EXPECT_EQ(request.header("content-encoding"), "");
}

TEST(HttpInflateTest, WhatIsInflatedTakesItsShareOfTheMemoryOfBodies) {
  RequestBodyBudget memory(0);
  RequestBodyBudget::Hold hold(&memory);
  ASSERT_TRUE(hold.Grow(70'000));
  HttpRequest request;
  request.headers = {{"content-encoding", "gzip"}};
  request.body = Compress(std::string(200'000, '0'), 31);

  ASSERT_OK(InflateBody(1'000'000, &request, &hold));
  EXPECT_EQ(memory.bytes(), 200'000U) << "the compressed bytes are gone";

  request.headers = {{"content-encoding", "gzip"}};
  request.body = Compress(std::string(kSmallBodyBytesMax, '0'), 31);
  ASSERT_OK(InflateBody(1'000'000, &request, &hold));
  EXPECT_EQ(memory.bytes(), 0U) << "it is small";
}

TEST(HttpInflateTest, WithoutRoomForItInMemoryItIsRefusedForNow) {
  RequestBodyBudget memory(300'000);
  RequestBodyBudget::Hold other(&memory);
  RequestBodyBudget::Hold hold(&memory);
  const std::string zipped = Compress(std::string(200'000, '0'), 31);
  ASSERT_TRUE(other.Grow(70'000));
  ASSERT_TRUE(hold.Grow(100'000));
  EXPECT_THAT(Inflate(zipped, Compression::kGzip, 1'000'000, &hold),
              StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_TRUE(hold.was_refused());

  other.Release();

  EXPECT_THAT(Inflate(zipped, Compression::kGzip, 1'000'000, &hold), IsOk());
  EXPECT_EQ(memory.bytes(), 300'000U) << "while both are there";
}

TEST(HttpInflateTest, EmptyBodyNeedsNoEncoding) {
  HttpRequest request;
  request.headers = {{"content-encoding", "gzip"}};
  HttpRequest unknown;
  unknown.headers = {{"content-encoding", "br"}};
  unknown.body = "x";

  EXPECT_OK(InflateBody(kMax, &request));
  EXPECT_THAT(InflateBody(kMax, &unknown), StatusIs(absl::StatusCode::kUnimplemented));
}

}  // namespace
}  // namespace hourcell::http_inflate_test
