#include "engine/regions/keys/key_template.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/rows/row_key.h"
#include "codec/rows/tsuid.h"
#include "tests/support/status_matchers.h"

namespace hourcell::key_template_test {
namespace {

using testing::HasSubstr;

constexpr uint64_t kTimeMs = 1'356'998'400'000 + 1'800'000;

std::string KeyOf(std::string_view layout) {
  const auto parsed = KeyTemplate::Parse(layout);
  EXPECT_OK(parsed) << layout;
  const std::string tsuid("\0\0\1\0\0\1\0\0\2", 9);
  std::string key;
  parsed->Append({.tsuid = tsuid, .metric_bytes = 3, .number = 7, .time_ms = kTimeMs}, &key);
  return ToHex(key);
}

TEST(KeyTemplateTest, NamedTemplates) {
  EXPECT_EQ(KeyOf("opentsdb"), "00000150e22700000001000002");
  EXPECT_EQ(KeyOf("reversed-metric"), "01000050e22700000001000002");
  EXPECT_EQ(KeyOf("tags-first"), "00000100000100000250e22700");
  EXPECT_EQ(KeyOf("time-first"), "50e22700000001000001000002");
  EXPECT_EQ(KeyOf("newest-first"), "000001af1dd8ff000001000002");
  EXPECT_EQ(KeyOf("partition:5"), "00000000000000020000000000000007");
}

TEST(KeyTemplateTest, FieldsInAnyOrder) {
  EXPECT_EQ(KeyOf("text:x+id+metric"), "780000000000000007000001");
  EXPECT_EQ(KeyOf("ms"), "0000013bf383cf40");
  EXPECT_EQ(KeyOf("day+modulo:4"), "50e227000000000000000003");
  EXPECT_EQ(KeyOf("ms~"), "7ffffec40c7c30bf");
}

TEST(KeyTemplateTest, SaltIsThatOfTheRowKeyCodec) {
  Layout layout;
  layout.salt_width = 1;
  layout.salt_buckets = 20;
  const std::string tsuid = EncodeTsuid(layout, 1, std::vector<TagUids>{{.tagk = 1, .tagv = 2}});
  std::string want;
  RowKeyCodec(layout).Append(tsuid, kHourSpan.BaseS(kTimeMs), &want);

  EXPECT_EQ(KeyOf("salted:20"), ToHex(want));
}

TEST(KeyTemplateTest, HashesArePrefixesOfMd5) {
  const std::string bytes = KeyOf("hash:4");
  const std::string digits = KeyOf("hex:8");

  EXPECT_EQ(bytes.size(), 8U);
  EXPECT_EQ(digits, ToHex(bytes));
}

TEST(KeyTemplateTest, WhatAScanVisits) {
  EXPECT_EQ(KeyTemplate::Parse("opentsdb")->ranges_of_scan(), 1U);
  EXPECT_EQ(KeyTemplate::Parse("salted:20")->ranges_of_scan(), 20U);
  EXPECT_EQ(KeyTemplate::Parse("hash-prefix:2")->ranges_of_scan(), 65'536U);
  EXPECT_EQ(KeyTemplate::Parse("hash-prefix:4")->ranges_of_scan(), 0U);
  EXPECT_EQ(KeyTemplate::Parse("id")->ranges_of_scan(), 0U);
  EXPECT_TRUE(KeyTemplate::Parse("time-first")->begins_with_time());
  EXPECT_TRUE(KeyTemplate::Parse("text:a+day+metric")->begins_with_time());
  EXPECT_FALSE(KeyTemplate::Parse("opentsdb")->begins_with_time());
  EXPECT_EQ(KeyTemplate::Parse("salted:300")->salt_bytes(), 2U);
}

TEST(KeyTemplateTest, RefusesWhatIsNoTemplate) {
  for (const std::string_view bad :
       {"", "metric+", "metric++hour", "meter", "salt", "salt:0", "salt:65537", "salt:2x",
        "hash:17", "metric:3", "text:", "opentsdb:3", "salted", "hour+salted:3"}) {
    EXPECT_THAT(KeyTemplate::Parse(bad),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("layout: ")))
        << bad;
  }
}

}  // namespace
}  // namespace hourcell::key_template_test
