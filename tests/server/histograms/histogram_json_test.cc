#include "server/histograms/histogram_json.h"

#include <string>

#include <gmock/gmock.h>

#include "codec/base/bytes.h"
#include "tests/codec/histograms/histogram_vectors.h"
#include "tests/support/status_matchers.h"

namespace hourcell::histogram_json_test {
namespace {

using testing::HasSubstr;

constexpr HistogramCodecs kCodecs{.simple = 42};

TEST(HistogramJsonTest, VectorsOfHttp) {
  int run = 0;
  for (const TestVector& vector : VectorsOfKind("histogram-codec", "http")) {
    SCOPED_TRACE(vector.from);
    const auto body =
        ParseHistogramBody(kCodecs, simdjson::to_string(vector.given["body"].value()));
    ASSERT_OK(body);
    ++run;
    EXPECT_EQ(body->faults.empty(), IntOf(vector.expect, "status") == 204);
    if (!Has(vector.expect, "cells")) continue;
    ASSERT_EQ(body->good.size(), 1);
    std::string cell(1, static_cast<char>(*kCodecs.simple));
    AppendSimpleHistogram(std::get<SimpleHistogram>(body->good[0].histogram), &cell);
    const auto cells = ElementsOf(vector.expect["cells"]);
    const auto fields = ElementsOf(cells.at(0));
    EXPECT_EQ(ToHex(cell), std::string(fields.at(1).get_string().value()));
  }
  EXPECT_EQ(run, 3);
}

TEST(HistogramJsonTest, FaultsHaveTheWordsOfOpenTsdb) {
  const auto fault = [](std::string_view fields) {
    const std::string head = R"({"metric":"m","timestamp":1,"tags":{"a":"b"},)";
    return ParseHistogramBody(kCodecs, head + std::string(fields) + "}")
        .value()
        .faults.at(0)
        .error.text;
  };
  EXPECT_THAT(fault(R"("buckets":{})"), HasSubstr("cannot be null or empty"));
  EXPECT_THAT(fault(R"("value":"AAIA","id":256)"), HasSubstr("Must be from 0 to 255"));
  EXPECT_THAT(fault(R"("value":"AAIA","id":1)"), HasSubstr("mapped to ID 1"));
  EXPECT_THAT(fault(R"("buckets":{"1":2})"), HasSubstr("Improperly formatted bucket: 1"));
  EXPECT_THAT(ParseHistogramBody(kCodecs, "[]"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("No datapoints")));
}

}  // namespace
}  // namespace hourcell::histogram_json_test
