#include "server/forward/put_exchange.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::put_exchange_test {
namespace {

using testing::HasSubstr;

const TagView kHost[] = {{"host", "a"}};

PointView PointAt(int64_t time_s, Value value = Value::Integer(1), std::string_view metric = "m") {
  return {.metric = metric, .tags = kHost, .timestamp = {.ms = time_s * 1000}, .value = value};
}

// The answer's entry for such a point.
std::string ErrorEntry(std::string_view text, int64_t time, std::string_view tagv = "a") {
  return R"({"error":")" + std::string(text) + R"(","datapoint":{"metric":"m","timestamp":)" +
         std::to_string(time) + R"(,"value":"1","tags":{"host":")" + std::string(tagv) + R"("}}})";
}
std::string Answer(const std::string& entries) {
  return R"({"success":0,"failed":1,"errors":[)" + entries + "]}";
}

TEST(PutBodyTest, KeepsPrecisionAndTypes) {
  const TagView tags[] = {{"host", "a\"b"}, {"dc", "x"}};
  const PointView points[] = {
      {.metric = "m", .tags = tags, .timestamp = {.ms = 1000}, .value = Value::Integer(-1)},
      {.metric = "m",
       .tags = kHost,
       .timestamp = {.ms = 1356998400500, .is_ms = true},
       .value = Value::Float(1e10)}};

  EXPECT_EQ(PutBody(points),
            R"([{"metric":"m","timestamp":1,"value":-1,"tags":{"host":"a\"b","dc":"x"}},)"
            "\n"
            R"({"metric":"m","timestamp":1356998400500,"value":1.0E10,"tags":{"host":"a"}}])");
}

TEST(PutReplyTest, ErrorsAreFoundAgainInOrder) {
  const PointView points[] = {PointAt(1), PointAt(2), PointAt(1), PointAt(3)};
  std::vector<RefusedPoint> refused;

  ASSERT_OK(ParsePutReply(Answer(ErrorEntry("Unknown metric", 2) + "," + ErrorEntry("bad", 1)),
                          points, &refused));

  ASSERT_EQ(refused.size(), 2u);
  EXPECT_EQ(refused[0].index, 1u);
  EXPECT_EQ(refused[0].error, (PointError{PointErrorKind::kUnknownName, "Unknown metric"}));
  EXPECT_EQ(refused[1].index, 2u);
  EXPECT_EQ(refused[1].error, (PointError{PointErrorKind::kIllegalArgument, "bad"}));
}

TEST(PutReplyTest, AnswersThatFitNoPointAreDataLoss) {
  const PointView points[] = {PointAt(1)};
  std::vector<RefusedPoint> refused;

  EXPECT_THAT(ParsePutReply(Answer(ErrorEntry("bad", 1, "b")), points, &refused),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("not sent")));
  EXPECT_THAT(ParsePutReply("{}", points, &refused), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(ParsePutReply(Answer("{}"), points, &refused), StatusIs(absl::StatusCode::kDataLoss));
}

TEST(PutReplyTest, FailingStoreEndsTheImport) {
  const PointView points[] = {PointAt(1)};
  std::vector<RefusedPoint> refused;

  EXPECT_THAT(ParsePutReply(Answer(ErrorEntry("Storage exception: disk", 1)), points, &refused),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("disk")));
}

}  // namespace
}  // namespace hourcell::put_exchange_test
