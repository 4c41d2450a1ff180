#include "codec/qualifier.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/limits.h"
#include "codec/rows/row_key.h"
#include "codec/text/point_text.h"
#include "codec/value.h"
#include "tests/codec/codec_testing.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::qualifier_test {
namespace {

using ::testing::HasSubstr;

std::string Encoded(const Qualifier& qualifier) {
  std::string bytes;
  AppendQualifier(qualifier, &bytes);
  return bytes;
}

// The bytes from a vector's position `at` on; nothing if that is outside.
std::string BytesAt(simdjson::dom::element given) {
  const std::string bytes = BytesOf(given, "qualifier");
  const int64_t at = Has(given, "at") ? IntOf(given, "at") : 0;
  if (at < 0 || at > static_cast<int64_t>(bytes.size())) return "";
  return bytes.substr(static_cast<size_t>(at));
}

TEST(QualifierTest, VectorsBuild) {
  for (const TestVector& vector : LoadVectors("storage.json", "qualifier.build")) {
    SCOPED_TRACE(vector.from);
    const auto time = TimestampFromInteger(IntOf(vector.given, "timestamp"));
    ASSERT_TRUE(time.ok());
    const auto offset_ms =
        static_cast<uint32_t>(time->ms - int64_t{kHourSpan.BaseS(time->ms)} * 1000);
    const Qualifier qualifier{.offset_ms = offset_ms,
                              .is_ms = time->is_ms,
                              .flags = static_cast<uint8_t>(IntOf(vector.given, "flags"))};
    EXPECT_EQ(ToHex(Encoded(qualifier)), TextOf(vector.expect, "qualifier"));
  }
}

TEST(QualifierTest, VectorsTimestamp) {
  for (const TestVector& vector : LoadVectors("storage.json", "qualifier.timestamp")) {
    SCOPED_TRACE(vector.from);
    const auto qualifier = ParseQualifier(BytesOf(vector.given, "qualifier"));
    ASSERT_OK(qualifier);
    EXPECT_EQ(IntOf(vector.given, "base_time") * 1000 + qualifier->offset_ms,
              IntOf(vector.expect, "timestamp_ms"));
  }
}

TEST(QualifierTest, VectorsOfWhatAQualifierHolds) {
  for (const char* area : {"qualifier.offset", "qualifier.value_length", "qualifier.length",
                           "qualifier.flags", "qualifier.extract"}) {
    for (const TestVector& vector : LoadVectors("storage.json", area)) {
      SCOPED_TRACE(vector.from);
      const auto qualifier = ParseQualifier(BytesAt(vector.given));
      if (vector.wants_error()) {
        EXPECT_THAT(qualifier, StatusIs(absl::StatusCode::kDataLoss, HasSubstr("cut short")));
        continue;
      }
      ASSERT_OK(qualifier);
      const std::string_view name = area;
      if (name == "qualifier.offset") {
        EXPECT_EQ(qualifier->offset_ms, IntOf(vector.expect, "offset_ms"));
      } else if (name == "qualifier.value_length") {
        EXPECT_EQ(qualifier->value_size(), static_cast<size_t>(IntOf(vector.expect, "length")));
      } else if (name == "qualifier.length") {
        EXPECT_EQ(qualifier->encoded_size(), static_cast<size_t>(IntOf(vector.expect, "length")));
      } else if (name == "qualifier.flags") {
        EXPECT_EQ(qualifier->flags, IntOf(vector.expect, "flags"));
        EXPECT_EQ(qualifier->is_float(), bool(vector.expect["float"]));
      } else {
        EXPECT_EQ(ToHex(Encoded(*qualifier)), TextOf(vector.expect, "qualifier"));
      }
    }
  }
}

TEST(QualifierTest, VectorsIsMillis) {
  for (const TestVector& vector : LoadVectors("storage.json", "qualifier.is_millis")) {
    SCOPED_TRACE(vector.from);
    EXPECT_EQ(IsMsQualifier(BytesOf(vector.given, "first_byte")[0]), bool(vector.expect["millis"]));
  }
}

TEST(QualifierTest, VectorsFixFlags) {
  for (const TestVector& vector : LoadVectors("storage.json", "qualifier.fix_flags")) {
    SCOPED_TRACE(vector.from);
    const auto flags = static_cast<uint8_t>(BytesOf(vector.given, "flags")[0]);
    const auto size = static_cast<size_t>(IntOf(vector.given, "value_length"));
    EXPECT_EQ(FixFlags(flags, size), static_cast<uint8_t>(BytesOf(vector.expect, "flags")[0]));
  }
}

TEST(QualifierTest, EveryTwoByteQualifierReadsBackOrIsRefused) {
  size_t refused = 0;
  for (uint32_t number = 0; number <= 0xFFFF; ++number) {
    std::string bytes;
    AppendBigEndian(number, 2, &bytes);
    const auto qualifier = ParseQualifier(bytes);
    if (!qualifier.ok()) {
      ASSERT_THAT(qualifier, StatusIs(absl::StatusCode::kDataLoss));
      ++refused;
      continue;
    }
    ASSERT_EQ(qualifier->offset_ms, (number >> 4) * 1000);
    ASSERT_EQ(Encoded(*qualifier), bytes);
  }
  EXPECT_EQ(refused, 65536U - 3600 * 16);
}

TEST(QualifierTest, EveryMillisecondOffsetReadsBack) {
  char bytes[kQualifierBytesMax];
  for (uint32_t offset_ms = 0; offset_ms < kHourSpan.ms(); offset_ms += 7) {
    const Qualifier qualifier{.offset_ms = offset_ms, .is_ms = true, .flags = 0xB};
    ASSERT_EQ(StoreQualifier(qualifier, bytes), 4U);
    ASSERT_THAT(ParseQualifier({bytes, 4}), IsOkAndHolds(qualifier));
  }
}

TEST(QualifierTest, ParseIgnoresReservedBitsAndWhatFollows) {
  EXPECT_THAT(ParseQualifier(Hex("f0000237 0047")),
              IsOkAndHolds(Qualifier{.offset_ms = 8, .is_ms = true, .flags = 7}));
}

TEST(QualifierTest, ParseRejectsOffsetsOfAnHourOrMore) {
  EXPECT_OK(ParseQualifier(Hex("fdbb9fcf")));
  EXPECT_THAT(ParseQualifier(Hex("fdbba00f")),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("offset 3600000 ms")));
  EXPECT_THAT(ParseQualifier(Hex("e100")),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("offset 3600000 ms")));
}

TEST(QualifierTest, OnlySixFlagsAreReadable) {
  std::string readable;
  for (int flags = 0; flags <= 0xFF; ++flags) {
    if (AreReadableFlags(static_cast<uint8_t>(flags))) readable += fmt::format("{:x}", flags);
  }
  EXPECT_EQ(readable, "0137bf");
}

}  // namespace
}  // namespace hourcell::qualifier_test
