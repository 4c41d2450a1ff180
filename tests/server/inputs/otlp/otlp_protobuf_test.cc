#include "server/inputs/otlp/otlp_protobuf.h"

#include <string>

#include <gmock/gmock.h>
#include <protozero/pbf_writer.hpp>

#include "tests/server/inputs/otlp/otlp_messages.h"

namespace hourcell::otlp_protobuf_test {
namespace {

using protozero::pbf_writer;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

TEST(OtlpProtobufTest, EachKindIsReadAndFieldsMayComeInAnyOrder) {
  EXPECT_THAT(OtlpLines(&ReadOtlpProtobuf, OtlpSampleProtobuf()),
              ElementsAreArray(OtlpSampleLines()));
}

// The bytes of a gauge as another writer makes them, field by field.
TEST(OtlpProtobufTest, TheBytesOfAGauge) {
  const std::string_view bytes(
      "\x0a\x21"                              // resource_metrics
      "\x12\x1f"                              // scope_metrics
      "\x12\x1d"                              // metrics
      "\x0a\x01m"                             // name
      "\x2a\x18"                              // gauge
      "\x0a\x16"                              // data_points
      "\x19\x00\x00\x00\x00\x01\x00\x00\x00"  // time_unix_nano: 2^32
      "\x21\x00\x00\x00\x00\x00\x00\xf8\x3f"  // as_double: 1.5
      "\x40\x02\x48\x00",                     // flags: a bit that means nothing; an unknown field
      35);
  EXPECT_THAT(OtlpLines(&ReadOtlpProtobuf, bytes),
              ElementsAre("resource", "m gauge 0 @4294967296 value=1.5"));
}

TEST(OtlpProtobufTest, AMessageThatIsCutIsNone) {
  const std::string message = OtlpSampleProtobuf();
  for (size_t size = 1; size < message.size(); ++size) {
    SCOPED_TRACE(size);
    EXPECT_THAT(OtlpLines(&ReadOtlpProtobuf, message.substr(0, size)).back(),
                HasSubstr("expected a whole protobuf message"));
  }
}

TEST(OtlpProtobufTest, FieldsOfAnotherTypeAreSkipped) {
  std::string bytes;
  pbf_writer request(bytes);
  request.add_uint32(1, 7);    // resource_metrics are no number
  request.add_string(9, "x");  // unknown
  EXPECT_THAT(OtlpLines(&ReadOtlpProtobuf, bytes), ElementsAre());
}

TEST(OtlpProtobufTest, NumbersMayComeOneByOneAndHaveABound) {
  std::string bytes;
  {
    pbf_writer request(bytes);
    pbf_writer resource(request, 1);
    pbf_writer scope(resource, 2);
    pbf_writer metric(scope, 2);
    pbf_writer data(metric, 9);
    pbf_writer point(data, 1);
    for (size_t i = 0; i <= kOtlpBucketsMax; ++i)
      point.add_fixed64(6, i);
    point.add_double(7, 2.5);
  }
  class Sink : public OtlpSink {
   public:
    void TakeResource(const OtlpAttributes& /*attributes*/) override {}
    bool TakePoint(const OtlpMetric& /*metric*/, const OtlpPoint& point) override {
      EXPECT_EQ(point.counts.size(), kOtlpBucketsMax);
      EXPECT_TRUE(point.too_many_buckets);
      EXPECT_THAT(point.bounds, ElementsAre(2.5));
      ++points;
      return false;
    }
    int points = 0;
  } sink;
  EXPECT_TRUE(ReadOtlpProtobuf(bytes + bytes, &sink).ok());
  EXPECT_EQ(sink.points, 1) << "no more was wanted";
}

}  // namespace
}  // namespace hourcell::otlp_protobuf_test
