#include "engine/query/stages/downsampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "codec/value.h"
#include "engine/query/query_time.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::downsampler_test {
namespace {

using simdjson::dom::element;
using testing::HasSubstr;

DownsampleSpec Spec(std::string_view text) {
  const auto spec = ParseDownsampleSpec(text);
  EXPECT_OK(spec);
  return spec.ok() ? *spec : DownsampleSpec{.interval_ms = 1};
}

Span SpanOf(element points_ms) {
  Span span;
  for (const element point : simdjson::dom::array(points_ms)) {
    const element number = point.at(1);
    span.push_back(int64_t(point.at(0)), number.is_int64() ? Value::Integer(int64_t(number))
                                                           : Value::Float(double(number)));
  }
  return span;
}

void ExpectBuckets(const Span& span, element want) {
  ASSERT_EQ(span.size(), simdjson::dom::array(want).size());
  for (size_t i = 0; i < span.size(); ++i) {
    const element bucket = want.at(i);
    EXPECT_EQ(span.t[i], int64_t(bucket.at(0)));
    ASSERT_FALSE(span.value(i).is_integer());
    if (bucket.at(1).is_string()) {
      EXPECT_TRUE(std::isnan(span.ToDouble(i)));
    } else {
      EXPECT_EQ(span.ToDouble(i), double(bucket.at(1)));
    }
  }
}

Span Integers(std::initializer_list<std::pair<int64_t, int64_t>> points) {
  Span span;
  for (const auto& [ms, value] : points)
    span.push_back(ms, Value::Integer(value));
  return span;
}

TEST(DownsamplerTest, OpenTsdbVectorsOfOneSeries) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "downsample")) {
    if (!Has(vector.given, "unit")) continue;
    SCOPED_TRACE(vector.from);
    QueryRange range;
    range.scan = {.begin_s = 0, .end_s = uint64_t{1} << 32};
    if (Has(vector.given, "query_start_ms")) {
      range.start_ms = IntOf(vector.given, "query_start_ms");
      range.end_ms = IntOf(vector.given, "query_end_ms");
    }

    const Span buckets =
        Downsample(SpanOf(vector.given["points_ms"]), Spec(TextOf(vector.given, "spec")), range);

    ExpectBuckets(buckets, vector.expect["out"]);
    ++run;
  }
  EXPECT_EQ(run, 7);
}

// The windows that the words of a fill vector's `unit` give.
struct Window {
  std::string_view spec;
  int64_t begin_ms;
  int64_t end_ms;
};
Window WindowOf(std::string_view unit) {
  if (unit.find("same, spec 100ms-sum-zero") == 0) return {"100ms-sum-zero", 500, 1400};
  if (unit.find("[500,1400)") != unit.npos) return {"100ms-sum-nan", 500, 1400};
  if (unit.find("[1000,1300)") != unit.npos) return {"100ms-sum-nan", 1000, 1300};
  // "bounds are aligned down to the minute"
  return {"1m-sum-nan", 1425335880000, 1425336015000};
}

TEST(DownsamplerTest, OpenTsdbVectorsOfFilling) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "fill")) {
    if (!Has(vector.given, "unit")) continue;
    SCOPED_TRACE(vector.from);
    const Window window = WindowOf(TextOf(vector.given, "unit"));

    const Span buckets = DownsampleBetween(SpanOf(vector.given["points_ms"]), Spec(window.spec),
                                           window.begin_ms, window.end_ms);

    ExpectBuckets(buckets, vector.expect["out"]);
    ++run;
  }
  EXPECT_EQ(run, 6);
}

TEST(DownsamplerTest, SkipsAPartialFirstBucket) {
  const Span span = Integers({{3'600'000, 1}, {5'400'000, 2}, {5'500'000, 4}});

  const Span buckets = DownsampleBetween(span, Spec("45m-sum"), 3'600'000, 7'200'000);

  ASSERT_EQ(buckets.size(), 1U);
  EXPECT_EQ(buckets.t[0], 5'400'000);
  EXPECT_EQ(buckets.ToDouble(0), 6.0);
}

TEST(DownsamplerTest, AverageOfIntegersIsExact) {
  const Span buckets = DownsampleBetween(Integers({{0, 1}, {1, 2}}), Spec("1s-avg"), 0, 1000);

  ASSERT_EQ(buckets.size(), 1U);
  EXPECT_EQ(buckets.ToDouble(0), 1.5);
}

TEST(DownsamplerTest, FillsASeriesWithoutPoints) {
  const Span buckets = DownsampleBetween(Span{}, Spec("1s-sum-zero"), 0, 2000);

  EXPECT_EQ(buckets.t, (std::vector<int64_t>{0, 1000}));
  EXPECT_EQ(buckets.ToDouble(1), 0.0);
}

TEST(DownsamplerTest, AllExcludesTheEnd) {
  const QueryRange range{.start_ms = 500, .end_ms = 2000, .scan = {.begin_s = 0, .end_s = 3600}};

  const Span bucket =
      Downsample(Integers({{0, 1}, {500, 2}, {1999, 4}, {2000, 8}}), Spec("0all-sum"), range);

  ASSERT_EQ(bucket.size(), 1U);
  EXPECT_EQ(bucket.t[0], 500);
  EXPECT_EQ(bucket.ToDouble(0), 6.0);
}

// Milliseconds of a day of January 2013 in Berlin (UTC+1).
constexpr int64_t kBerlinStartMs = 1'356'994'800'000;
constexpr int64_t kDayMs = 86'400'000;

DownsampleSpec InBerlin(std::string_view text) {
  DownsampleSpec spec = Spec(text);
  spec.timezone = ParseTimezone("Europe/Berlin").value();
  return spec;
}

QueryRange RangeOf(int64_t start_ms, int64_t end_ms, const DownsampleSpec& spec) {
  return {.start_ms = start_ms,
          .end_ms = end_ms,
          .scan = ComputeScanBounds(kHourSpan, start_ms, end_ms, spec)};
}

TEST(DownsamplerTest, CalendarBucketsAreLocalDays) {
  const DownsampleSpec spec = InBerlin("1dc-sum");
  const Span span = Integers({{kBerlinStartMs - 1, 1},
                              {kBerlinStartMs, 2},
                              {kBerlinStartMs + kDayMs - 1, 4},
                              {kBerlinStartMs + kDayMs, 8}});

  const Span buckets =
      Downsample(span, spec, RangeOf(kBerlinStartMs + 5, kBerlinStartMs + kDayMs + 5, spec));

  // Points before the day of the start are ignored.
  EXPECT_EQ(buckets.t, (std::vector<int64_t>{kBerlinStartMs, kBerlinStartMs + kDayMs}));
  EXPECT_EQ(buckets.ToDouble(0), 6.0);
  EXPECT_EQ(buckets.ToDouble(1), 8.0);
}

TEST(DownsamplerTest, CalendarFillsUpToTheBucketOfTheEnd) {
  const DownsampleSpec spec = InBerlin("1dc-sum-zero");
  const Span span = Integers({{kBerlinStartMs + kDayMs, 8}, {kBerlinStartMs + 3 * kDayMs, 9}});

  const Span buckets =
      Downsample(span, spec, RangeOf(kBerlinStartMs, kBerlinStartMs + 2 * kDayMs, spec));

  ASSERT_EQ(buckets.t, (std::vector<int64_t>{kBerlinStartMs, kBerlinStartMs + kDayMs,
                                             kBerlinStartMs + 2 * kDayMs}));
  EXPECT_EQ(buckets.ToDouble(0), 0.0);
  EXPECT_EQ(buckets.ToDouble(1), 8.0);
  EXPECT_EQ(buckets.ToDouble(2), 0.0);
}

TEST(DownsamplerTest, ScalarFillsWithItsNumber) {
  const Span buckets =
      DownsampleBetween(Integers({{1000, 5}}), Spec("1s-max-scalar(-2.5)"), 0, 3000);

  ASSERT_EQ(buckets.t, (std::vector<int64_t>{0, 1000, 2000}));
  EXPECT_EQ(buckets.ToDouble(0), -2.5);
  EXPECT_EQ(buckets.ToDouble(1), 5.0);
  EXPECT_EQ(buckets.ToDouble(2), -2.5);
}

TEST(DownsamplerTest, EveryAggregatorIsAFunction) {
  const Span span = Integers({{0, 4}, {100, 1}, {200, 3}});
  const auto of = [&](std::string_view function) {
    return DownsampleBetween(span, Spec("1s-" + std::string(function)), 0, 1000).ToDouble(0);
  };

  EXPECT_EQ(of("median"), 3.0);
  EXPECT_EQ(of("mult"), 12.0);
  EXPECT_EQ(of("diff"), -1.0);
  EXPECT_EQ(of("first"), 4.0);
  EXPECT_EQ(of("last"), 3.0);
  EXPECT_EQ(of("squareSum"), 26.0);
  EXPECT_EQ(of("pfsum"), 8.0);
  // Buckets are floating point, so all percentiles are at 0.75 * 4.
  EXPECT_EQ(of("p75"), 4.0);
  EXPECT_EQ(of("ep75r3"), 4.0);
  for (const std::string_view name : AggregatorNames()) {
    if (name != "none") {
      EXPECT_TRUE(std::isfinite(of(name))) << name;
    }
  }
}

TEST(DownsamplerTest, RefusesTooManyBucketsToFill) {
  const QueryRange year{.start_ms = 0,
                        .end_ms = 365LL * 86'400'000,
                        .scan = {.begin_s = 0, .end_s = 365ULL * 86'400}};

  EXPECT_OK(CheckBucketCount(Spec("1ms-sum"), year));
  EXPECT_OK(CheckBucketCount(Spec("0all-sum-nan"), year));
  EXPECT_OK(CheckBucketCount(Spec("10s-sum-nan"), year));
  EXPECT_THAT(CheckBucketCount(Spec("1s-sum-nan"), year),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("31536000 buckets")));
}

// Rows of an hour each, of integers, decimals or full doubles.
CellColumns RandomRow(Random* random) {
  CellColumns row;
  const uint64_t kind = random->Below(4);
  uint32_t offset_ms = static_cast<uint32_t>(random->Below(3600)) * 1000;
  for (uint64_t left = 1 + random->Below(40); left > 0 && offset_ms < 3'600'000; --left) {
    Value value = Value::Integer(static_cast<int64_t>(random->Below(2000)) - 1000);
    if (kind == 1 || (kind == 2 && random->Below(2) == 0)) {
      value = Value::Float(static_cast<double>(random->Below(100'000)) / 100 - 500);
    }
    if (kind == 3) value = Value::Float(random->Fraction() * 1e6 - 3e5);
    row.push_back({.offset_ms = offset_ms, .is_ms = false, .flags = ValueFlags(value)}, value);
    offset_ms += static_cast<uint32_t>(1 + random->Below(300)) * 1000;
  }
  return row;
}

TEST(SpanBuilderTest, SummariesGiveWhatPointsGive) {
  constexpr uint64_t kSeed = 1122;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  const char* const kSpecs[] = {"1h-sum",     "1h-avg",  "2h-max",         "1d-min",  "6h-count",
                                "0all-avg",   "3h-sum",  "2h-diff",        "1h-last", "2h-first",
                                "1d-avg-nan", "2hc-max", "5h-mimmax-zero", "90m-sum"};
  size_t by_summary = 0;
  for (int round = 0; round < 600; ++round) {
    const DownsampleSpec spec = Spec(kSpecs[random.Below(std::size(kSpecs))]);
    QueryRange range;
    range.start_ms = static_cast<int64_t>(random.Below(86'400'000));
    range.end_ms = range.start_ms + static_cast<int64_t>(random.Below(86'400'000));
    range.scan = ComputeScanBounds(kHourSpan, range.start_ms, range.end_ms, spec);
    const auto points = MakeSpanBuilder(spec, range);
    const auto summaries = MakeSpanBuilder(spec, range);
    for (uint64_t base_s = range.scan.begin_s; base_s < range.scan.end_s; base_s += 3600) {
      if (random.Below(4) == 0) continue;
      const auto base_ms = static_cast<int64_t>(base_s) * 1000;
      const CellColumns row = RandomRow(&random);
      points->AddRow(base_ms, row, 0, row.size());
      if (summaries->AddSummary(base_ms, Summarize(row).value())) {
        ++by_summary;
      } else {
        summaries->AddRow(base_ms, row, 0, row.size());
      }
    }
    EXPECT_EQ(summaries->Finish(), points->Finish()) << round;
  }
  EXPECT_GT(by_summary, 2000u);
}

TEST(SpanBuilderTest, RowsGiveWhatTheirSpanGives) {
  Random random(77);
  for (const char* text : {"1m-sum", "7s-p99", "1h-median", "90s-dev", "1mc-avg-null"}) {
    const DownsampleSpec spec = Spec(text);
    QueryRange range;
    range.start_ms = 1'000'000;
    range.end_ms = 50'000'000;
    range.scan = ComputeScanBounds(kHourSpan, range.start_ms, range.end_ms, spec);
    Span span;
    const auto rows = MakeSpanBuilder(spec, range);
    for (uint64_t base_s = range.scan.begin_s; base_s < range.scan.end_s; base_s += 3600) {
      const CellColumns row = RandomRow(&random);
      rows->AddRow(static_cast<int64_t>(base_s) * 1000, row, 0, row.size());
      for (size_t i = 0; i < row.size(); ++i)
        span.push_back(static_cast<int64_t>(base_s) * 1000 + row.offset_ms[i], row.value(i));
    }
    Span buckets = rows->Finish();
    if (rows->has_gaps()) buckets = MakeGapFiller(spec, range)->Fill(buckets);
    EXPECT_EQ(buckets.t, Downsample(span, spec, range).t) << text;
    const std::vector<int64_t> times = BucketTimes(spec, range, 1'000'000).value();
    EXPECT_TRUE(std::ranges::includes(times, buckets.t)) << text;
    EXPECT_EQ(BucketCount(spec, range, times.size()), times.size()) << text;
    EXPECT_EQ(BucketCount(spec, range, times.size() - 1), std::nullopt) << text;
  }
  EXPECT_FALSE(BucketTimes(Spec("1s-sum"), {.start_ms = 0, .end_ms = 0, .scan = {0, 7200}}, 7199));
  EXPECT_TRUE(BucketTimes(Spec("1s-sum"), {.start_ms = 0, .end_ms = 0, .scan = {0, 7200}}, 7200));
}

// An hour with a point each 20 s, of numbers in one to eight bytes, some near the limits.
CellColumns RowOfIntegers(size_t bytes, Random* random) {
  const int64_t limit = bytes == 8 ? INT64_MAX : (int64_t{1} << (8 * bytes - 1)) - 1;
  CellColumns row;
  for (uint32_t offset_ms = 0; offset_ms < 3'600'000; offset_ms += 20'000) {
    int64_t number = static_cast<int64_t>(random->Next() >> (64 - 8 * bytes));
    if (bytes < 8) number -= limit + 1;
    if (random->Below(4) == 0) number = random->Below(2) == 0 ? limit : -limit - 1;
    const Value value = Value::Integer(number);
    row.push_back({.offset_ms = offset_ms, .is_ms = false, .flags = ValueFlags(value)}, value);
  }
  return row;
}

// Rows are added by the kind of their values.
TEST(SpanBuilderTest, RowsOfIntegersGiveWhatTheirPointsGiveToTheLastBit) {
  constexpr uint64_t kSeed = 33;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  for (const std::string_view function : AggregatorNames()) {
    if (function == "none") continue;
    for (const std::string_view interval : {"1m", "7m", "2h", "0all"}) {
      const DownsampleSpec spec = Spec(fmt::format("{}-{}", interval, function));
      const QueryRange range{.start_ms = 0, .end_ms = 20 * 3'600'000, .scan = {0, 20 * 3600}};
      const auto rows = MakeSpanBuilder(spec, range);
      const auto points = MakeSpanBuilder(spec, range);
      for (int64_t base_ms = 0; base_ms < range.end_ms; base_ms += 3'600'000) {
        const CellColumns row = random.Below(4) == 0
                                    ? RandomRow(&random)
                                    : RowOfIntegers(size_t{1} << random.Below(4), &random);
        rows->AddRow(base_ms, row, 0, row.size());
        Span span;
        for (size_t i = 0; i < row.size(); ++i)
          span.push_back(base_ms + row.offset_ms[i], row.value(i));
        points->AddSpan(span);
      }
      EXPECT_EQ(rows->Finish(), points->Finish()) << interval << " " << function;
    }
  }
}

TEST(SpanBuilderTest, ASpanInItsPlaceIsTheSpan) {
  Random random(5);
  for (const char* text : {"1m-sum", "7s-p99", "0all-max", "30mc-avg", "1h-last"}) {
    const DownsampleSpec spec = Spec(text);
    for (uint32_t hours = 0; hours < 12; ++hours) {
      const QueryRange range{.start_ms = 0, .end_ms = 40'000'000, .scan = {0, 43'200}};
      const auto copied = MakeSpanBuilder(spec, range);
      const auto in_place = MakeSpanBuilder(spec, range);
      for (uint32_t hour = 0; hour < hours; ++hour) {
        const CellColumns row = RandomRow(&random);
        copied->AddRow(int64_t{hour} * 3'600'000, row, 0, row.size());
        in_place->AddRow(int64_t{hour} * 3'600'000, row, 0, row.size());
      }

      const BucketsView view = in_place->FinishInPlace();

      const Span span = copied->Finish();
      EXPECT_TRUE(std::ranges::equal(view.t, span.t)) << text << " " << hours;
      EXPECT_TRUE(std::ranges::equal(view.v, span.v)) << text << " " << hours;
      EXPECT_EQ(in_place->has_gaps(), copied->has_gaps());
    }
  }
}

// They share memory for their first buckets, and take other memory for more.
TEST(SpanBuilderTest, BuildersSideBySideGiveWhatEachGivesAlone) {
  constexpr uint64_t kSeed = 4711;
  SCOPED_TRACE(kSeed);
  constexpr size_t kBuilders = 40;
  Random random(kSeed);
  for (const char* text : {"1m-sum", "1h-avg", "7s-p99", "0all-max", "1hc-min", "1m-last-zero"}) {
    SCOPED_TRACE(text);
    const DownsampleSpec spec = Spec(text);
    QueryRange range{.start_ms = 0, .end_ms = 40'000'000, .scan = {}};
    range.scan = ComputeScanBounds(kHourSpan, range.start_ms, range.end_ms, spec);
    const auto row = MakeSpanBuilders(spec, range, kBuilders);
    std::vector<std::unique_ptr<SpanBuilder>> alone;
    while (alone.size() < kBuilders)
      alone.push_back(MakeSpanBuilder(spec, range));
    for (uint64_t base_s = range.scan.begin_s; base_s < range.scan.end_s; base_s += 3600) {
      for (size_t i = 0; i < kBuilders; ++i) {
        if (random.Below(kBuilders) < i) continue;  // the last ones have few points or none
        const CellColumns points = RandomRow(&random);
        const size_t first = random.Below(points.size());
        const size_t end = first + random.Below(points.size() - first + 1);
        const auto base_ms = static_cast<int64_t>(base_s) * 1000;
        (*row)[i].AddRow(base_ms, points, first, end);
        alone[i]->AddRow(base_ms, points, first, end);
        EXPECT_EQ((*row)[i].allocated_bytes(), alone[i]->allocated_bytes());
      }
    }
    Span span;  // reused, as its readers do
    for (size_t i = 0; i < kBuilders; ++i) {
      (*row)[i].FinishInto(&span);
      const Span expected = alone[i]->Finish();
      EXPECT_EQ(span.t, expected.t) << i;
      EXPECT_EQ(span.is_float, expected.is_float) << i;
      EXPECT_EQ(span.v, expected.v) << i;
      EXPECT_EQ((*row)[i].has_gaps(), alone[i]->has_gaps()) << i;
    }
  }
}

TEST(SpanBuilderTest, GapsAreLeftToTheFiller) {
  for (const char* text : {"1m-sum-zero", "90s-avg-nan", "1mc-max-scalar(7)", "1hc-sum-null"}) {
    const DownsampleSpec spec = Spec(text);
    QueryRange range{.start_ms = 3'600'000, .end_ms = 90'000'000, .scan = {}};
    range.scan = ComputeScanBounds(kHourSpan, range.start_ms, range.end_ms, spec);
    const auto builder = MakeSpanBuilder(spec, range);
    builder->AddSpan(Integers({{7'200'000, 1}, {7'200'001, 2}, {36'000'000, 4}}));

    const Span buckets = builder->Finish();

    EXPECT_TRUE(builder->has_gaps()) << text;
    EXPECT_EQ(buckets.size(), 2u) << text;
    const auto filler = MakeGapFiller(spec, range);
    const Span filled = filler->Fill(buckets);
    EXPECT_EQ(filled.size(), filler->buckets()) << text;
    EXPECT_GT(filled.size(), 20u) << text;
    EXPECT_EQ(filler->Fill(Span{}).t, filled.t) << text;
  }
}

TEST(SpanBuilderTest, AFullSpanHasNoGaps) {
  const DownsampleSpec spec = Spec("1s-sum-zero");
  const QueryRange range{.start_ms = 0, .end_ms = 3'599'999, .scan = {0, 3600}};
  const auto full = MakeSpanBuilder(spec, range);
  const auto without_last = MakeSpanBuilder(spec, range);
  for (int64_t second = 0; second < 3600; ++second) {
    full->AddSpan(Integers({{second * 1000, 1}}));
    if (second < 3599) without_last->AddSpan(Integers({{second * 1000, 1}}));
  }

  EXPECT_EQ(full->Finish().size(), 3600u);
  EXPECT_EQ(without_last->Finish().size(), 3599u);

  EXPECT_FALSE(full->has_gaps());
  EXPECT_TRUE(without_last->has_gaps());
  EXPECT_EQ(MakeGapFiller(spec, range)->buckets(), 3600u);
  EXPECT_EQ(MakeGapFiller(Spec("1s-sum"), range), nullptr);
}

}  // namespace
}  // namespace hourcell::downsampler_test
