#include "server/inputs/otlp/otlp_series.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "server/inputs/otlp/otlp_protobuf.h"
#include "tests/server/inputs/otlp/otlp_messages.h"
#include "tests/support/tag_words.h"

namespace hourcell::otlp_series_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The points of a batch that nobody hands on, each as "metric tags value".
class OtlpSeriesTest : public testing::Test {
 protected:
  std::vector<std::string> Points() {
    std::vector<std::string> points;
    for (const LinePoint& point : out_.batch()->points()) {
      points.push_back(fmt::format("{} {} {}{}", point.metric, TagWords(point.tags),
                                   point.value.ToDouble(), point.value.is_integer() ? "i" : ""));
    }
    return points;
  }
  OtlpSeries& series() { return series_; }
  std::string Faults() { return out_.FaultText("data point"); }

  static OtlpPoint Point(double value) {
    OtlpPoint point;
    point.time_ns = 1'356'998'400'000'000'000;
    point.value = Value::Float(value);
    return point;
  }

  InputSettings settings_{.default_tag = "\1host\1unknown",
                          .influx_separator = "_",
                          .otlp_resource_attributes = {"service.name", "shard"}};

 private:
  const NameRule names_{NameEncoding::kUtf8, ""};
  InputWriter out_{nullptr, true};
  NewMetadata metadata_{nullptr, &names_};
  OtlpSeries series_{&names_, &settings_, &out_, &metadata_};
};

TEST_F(OtlpSeriesTest, EachKindHasItsSeries) {
  ASSERT_TRUE(ReadOtlpProtobuf(OtlpSampleProtobuf(), &series()).ok());

  EXPECT_THAT(Points(),
              ElementsAre("temperature service.name=shop shard=-7 21.5",
                          "requests service.name=shop shard=-7 method=GET 42i",
                          "latency_bucket service.name=shop shard=-7 method=GET le=0.5 1i",
                          "latency_bucket service.name=shop shard=-7 method=GET le=10 3i",
                          "latency_bucket service.name=shop shard=-7 method=GET le=_Inf 6i",
                          "latency_sum service.name=shop shard=-7 method=GET 12.5",
                          "latency_count service.name=shop shard=-7 method=GET 6i",
                          "size_bucket service.name=shop shard=-7 method=GET le=-1 1i",
                          "size_bucket service.name=shop shard=-7 method=GET le=0 3i",
                          "size_bucket service.name=shop shard=-7 method=GET le=1 4i",
                          "size_bucket service.name=shop shard=-7 method=GET le=2 6i",
                          "size_bucket service.name=shop shard=-7 method=GET le=4 9i",
                          "size_bucket service.name=shop shard=-7 method=GET le=_Inf 9i",
                          "size_sum service.name=shop shard=-7 method=GET 100",
                          "size_count service.name=shop shard=-7 method=GET 9i",
                          "rpc service.name=shop shard=-7 quantile=0.99 1.25",
                          "rpc_sum service.name=shop shard=-7 2.5",
                          "rpc_count service.name=shop shard=-7 5i"));
  EXPECT_EQ(series().dropped().no_value, 1U);
  EXPECT_EQ(series().dropped().attributes, 1U);
  EXPECT_EQ(series().dropped().exemplars, 1U);
}

TEST_F(OtlpSeriesTest, AnAttributeOfADataPointOutweighsItsResources) {
  OtlpAttributes resource;
  resource.Add("service.name", "shop");
  resource.Add("host.id", "not asked for");
  series().TakeResource(resource);
  OtlpPoint point = Point(1);
  point.attributes.Add("service.name", "cart");
  series().TakePoint({.name = "m"}, point);
  series().TakeResource({});
  series().TakePoint({.name = "m"}, Point(2));

  EXPECT_THAT(Points(), ElementsAre("m service.name=cart 1", "m host=unknown 2"));
}

TEST_F(OtlpSeriesTest, WhatIsNotFiniteIsDropped) {
  series().TakePoint({.name = "m"}, Point(INFINITY));
  EXPECT_THAT(Points(), ElementsAre());
  EXPECT_EQ(series().dropped().not_finite, 1U);
}

TEST_F(OtlpSeriesTest, ADataPointOfWhichOneSeriesIsTooMuchIsRefusedWhole) {
  using Kind = OtlpMetric::Kind;
  settings_.tags_max = 2;
  OtlpPoint plain = Point(1);
  plain.bounds = {1};
  plain.counts = {1, 2};
  plain.count = 3;
  plain.sum = 2;
  plain.quantiles = {{.quantile = 0.5, .value = 1}};
  OtlpPoint many = plain;
  many.attributes.Add("a", "1");
  many.attributes.Add("b", "2");
  OtlpPoint of_le = plain;
  of_le.attributes.Add("le", "1");
  OtlpPoint of_quantile = plain;
  of_quantile.attributes.Add("quantile", "1");
  const std::string longest(kNameBytesMax, 'n');
  for (const Kind kind : {Kind::kHistogram, Kind::kExponentialHistogram, Kind::kSummary}) {
    series().TakePoint({.name = "m", .kind = kind, .temporality = 2}, many);
    series().TakePoint({.name = longest, .kind = kind, .temporality = 2}, plain);
  }
  series().TakePoint({.name = "m", .kind = Kind::kHistogram, .temporality = 2}, of_le);
  series().TakePoint({.name = "m", .kind = Kind::kSummary}, of_quantile);

  EXPECT_THAT(Points(), ElementsAre());
  EXPECT_THAT(Faults(), HasSubstr("data point 1: metric \"m\": expected at most 2, got 3 tags with "
                                  "le (tsd.storage.max_tags)\n"));
  EXPECT_THAT(Faults(),
              HasSubstr("expected at most 1024 bytes of a name, got 1031 with _bucket\n"));
  EXPECT_THAT(Faults(), HasSubstr("data point 7: metric \"m\": expected none, as its series have "
                                  "that tag, got an attribute le"));
  EXPECT_THAT(Faults(), HasSubstr("8 data points refused"));

  many.quantiles.clear();
  series().TakePoint({.name = "s", .kind = Kind::kSummary}, many);
  EXPECT_THAT(Points(), ElementsAre("s_sum a=1 b=2 2", "s_count a=1 b=2 3i"));
}

// Each bucket has all tags: 40 KB of a body would be 120 MB of names.
TEST_F(OtlpSeriesTest, ADataPointWhoseBucketsRepeatTooManyTagsIsRefused) {
  const OtlpMetric histogram{.name = "m", .kind = OtlpMetric::Kind::kHistogram, .temporality = 2};
  OtlpPoint point = Point(1);
  const std::string value(1'000, 'v');
  for (const std::string_view key : {"a", "b", "c", "d", "e"})
    point.attributes.Add(key, value);
  point.counts.assign(kOtlpBucketsMax / 4, 1);
  for (size_t i = 1; i < point.counts.size(); ++i)
    point.bounds.push_back(static_cast<double>(i));
  EXPECT_TRUE(series().TakePoint(histogram, point)) << "5 MB";
  EXPECT_THAT(Points(), testing::IsEmpty());
  EXPECT_THAT(Faults(), HasSubstr("1024 buckets with tags of 50"));

  point.counts.resize(100);
  point.bounds.resize(99);
  EXPECT_TRUE(series().TakePoint(histogram, point));

  EXPECT_THAT(Points(), testing::SizeIs(101));
}

TEST_F(OtlpSeriesTest, WhatIsWrongIsSaid) {
  OtlpPoint without_time = Point(1);
  without_time.time_ns = 0;
  OtlpPoint without_value = Point(1);
  without_value.value.reset();
  OtlpPoint with_attribute = Point(1);
  with_attribute.attributes.Add("", "x");
  OtlpPoint large = Point(1);
  large.too_many_buckets = true;
  series().TakePoint({.name = ""}, Point(1));
  series().TakePoint({.name = "m", .kind = OtlpMetric::Kind::kSum}, Point(1));
  series().TakePoint({.name = "m"}, without_time);
  series().TakePoint({.name = "m"}, without_value);
  series().TakePoint({.name = "m"}, with_attribute);
  series().TakePoint({.name = "m"}, large);

  EXPECT_THAT(Points(), ElementsAre());
  EXPECT_EQ(Faults(),
            "data point 1: expected a name, got a metric without a name\ndata point 2: metric "
            "\"m\": expected AGGREGATION_TEMPORALITY_DELTA (1) or "
            "AGGREGATION_TEMPORALITY_CUMULATIVE (2), got aggregationTemporality 0\ndata point 3: "
            "metric \"m\": expected 1 ms to 4294967295999 ms after 1970, got the time 0 ns\ndata "
            "point 4: expected one, got a data point without a value\ndata point 5: expected a "
            "key, got an attribute without a key\ndata point 6: metric \"m\": expected at most "
            "4096 buckets, got more\n6 data points refused, 0 points refused, 0 points written");
}

TEST_F(OtlpSeriesTest, AResourceOfTooManyAttributesIsRefusedWithItsPoints) {
  OtlpAttributes resource;
  for (size_t i = 0; i <= kOtlpAttributesMax; ++i)
    resource.Add("a", "b");
  series().TakeResource(resource);
  series().TakePoint({.name = "m"}, Point(1));
  EXPECT_THAT(Faults(), HasSubstr("expected at most 256 attributes, got more"));
}

}  // namespace
}  // namespace hourcell::otlp_series_test
