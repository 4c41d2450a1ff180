#include "bench/lab/layouts/row_keys.h"

#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/lab/layouts/layout_list.h"
#include "codec/base/bytes.h"
#include "codec/rows/row_key.h"
#include "codec/rows/tsuid.h"
#include "tests/support/status_matchers.h"

namespace hourcell::layouts::row_keys_test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr uint32_t kHour = 1'356'998'400;

RowId Row(uint32_t base_time_s = kHour) {
  return {
      .metric = *FromHex("000001"), .base_time_s = base_time_s, .tags = *FromHex("000001000002")};
}

std::string KeyOf(std::string_view text, const RowId& row) {
  std::string key;
  EXPECT_OK(RowKeys::Parse(text)->Encode(row, &key));
  return ToHex(key);
}

std::vector<std::string> PlanOf(std::string_view text, const RowQuery& query) {
  std::vector<std::string> plan;
  const auto accesses = RowKeys::Parse(text)->Plan(query);
  for (const KeyAccess& access : *accesses) {
    plan.push_back(access.is_row ? ToHex(access.begin)
                                 : ToHex(access.begin) + ".." + ToHex(access.end));
  }
  return plan;
}

RowQuery TwoHours(bool is_one_series) {
  RowQuery query{.metric = Row().metric, .begin_s = kHour, .end_s = kHour + 7'200};
  if (is_one_series) query.tags = Row().tags;
  return query;
}

TEST(RowKeysTest, FieldsStandInTheOrderOfTheText) {
  EXPECT_EQ(KeyOf("metric,time,tags", Row()),
            "000001"
            "50e22700"
            "000001000002");
  EXPECT_EQ(KeyOf("tags,metric,time", Row()),
            "000001000002"
            "000001"
            "50e22700");
  EXPECT_EQ(KeyOf("reversed-metric,time,tags", Row()),
            "010000"
            "50e22700"
            "000001000002");
  EXPECT_EQ(KeyOf("metric,tags,reversed-time", Row()),
            "000001"
            "000001000002"
            "af1dd8ff");
}

// The same bytes as the product's own keys.
TEST(RowKeysTest, SaltIsOpenTsdbs) {
  Layout layout;
  layout.salt_width = 1;
  layout.salt_buckets = 16;
  const TagUids tags[] = {{Uid{1}, Uid{2}}};
  std::string key;
  RowKeyCodec(layout).Append(EncodeTsuid(layout, Uid{1}, tags), kHour, &key);

  EXPECT_EQ(KeyOf("salt:16+metric,time,tags", Row()), ToHex(key));
}

TEST(RowKeysTest, EveryLayoutDecodesWhatItEncodes) {
  for (const NamedLayout& named : NamedLayouts()) {
    SCOPED_TRACE(std::string(named.name));
    const RowKeys keys = *RowKeys::Parse(named.key_template);
    std::string key;
    ASSERT_OK(keys.Encode(Row(), &key));

    EXPECT_THAT(keys.Decode(key), IsOkAndHolds(Row()));
    EXPECT_EQ(keys.text(), named.key_template);
  }
}

// Whatever the layout, the plan of a query covers the stored key of each row that matches.
TEST(RowKeysTest, EveryPlanCoversTheRowsThatMatch) {
  for (const NamedLayout& named : NamedLayouts()) {
    SCOPED_TRACE(std::string(named.name));
    const RowKeys keys = *RowKeys::Parse(named.key_template);
    for (const bool is_one_series : {false, true}) {
      const std::vector<KeyAccess> plan = *keys.Plan(TwoHours(is_one_series));
      for (const uint32_t hour : {kHour, kHour + 3'600}) {
        std::string key;
        ASSERT_OK(keys.Encode(Row(hour), &key));
        const auto covers = [&](const KeyAccess& access) {
          return access.is_row ? access.begin == key
                               : access.begin <= key && (access.end.empty() || key < access.end);
        };
        EXPECT_EQ(std::count_if(plan.begin(), plan.end(), covers), 1) << hour << is_one_series;
      }
    }
  }
}

TEST(RowKeysTest, HoursShareTheKeyOfTheirDay) {
  EXPECT_EQ(KeyOf("metric,day,tags", Row(kHour + 7'200)), KeyOf("metric,day,tags", Row()));
  EXPECT_NE(KeyOf("metric,day,tags", Row(kHour + 86'400)), KeyOf("metric,day,tags", Row()));
  EXPECT_EQ(KeyOf("salt:16+metric,day,tags", Row()), KeyOf("salt:16+metric,time,tags", Row()));
  RowQuery query = TwoHours(true);
  EXPECT_THAT(PlanOf("metric,day,tags", query), ElementsAre("00000150e22700000001000002"));
  query.begin_s += 23 * 3'600;
  query.end_s += 23 * 3'600;
  EXPECT_THAT(PlanOf("metric,day,tags", query),
              ElementsAre("00000150e22700000001000002", "00000150e37880000001000002"));
}

// The same bytes as the product's own keys of days.
TEST(RowKeysTest, ByDensityHoursHaveRowsOrShareThatOfTheirDay) {
  RowId shared = Row(kHour + 7'200);
  shared.is_shared = true;
  EXPECT_EQ(KeyOf("metric,hour-or-day,tags", Row()), KeyOf("metric,time,tags", Row()));
  EXPECT_EQ(KeyOf("metric,hour-or-day,tags", shared),
            "000001"
            "00007ab5"
            "000001000002");
  for (const std::string_view text : {"metric,hour-or-day,tags", "salt:16+metric,hour-or-day,tags",
                                      "metric,tags,hour-or-day:400"}) {
    SCOPED_TRACE(std::string(text));
    const RowKeys keys = *RowKeys::Parse(text);
    EXPECT_EQ(keys.text(), text);
    std::string key;
    ASSERT_OK(keys.Encode(shared, &key));
    const auto decoded = keys.Decode(key);
    ASSERT_OK(decoded);
    EXPECT_TRUE(decoded->is_shared);
    EXPECT_EQ(decoded->base_time_s, kHour);
    EXPECT_EQ(keys.SpanOf(*decoded), kDaySpan);
    EXPECT_EQ(keys.SpanOf(Row()), kHourSpan);
  }
  EXPECT_EQ(RowKeys::Parse("metric,hour-or-day,tags")->day_row_points(), kUsualDayRowPoints);
  EXPECT_EQ(RowKeys::Parse("metric,hour-or-day:400,tags")->day_row_points(), 400u);
  EXPECT_EQ(RowKeys::Parse("metric,time,tags")->day_row_points(), 0u);
}

TEST(RowKeysTest, ByDensityAQueryLooksForBothRows) {
  EXPECT_THAT(PlanOf("metric,hour-or-day,tags", TwoHours(true)),
              ElementsAre("00000150e22700000001000002", "00000150e23510000001000002",
                          "00000100007ab5000001000002"));
  EXPECT_THAT(PlanOf("metric,hour-or-day,tags", TwoHours(false)),
              ElementsAre("00000150e22700..00000150e23511", "00000100007ab5..00000100007ab6"));
}

TEST(RowKeysTest, OneSeriesIsRowsUnlessItsHoursLieTogether) {
  EXPECT_THAT(PlanOf("metric,time,tags", TwoHours(true)),
              ElementsAre("00000150e22700000001000002", "00000150e23510000001000002"));
  EXPECT_THAT(PlanOf("metric,tags,time", TwoHours(true)),
              ElementsAre("00000100000100000250e22700..00000100000100000250e23511"));
  EXPECT_THAT(PlanOf("metric,tags,reversed-time", TwoHours(true)),
              ElementsAre("000001000001000002af1dcaef..000001000001000002af1dd9"));
}

TEST(RowKeysTest, OneMetricIsARangeOfTimesWhereTimeFollowsIt) {
  EXPECT_THAT(PlanOf("metric,time,tags", TwoHours(false)),
              ElementsAre("00000150e22700..00000150e23511"));
  EXPECT_THAT(PlanOf("time,metric,tags", TwoHours(false)),
              ElementsAre("50e22700000001..50e22700000002", "50e23510000001..50e23510000002"));
  EXPECT_THAT(PlanOf("metric,tags,time", TwoHours(false)), ElementsAre("000001..000002"));
  EXPECT_THAT(PlanOf("tags,metric,time", TwoHours(false)), ElementsAre(".."));
}

TEST(RowKeysTest, BucketsMultiplyRangesAndTooManyReadTheTable) {
  EXPECT_THAT(PlanOf("salt:16+metric,time,tags", TwoHours(false)), SizeIs(16));
  EXPECT_THAT(PlanOf("salt:16+metric,time,tags", TwoHours(true)), SizeIs(2));
  EXPECT_THAT(PlanOf("round-robin:16+time,metric,tags", TwoHours(true)), SizeIs(32));
  EXPECT_THAT(PlanOf("md5-4hex+metric,time,tags", TwoHours(false)), ElementsAre(".."));
  EXPECT_THAT(PlanOf("md5-4hex+metric,time,tags", TwoHours(true)), SizeIs(2));
}

TEST(RowKeysTest, KnowsWhatAPrefixPolicyGroupsBy) {
  EXPECT_EQ(RowKeys::Parse("metric,time,tags")->leading_bytes(), 3u);
  EXPECT_EQ(RowKeys::Parse("salt:4+metric,time,tags")->leading_bytes(), 4u);
  EXPECT_EQ(RowKeys::Parse("md5-4hex+time,metric,tags")->leading_bytes(), 9u);
  EXPECT_EQ(RowKeys::Parse("tags,metric,time")->leading_bytes(), 6u);
}

TEST(RowKeysTest, RefusesTextsWithTheReason) {
  const auto refused = [](std::string_view text, std::string_view why) {
    EXPECT_THAT(RowKeys::Parse(text).status(),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr(std::string(why))))
        << text;
  };
  refused("", "expected one of metric");
  refused("metric,time", "and tags");
  refused("metric,time,tags,tags", "and tags");
  refused("metric,reversed-metric,time,tags", "expected one of metric");
  refused("metric,time,tags,", "expected one of metric");
  refused("metric,hour-or-day:0,tags", "a number of points after hour-or-day:");
  refused("metric,hour-or-day:,tags", "a number of points after hour-or-day:");
  refused("metric,hour-or-day:9x,tags", "a number of points after hour-or-day:");
  refused("metric,hour-or-days,tags", "a number of points after hour-or-day:");
  refused("metric,hour-or-day,day,tags", "expected one of metric");
  refused("salt:0+metric,time,tags", "1 to 256 buckets");
  refused("salt:4x+metric,time,tags", "1 to 256 buckets");
  refused("salt:4+time,metric,tags", "metric,day,tags after the salt");
  refused("pepper:4+metric,time,tags", "pepper");
}

TEST(RowKeysTest, RefusesKeysAndRowsOfOtherWidths) {
  const RowKeys keys = *RowKeys::Parse("metric,time,tags");
  std::string key;

  EXPECT_THAT(keys.Encode({.metric = "ab"}, &key), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(keys.Decode("short").status(), StatusIs(StatusCode::kDataLoss));
  EXPECT_THAT(keys.Decode(*FromHex("00000150e2270100000100000a")).status(),
              StatusIs(StatusCode::kDataLoss, HasSubstr("not a multiple of 3600 s")));
}

}  // namespace
}  // namespace hourcell::layouts::row_keys_test
