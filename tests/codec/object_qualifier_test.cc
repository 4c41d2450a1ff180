#include "codec/object_qualifier.h"

#include <string>

#include <gmock/gmock.h>

#include "codec/base/bytes.h"
#include "codec/limits.h"
#include "codec/text/point_text.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::object_qualifier_test {
namespace {

using testing::HasSubstr;

std::string HexAt(uint8_t type, const Timestamp& time) {
  std::string bytes;
  AppendObjectQualifier(ObjectQualifierAt(type, time), &bytes);
  return ToHex(bytes);
}

TEST(ObjectQualifierTest, VectorsOfAnnotations) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("storage.json", "annotation.cell")) {
    SCOPED_TRACE(vector.from);
    const auto time = TimestampFromInteger(IntOf(vector.given, "start_time"));
    EXPECT_EQ(time.ok(), !vector.wants_error());
    if (vector.wants_error()) continue;
    // The one deviation: OpenTSDB takes 1425716000 for milliseconds and stores 116 s, not 800 s.
    const std::string theirs = TextOf(vector.expect, "q");
    EXPECT_EQ(HexAt(kAnnotationType, *time), theirs == "010074" ? "010320" : theirs);
    ++run;
  }
  EXPECT_EQ(run, 7);
}

TEST(ObjectQualifierTest, VectorsOfOtherObjects) {
  for (const TestVector& vector : LoadVectors("storage.json", "object.qualifier")) {
    SCOPED_TRACE(vector.from);
    const auto time = TimestampFromInteger(IntOf(vector.given, "timestamp"));
    EXPECT_EQ(time.ok(), !vector.wants_error());
    if (vector.wants_error()) continue;
    const std::string type = BytesOf(vector.given, "prefix");
    EXPECT_EQ(HexAt(static_cast<uint8_t>(type.front()), *time), TextOf(vector.expect, "qualifier"));
  }
}

TEST(ObjectQualifierTest, TheLastInstantOfAnHourHasTheLargest) {
  const int64_t end_ms = 1'356'998'400'000 + kQualifierSpanMs;
  EXPECT_EQ(HexAt(kAnnotationType, {.ms = end_ms - 1000}), "010e0f");
  EXPECT_EQ(HexAt(kAnnotationType, {.ms = end_ms - 1, .is_ms = true}), "010036ee7f");
  EXPECT_EQ(HexAt(kAnnotationType, {.ms = end_ms}), "010000");
  EXPECT_EQ(HexAt(kHistogramType, {.ms = kTimestampMsMax, .is_ms = true}), "060019e0ff");
}

TEST(ObjectQualifierTest, ParseGivesBackEveryOffset) {
  for (uint32_t offset_ms = 0; offset_ms < kQualifierSpanMs; offset_ms += 250) {
    for (const bool is_ms : {false, true}) {
      if (!is_ms && offset_ms % 1000 != 0) continue;
      const ObjectQualifier qualifier{.type = 7, .offset_ms = offset_ms, .is_ms = is_ms};
      std::string bytes;
      AppendObjectQualifier(qualifier, &bytes);
      EXPECT_EQ(bytes.size(), qualifier.encoded_size());
      EXPECT_THAT(ParseObjectQualifier(bytes), IsOkAndHolds(qualifier));
    }
  }
}

TEST(ObjectQualifierTest, ParseRejectsOtherLengthsAndOffsetsOfAnHour) {
  for (const std::string hex : {"", "01", "0100", "01000000", "010000000000"}) {
    EXPECT_THAT(ParseObjectQualifier(FromHex(hex).value()),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("expected 3 or 5")));
  }
  for (const std::string hex : {"010e10", "01ffff", "010036ee80", "01ffffffff"}) {
    EXPECT_THAT(ParseObjectQualifier(FromHex(hex).value()),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("expected less than 3600000")));
  }
}

}  // namespace
}  // namespace hourcell::object_qualifier_test
