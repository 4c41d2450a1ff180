#include "server/names/search_writer.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "tests/support/status_matchers.h"

namespace hourcell::search_writer_test {
namespace {

// Keeps the pieces that are sent.
class KeptBody : public BodyWriter {
 public:
  std::string sent;
  absl::Status answer;

 protected:
  absl::Status Take(std::string* piece) override {
    sent += *piece;
    piece->clear();
    return answer;
  }
};

TEST(SearchWriterTest, TheTimeOfAShortAnswerIsThatOfItsEnd) {
  ManualClock clock(0);
  KeptBody body;
  SearchWriter writer(&clock, &body);
  writer.Begin("T", [](JsonWriter* json) { json->Field("query", "q"); });
  *writer.NextResult() += "1";
  EXPECT_TRUE(writer.Offer());
  *writer.NextResult() += "2";
  clock.Advance(7);
  writer.Finish(3, 5);
  EXPECT_EQ(body.buffer(), R"({"type":"T","query":"q","time":7.0,"results":[1,2],"startIndex":3,)"
                           R"("totalResults":5})");
}

TEST(SearchWriterTest, ALongAnswerHasTheTimeToItsFirstPiece) {
  ManualClock clock(0);
  KeptBody body;
  SearchWriter writer(&clock, &body);
  writer.Begin("T", [](JsonWriter*) {});
  clock.Advance(2);
  *writer.NextResult() += "\"" + std::string(kBodyPieceBytes, 'x') + "\"";
  EXPECT_TRUE(writer.Offer());
  clock.Advance(2);
  writer.Finish(0, 1);
  EXPECT_TRUE(body.sent.starts_with(R"({"type":"T","time":2.0,"results":["xxx)"));
  EXPECT_EQ(body.buffer(), R"(],"startIndex":0,"totalResults":1})");
}

TEST(SearchWriterTest, AClientThatHangsUpEndsIt) {
  ManualClock clock(0);
  KeptBody body;
  body.answer = absl::CancelledError("gone");
  SearchWriter writer(&clock, &body);
  writer.Begin("T", [](JsonWriter*) {});
  *writer.NextResult() += "\"" + std::string(kBodyPieceBytes, 'x') + "\"";
  EXPECT_FALSE(writer.Offer());
  EXPECT_THAT(writer.status(), StatusIs(absl::StatusCode::kCancelled));
}

}  // namespace
}  // namespace hourcell::search_writer_test
