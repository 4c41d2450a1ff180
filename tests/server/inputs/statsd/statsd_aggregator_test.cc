#include "server/inputs/statsd/statsd_aggregator.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tag_words.h"

namespace hourcell::statsd_aggregator_test {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;
using Added = StatsdAggregator::Added;

class StatsdAggregatorTest : public testing::Test {
 protected:
  Added Add(std::string_view text) { return AddTo(&aggregator_, text); }
  Added AddTo(StatsdAggregator* aggregator, std::string_view text) {
    StatsdLine line;
    EXPECT_EQ(ReadStatsdLine(text, &line), "");
    return aggregator->Add(line, "\1host\1unknown", now_ms_);
  }
  std::vector<std::string> Flush() { return FlushOf(&aggregator_); }
  std::vector<std::string> FlushOf(StatsdAggregator* aggregator) {
    std::vector<std::string> points;
    for (StatsdEnded& ended : aggregator->End(now_ms_)) {
      const StatsdSeries& series = *ended.series;
      VisitStatsdPoints(ended, settings_.percentiles, [&](std::string_view suffix, Value value) {
        points.push_back(fmt::format("{}{} {} {}{}", series.metric(), suffix,
                                     TagWords(series.tags()), value.ToDouble(),
                                     value.is_integer() ? "i" : ""));
      });
      ReleaseStatsd(&ended, &bytes_);
    }
    return points;
  }

  int64_t now_ms_ = 5'000'000;
  StatsdSettings settings_{
      .prefix = "",
      .percentiles = {{.percent = 50, .suffix = ".p50"}, {.percent = 90, .suffix = ".p90"}},
      .series_max = 4};
  const NameRule names_{NameEncoding::kLatin1, ""};
  StatsdBytes bytes_{0};
  StatsdAggregator aggregator_{&names_, &settings_, &bytes_};
};

TEST_F(StatsdAggregatorTest, CountersAreSumsOfTheInterval) {
  Add("a:1|c");
  Add("a:2:3|c");
  Add("a:1|c|@0.1");
  Add("b:0.5|c");
  EXPECT_THAT(Flush(), UnorderedElementsAre("a host=unknown 16i", "b host=unknown 0.5"));
  EXPECT_THAT(Flush(), IsEmpty());
  Add("a:-7|c");
  EXPECT_THAT(Flush(), UnorderedElementsAre("a host=unknown -7i"));
}

TEST_F(StatsdAggregatorTest, GaugesAreTheLastValueAndChange) {
  Add("g:5|g");
  Add("g:+2|g");
  Add("g:-10.5|g");
  EXPECT_THAT(Flush(), UnorderedElementsAre("g host=unknown -3.5"));
  EXPECT_THAT(Flush(), IsEmpty()) << "it had no sample";
  Add("g:+1|g");
  EXPECT_THAT(Flush(), UnorderedElementsAre("g host=unknown -2.5")) << "but is not forgotten";
  now_ms_ += kStatsdGaugeMs;
  EXPECT_THAT(Flush(), IsEmpty());
  Add("g:+1|g");
  EXPECT_THAT(Flush(), UnorderedElementsAre("g host=unknown 1i")) << "until it had none for long";
}

TEST_F(StatsdAggregatorTest, TimersHaveASummary) {
  for (int i = 10; i > 0; --i)
    Add(fmt::format("t:{}|ms", i * 10));
  EXPECT_THAT(Flush(), UnorderedElementsAre("t.count host=unknown 10i", "t.sum host=unknown 550i",
                                            "t.mean host=unknown 55i", "t.lower host=unknown 10i",
                                            "t.upper host=unknown 100i", "t.p50 host=unknown 50i",
                                            "t.p90 host=unknown 90i"));
  Add("t:3|h|@0.5");
  EXPECT_THAT(Flush(), UnorderedElementsAre("t.count host=unknown 2i", "t.sum host=unknown 6i",
                                            "t.mean host=unknown 3i", "t.lower host=unknown 3i",
                                            "t.upper host=unknown 3i", "t.p50 host=unknown 3i",
                                            "t.p90 host=unknown 3i"))
      << "samples that were not sent count";
}

TEST_F(StatsdAggregatorTest, SetsCountDifferentWords) {
  Add("s:ann|s:bob|s");
  Add("s:ann|s");
  EXPECT_THAT(Flush(), UnorderedElementsAre("s host=unknown 2i"));
}

TEST_F(StatsdAggregatorTest, TagsInAnyOrderAreOneSeries) {
  settings_.prefix = "statsd.";
  Add("a b:1|c|#z:1,host:web 01");
  Add("a b:1|c|#host:web 01,z:1");
  Add("a b,z=1:1|c|#host:web 01");
  EXPECT_THAT(Flush(), UnorderedElementsAre("statsd.a_b host=web_01 z=1 3i"));
}

TEST_F(StatsdAggregatorTest, SamplesOfALineHaveTheirOwnTypesAndRates) {
  Add("a:10|ms|@0.5:4|c|@0.25:30|ms");
  EXPECT_THAT(Flush(), UnorderedElementsAre("a.count host=unknown 3i", "a.sum host=unknown 50i",
                                            "a.mean host=unknown 16.666666666666668",
                                            "a.lower host=unknown 10i", "a.upper host=unknown 30i",
                                            "a.p50 host=unknown 10i", "a.p90 host=unknown 30i",
                                            "a host=unknown 16i"))
      << "a timer and a counter are different metrics";
}

// Of two series that write the same metric the one that is held stays.
TEST_F(StatsdAggregatorTest, ASecondTypeOfAMetricIsRefused) {
  EXPECT_EQ(Add("x:5|c"), Added::kAll);
  EXPECT_EQ(Add("x:100|g"), Added::kOtherType);
  EXPECT_EQ(aggregator_.other_type(), "a counter");
  EXPECT_EQ(Add("x:100|g|#host:a"), Added::kAll) << "other tags, another series";
  EXPECT_EQ(Add("x:w|s"), Added::kOtherType);
  EXPECT_THAT(Flush(), UnorderedElementsAre("x host=unknown 5i", "x host=a 100i"));

  EXPECT_EQ(Add("x:100|g"), Added::kAll) << "the counter is not held any more";
  EXPECT_THAT(Flush(), UnorderedElementsAre("x host=unknown 100i"));
  EXPECT_EQ(Add("x:5|c"), Added::kOtherType) << "but a gauge is";
  EXPECT_EQ(aggregator_.other_type(), "a gauge");
  now_ms_ += kStatsdGaugeMs;
  EXPECT_THAT(Flush(), IsEmpty());
  EXPECT_EQ(Add("x:5|c"), Added::kAll);
}

TEST_F(StatsdAggregatorTest, NamesOfATimerAreItsOwn) {
  EXPECT_EQ(Add("t.count:5|c"), Added::kAll);
  EXPECT_EQ(Add("t:1|ms"), Added::kOtherType);
  EXPECT_EQ(Add("u:1|ms"), Added::kAll);
  for (const char* const text : {"u.count:1|c", "u.mean:1|g", "u.upper:w|s", "u.p90:1|c"}) {
    EXPECT_EQ(Add(text), Added::kOtherType) << text;
    EXPECT_EQ(aggregator_.other_type(), "a timer");
  }
  EXPECT_EQ(Add("u.p95:1|c"), Added::kAll) << "no such percentile is written";
  EXPECT_EQ(Add("u.count:1|ms"), Added::kAll) << "its names are longer";
}

TEST_F(StatsdAggregatorTest, SeriesHaveABound) {
  for (const char* const text : {"a:1|c", "b:1|c", "c:1|c", "d:1|g"})
    EXPECT_EQ(Add(text), Added::kAll);
  EXPECT_EQ(Add("e:1|c"), Added::kNoSeries);
  EXPECT_EQ(Add("a:1|c"), Added::kAll) << "it is there";
  EXPECT_EQ(Add("x:1|c|#long:" + std::string(kStatsdSeriesBytesMax, 'x')), Added::kBadSeries);
  EXPECT_EQ(Flush().size(), 4U);
  EXPECT_EQ(Add("e:1|c"), Added::kAll) << "the gauge alone is held";
}

TEST_F(StatsdAggregatorTest, ValuesHaveABound) {
  StatsdAggregator aggregator(&names_, &settings_, &bytes_, /*values_max=*/3);
  EXPECT_EQ(AddTo(&aggregator, "t:1:2|ms"), Added::kAll);
  EXPECT_EQ(AddTo(&aggregator, "s:a|s:b|s"), Added::kSomeValues);
  EXPECT_EQ(AddTo(&aggregator, "s:a|s"), Added::kAll) << "it is there";
  EXPECT_EQ(AddTo(&aggregator, "t:9|ms"), Added::kSomeValues);
  EXPECT_THAT(FlushOf(&aggregator),
              UnorderedElementsAre("t.count host=unknown 3i", "t.sum host=unknown 12i",
                                   "t.mean host=unknown 4i", "t.lower host=unknown 1i",
                                   "t.upper host=unknown 9i", "t.p50 host=unknown 1i",
                                   "t.p90 host=unknown 2i", "s host=unknown 1i"));
  EXPECT_EQ(AddTo(&aggregator, "t:9|ms"), Added::kAll);
}

TEST_F(StatsdAggregatorTest, BytesHaveABound) {
  settings_.memory_bytes = 2 * (kStatsdSeriesCost + 50);
  EXPECT_EQ(Add("g:1|g"), Added::kAll);
  EXPECT_EQ(Add("t:1|ms"), Added::kAll);
  EXPECT_EQ(Add("c:1|c"), Added::kNoMemory);
  EXPECT_EQ(Add("t:2|ms"), Added::kAll);
  EXPECT_EQ(Add("t:6|ms"), Added::kNoMemory) << "it is in count, sum and bounds";
  EXPECT_LE(bytes_, settings_.memory_bytes);

  std::vector<StatsdEnded> ended = aggregator_.End(now_ms_);
  EXPECT_EQ(Add("c:1|c"), Added::kNoMemory) << "the interval is not written yet";
  for (StatsdEnded& one : ended)
    ReleaseStatsd(&one, &bytes_);
  EXPECT_EQ(bytes_, kStatsdSeriesCost + std::string("vg host=unknown").size()) << "the gauge";
  EXPECT_EQ(Add("c:1|c"), Added::kAll);
  Flush();
  now_ms_ += kStatsdGaugeMs;
  Flush();
  EXPECT_EQ(bytes_, 0U);
}

TEST_F(StatsdAggregatorTest, WhatIsNoNumberIsRefused) {
  for (const char* const text : {"a:x|c", "a:nan|g", "a:NaN|g", "a:Infinity|ms", "a:1e999|c"})
    EXPECT_EQ(Add(text), Added::kBadValue) << text;
  EXPECT_EQ(aggregator_.series(), 0U) << "a bad value holds no series of a type";
  EXPECT_THAT(Flush(), IsEmpty());
}

}  // namespace
}  // namespace hourcell::statsd_aggregator_test
