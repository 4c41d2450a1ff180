#include "engine/query/query_spec.h"

#include <gtest/gtest.h>

#include "engine/query/query_time.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::query_spec_test {
namespace {

using testing::HasSubstr;

FillPolicy FillOf(const std::string& name) {
  EXPECT_EQ(name, "nan");
  return FillPolicy::kNan;
}

TEST(DownsampleSpecTest, OpenTsdbVectors) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "downsample-spec")) {
    // An empty text is not a specification; the reader of the body handles it.
    if (!Has(vector.given, "spec")) continue;
    const std::string text = TextOf(vector.given, "spec");
    SCOPED_TRACE(text);
    const auto spec = ParseDownsampleSpec(text);
    if (vector.wants_error()) {
      EXPECT_THAT(spec, StatusIs(absl::StatusCode::kInvalidArgument));
    } else {
      ASSERT_OK(spec);
      EXPECT_EQ(spec->interval_ms, IntOf(vector.expect, "interval_ms"));
      EXPECT_EQ(AggregatorName(spec->function), TextOf(vector.expect, "function"));
      EXPECT_EQ(spec->fill, FillOf(TextOf(vector.expect, "fill")));
    }
    ++run;
  }
  EXPECT_EQ(run, 9);
}

TEST(DownsampleSpecTest, AllIsOneBucket) {
  const DownsampleSpec want{.all = true, .function = Aggregator::kSum};

  EXPECT_THAT(ParseDownsampleSpec("0all-sum"), IsOkAndHolds(want));
  EXPECT_THAT(ParseDownsampleSpec("all-sum-none"), IsOkAndHolds(want));
  EXPECT_THAT(ParseDownsampleSpec("xall-sum"), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(DownsampleSpecTest, FillPolicies) {
  const auto fill_of = [](std::string_view text) { return ParseDownsampleSpec(text)->fill; };

  EXPECT_EQ(fill_of("1m-avg"), FillPolicy::kNone);
  EXPECT_EQ(fill_of("1m-avg-none"), FillPolicy::kNone);
  EXPECT_EQ(fill_of("1m-avg-nan"), FillPolicy::kNan);
  EXPECT_EQ(fill_of("1m-avg-null"), FillPolicy::kNull);
  EXPECT_EQ(fill_of("1m-avg-ZERO"), FillPolicy::kZero);
}

TEST(DownsampleSpecTest, ErrorsAreOpenTsdbs) {
  const auto check = [](std::string_view text, std::string_view want, int line) {
    testing::ScopedTrace trace(__FILE__, line, "this case");
    EXPECT_THAT(ParseDownsampleSpec(text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(std::string(want))));
  };
  check("1m", "Invalid downsampling specifier '1m': must provide at least interval and function",
        __LINE__);
  check("1m-", "must provide at least interval and function", __LINE__);
  check("", "must provide at least interval and function", __LINE__);
  check("1m-avg-nan-x", "must consist of interval, function, and optional fill policy", __LINE__);
  check("1m-hurp", "No such downsampling function: hurp", __LINE__);
  check("1m-none", "cannot use the NONE aggregator for downsampling", __LINE__);
  check("1m-avg-max", "Unrecognized fill policy: max", __LINE__);
  check("1m-avg-scalar", "fill policy scalar: no number; expected scalar(<number>)", __LINE__);
  check("1m-avg-scalar(x)", "expected scalar(<number>), got \"x\"", __LINE__);
  check("1m-avg-scalar(1", "expected scalar(<number>)", __LINE__);
  check("1m-avg-scalar(NaN)", "expected scalar(<number>)", __LINE__);
  check("1m-avg-nan-scalar(1)", "must consist of interval, function, and optional fill", __LINE__);
  check("1m-scalar(1)", "must provide at least interval and function", __LINE__);
  check("0m-avg", "Zero or negative duration: 0m", __LINE__);
  check("-avg", "Invalid duration", __LINE__);
}

TEST(DownsampleSpecTest, ScalarFillsWithANumber) {
  const auto spec = ParseDownsampleSpec("1m-avg-Scalar(-1.5e3)");

  ASSERT_OK(spec);
  EXPECT_EQ(spec->fill, FillPolicy::kZero);
  EXPECT_EQ(spec->fill_value, -1500.0);
  EXPECT_EQ(ParseDownsampleSpec("1m-avg-scalar(0)"), ParseDownsampleSpec("1m-avg-zero"));
}

TEST(DownsampleSpecTest, CalendarIntervalsEndInC) {
  const auto spec = ParseDownsampleSpec("3nc-sum-nan");

  ASSERT_OK(spec);
  EXPECT_TRUE(spec->calendar);
  EXPECT_EQ(spec->count, 3);
  EXPECT_EQ(spec->unit, DurationUnit::kMonth);
  EXPECT_EQ(spec->interval_ms, 90LL * 86'400'000);
  EXPECT_EQ(spec->timezone, absl::UTCTimeZone());
  EXPECT_FALSE(ParseDownsampleSpec("3n-sum")->calendar);
  EXPECT_THAT(ParseDownsampleSpec("c-sum"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ParseDownsampleSpec("0allc-sum"), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(DownsampleSpecTest, EqualAreThoseThatAskTheSame) {
  const auto spec = [](std::string_view text) { return ParseDownsampleSpec(text).value(); };
  DownsampleSpec in_kabul = spec("1dc-sum");
  in_kabul.timezone = ParseTimezone("Asia/Kabul").value();
  DownsampleSpec fixed_in_kabul = spec("1d-sum");
  fixed_in_kabul.timezone = in_kabul.timezone;

  EXPECT_EQ(spec("60m-sum"), spec("1h-sum"));
  EXPECT_FALSE(spec("60mc-sum") == spec("1hc-sum"));
  EXPECT_FALSE(spec("1dc-sum") == spec("1d-sum"));
  EXPECT_FALSE(spec("1dc-sum") == in_kabul);
  EXPECT_EQ(spec("1d-sum"), fixed_in_kabul);
  EXPECT_FALSE(spec("1d-sum-zero") == spec("1d-sum-scalar(1)"));
}

TEST(FilterTypeTest, NamesReadBackInAnyCase) {
  EXPECT_THAT(ParseFilterType("Not_ILiteral_Or"), IsOkAndHolds(FilterType::kNotILiteralOr));
  EXPECT_EQ(FilterTypeName(FilterType::kRegexp), "regexp");
  EXPECT_THAT(ParseFilterType("not_key"), IsOkAndHolds(FilterType::kNotKey));
  EXPECT_THAT(ParseFilterType("nosuch"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("Could not find a tag value filter of the type: nosuch")));
}

TEST(TagValueFilterTest, OpenTsdbVectors) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "filter-parse")) {
    const std::string text = TextOf(vector.given, "tag_expression");
    SCOPED_TRACE(text);
    const auto filter = ParseTagValueFilter("host", text.substr(text.find('=') + 1), true);
    if (vector.wants_error()) {
      EXPECT_THAT(filter, StatusIs(absl::StatusCode::kInvalidArgument));
    } else {
      ASSERT_OK(filter);
      std::string want = TextOf(vector.expect, "becomes");
      want = want.starts_with("group-by wildcard") ? "wildcard" : want.substr(0, want.find(' '));
      EXPECT_EQ(FilterTypeName(filter->type), want);
    }
    ++run;
  }
  EXPECT_EQ(run, 12);
}

TEST(TagValueFilterTest, KeepsWhatIsBetweenTheParentheses) {
  EXPECT_THAT(
      ParseTagValueFilter("host", "regexp(web(1|2))", true),
      IsOkAndHolds(TagFilterSpec{
          .tagk = "host", .type = FilterType::kRegexp, .filter = "web(1|2)", .group_by = true}));
  EXPECT_THAT(ParseTagValueFilter("host", "a|b", false),
              IsOkAndHolds(TagFilterSpec{.tagk = "host", .filter = "a|b"}));
  EXPECT_THAT(ParseTagValueFilter("", "a", false), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(TagValueFilterTest, NotKeyHasNoTextAndNeverGroups) {
  EXPECT_THAT(
      ParseTagValueFilter("host", "not_key()", true),
      IsOkAndHolds(TagFilterSpec{.tagk = "host", .type = FilterType::kNotKey, .filter = ""}));
  EXPECT_THAT(ParseTagValueFilter("host", "not_key(a)", true),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("expected nothing between the parentheses")));
  EXPECT_THAT(ParseTagValueFilter("host", "regexp()", true),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("expected text between the parentheses")));
}

}  // namespace
}  // namespace hourcell::query_spec_test
