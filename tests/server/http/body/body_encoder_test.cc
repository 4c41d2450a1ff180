#include "server/http/body/body_encoder.h"

#include <string>

#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/server/http/http_decode.h"

namespace hourcell::body_encoder_test {
namespace {

TEST(BodyEncoderTest, FramesPiecesAsChunks) {
  BodyEncoder encoder(/*gzip=*/false, /*chunked=*/true);
  std::string out;

  encoder.Encode("hello, world and all", &out);
  encoder.Encode("", &out);
  encoder.End("!", &out);

  EXPECT_EQ(out, "14\r\nhello, world and all\r\n1\r\n!\r\n0\r\n\r\n");
}

TEST(BodyEncoderTest, AnEmptyLastPieceIsNoChunk) {
  BodyEncoder encoder(/*gzip=*/false, /*chunked=*/true);
  std::string out;

  encoder.Encode("a", &out);
  encoder.End("", &out);

  EXPECT_EQ(out, "1\r\na\r\n0\r\n\r\n");
}

TEST(BodyEncoderTest, WithoutChunksTheBytesAreAsTheyAre) {
  BodyEncoder encoder(/*gzip=*/false, /*chunked=*/false);
  std::string out;

  encoder.Encode("ab", &out);
  encoder.End("c", &out);

  EXPECT_EQ(out, "abc");
}

TEST(BodyEncoderTest, GzipInChunksIsOneStream) {
  constexpr uint64_t kSeed = 5;
  Random random(kSeed);
  BodyEncoder encoder(/*gzip=*/true, /*chunked=*/true);
  std::string body;
  std::string out;
  for (int i = 0; i < 50; ++i) {
    std::string piece;
    for (uint64_t size = random.Below(5000); size > 0; --size)
      piece += static_cast<char>('0' + random.Below(10));
    body += piece;
    encoder.Encode(piece, &out);
  }
  encoder.End("end", &out);

  const auto unframed = Unchunk(out);
  ASSERT_TRUE(unframed.has_value());
  EXPECT_LT(unframed->size(), body.size() * 2 / 3);
  EXPECT_TRUE(Gunzip(*unframed) == body + "end");
}

TEST(BodyEncoderTest, TheFirstPieceIsNotKeptBack) {
  BodyEncoder encoder(/*gzip=*/true, /*chunked=*/false);
  std::string out;

  encoder.Encode("[{\"metric\"", &out);

  EXPECT_EQ(Gunzip(out, /*want_end=*/false), "[{\"metric\"");
  EXPECT_FALSE(Gunzip(out).has_value());
}

}  // namespace
}  // namespace hourcell::body_encoder_test
