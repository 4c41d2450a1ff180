// The language of m= and tsuid= (docs/query-language.md): tests/data/query_language.json has texts
// with their parsed form, and refused texts with the error. The page reads the same file
// (server/web/test/query_language.test.ts).

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/text/number.h"
#include "server/query/query_echo.h"
#include "server/query/query_string.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::query_language_test {
namespace {

using simdjson::dom::element;
using testing::HasSubstr;

constexpr std::string_view kFile = "query_language.json";

void ExpectDownsample(const DownsampleSpec& got, element want) {
  DownsampleSpec bare = got;
  bare.fill = FillPolicy::kNone;
  EXPECT_EQ(DownsampleText(bare),
            fmt::format("{}-{}", TextOf(want, "interval"), TextOf(want, "function")));
  double number = 0;
  if (want["fill"].get(number) == simdjson::SUCCESS) {
    EXPECT_EQ(got.fill, FillPolicy::kZero);
    EXPECT_EQ(got.fill_value, number);
    return;
  }
  const std::string suffix = Has(want, "fill") ? "-" + TextOf(want, "fill") : "";
  EXPECT_EQ(DownsampleText(got), DownsampleText(bare) + suffix);
}

void ExpectRate(const RateSpec& got, element want) {
  const RateSpec usual;
  EXPECT_EQ(got.counter, Has(want, "counter"));
  EXPECT_EQ(got.drop_resets, Has(want, "drop"));
  EXPECT_EQ(got.counter_max,
            Has(want, "max") ? *ParseInteger(TextOf(want, "max")) : usual.counter_max);
  EXPECT_EQ(got.reset_value,
            Has(want, "reset") ? *ParseInteger(TextOf(want, "reset")) : usual.reset_value);
}

std::vector<TagFilterSpec> FiltersOf(element want) {
  std::vector<TagFilterSpec> filters;
  if (!Has(want, "filters")) return filters;
  for (const element filter : simdjson::dom::array(want["filters"])) {
    filters.push_back({.tagk = TextOf(filter, "tagk"),
                       .type = *ParseFilterType(TextOf(filter, "type")),
                       .filter = TextOf(filter, "filter"),
                       .group_by = bool(filter["groupBy"])});
  }
  return filters;
}

template <typename T>
std::vector<T> ArrayOf(element want, std::string_view key) {
  std::vector<T> values;
  if (!Has(want, key)) return values;
  for (const element value : simdjson::dom::array(want[key]))
    values.push_back(
        T(std::conditional_t<std::is_same_v<T, double>, double, std::string_view>(value)));
  return values;
}

std::vector<std::string> TextsOf(const std::vector<FunctionSpec>& functions) {
  std::vector<std::string> texts;
  for (const FunctionSpec& function : functions)
    texts.push_back(FunctionText(function));
  return texts;
}

// An absent field has its default.
void ExpectParsed(const SubQuery& got, element want) {
  EXPECT_EQ(TextsOf(got.functions), ArrayOf<std::string>(want, "functions"));
  EXPECT_EQ(AggregatorName(got.aggregator), TextOf(want, "aggregator"));
  EXPECT_EQ(got.metric, Has(want, "metric") ? TextOf(want, "metric") : "");
  EXPECT_EQ(got.tsuids, ArrayOf<std::string>(want, "tsuids"));
  EXPECT_EQ(got.filters, FiltersOf(want));
  EXPECT_EQ(got.explicit_tags, Has(want, "explicitTags"));
  EXPECT_EQ(got.percentiles, ArrayOf<double>(want, "percentiles"));
  EXPECT_EQ(got.show_histogram_buckets, Has(want, "showHistogramBuckets"));
  ASSERT_EQ(got.downsample.has_value(), Has(want, "downsample"));
  if (got.downsample.has_value()) ExpectDownsample(*got.downsample, want["downsample"]);
  ASSERT_EQ(got.rate.has_value(), Has(want, "rate"));
  if (got.rate.has_value()) ExpectRate(*got.rate, want["rate"]);
}

using Parser = absl::StatusOr<SubQuery> (*)(std::string_view text);

// Runs the vectors of an area, whose text is in the field `name`; returns their number.
int RunArea(std::string_view area, std::string_view name, Parser parse) {
  int run = 0;
  for (const TestVector& vector : LoadVectors(std::string(kFile), area)) {
    const std::string text = TextOf(vector.given, name);
    SCOPED_TRACE(text);
    const absl::StatusOr<SubQuery> query = parse(text);
    ++run;
    if (vector.wants_error()) {
      EXPECT_THAT(query, StatusIs(absl::StatusCode::kInvalidArgument,
                                  HasSubstr(TextOf(vector.expect, "error"))));
      continue;
    }
    EXPECT_OK(query);
    if (query.ok()) ExpectParsed(*query, vector.expect);
  }
  return run;
}

TEST(QueryLanguageTest, AcceptedTextsHaveTheirForm) {
  EXPECT_EQ(RunArea("accepted", "m", &ParseSubQueryText), 133);
}

TEST(QueryLanguageTest, RefusedTextsHaveTheirError) {
  EXPECT_EQ(RunArea("refused", "m", &ParseSubQueryText), 88);
}

TEST(QueryLanguageTest, TsuidsHaveTheirForm) {
  EXPECT_EQ(RunArea("tsuid accepted", "tsuid", &ParseTsuidQueryText), 6);
  EXPECT_EQ(RunArea("tsuid refused", "tsuid", &ParseTsuidQueryText), 7);
}

}  // namespace
}  // namespace hourcell::query_language_test
