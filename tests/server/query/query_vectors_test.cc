// The store-level vectors of tests/data/query.json, as HTTP requests on a real store: what
// tests/engine/query/query_vectors_test.cc runs through the stages alone, here with storage, names,
// grammar and printing.

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "tests/server/api_fixture.h"
#include "tests/support/query_store.h"
#include "tests/support/vectors.h"

namespace hourcell::query_vectors_test {
namespace {

using simdjson::dom::element;

struct RunCounts {
  int run = 0;
  int unit = 0;  // vectors of one stage, without a request
  friend bool operator==(const RunCounts&, const RunCounts&) = default;
};

std::ostream& operator<<(std::ostream& out, const RunCounts& counts) {
  return out << "run " << counts.run << ", unit " << counts.unit;
}

// A value as text: integers and floating point stay different.
std::string ValueText(element value) {
  return simdjson::to_string(value);
}

// `offset` is into the fields of `dps`; `want` has [time text, value] pairs.
void ExpectPoints(simdjson::dom::object dps, size_t offset, element want) {
  auto field = dps.begin();
  for (size_t i = 0; i < offset; ++i)
    ++field;
  for (const element pair : simdjson::dom::array(want)) {
    ASSERT_TRUE(field != dps.end());
    const element time = pair.at(0);
    EXPECT_EQ(field.key(),
              time.is_string() ? std::string(std::string_view(time)) : ValueText(time));
    EXPECT_EQ(ValueText(field.value()), ValueText(pair.at(1))) << field.key();
    ++field;
  }
}

void ExpectAllPoints(simdjson::dom::object dps, element want) {
  if (want.is_array()) {
    ASSERT_EQ(dps.size(), simdjson::dom::array(want).size());
    ExpectPoints(dps, 0, want);
    return;
  }
  EXPECT_EQ(dps.size(), simdjson::dom::object(want).size());
  for (const auto [time, value] : simdjson::dom::object(want)) {
    ASSERT_EQ(dps[time].error(), simdjson::SUCCESS) << time;
    EXPECT_EQ(ValueText(dps[time]), ValueText(value)) << time;
  }
}

// count, first, last, value_json_type, nan_count and sum_of_values.
void ExpectSummary(simdjson::dom::object dps, element want) {
  ASSERT_EQ(static_cast<int64_t>(dps.size()), IntOf(want, "count"));
  ExpectPoints(dps, 0, want["first"]);
  ExpectPoints(dps, dps.size() - simdjson::dom::array(want["last"]).size(), want["last"]);
  const bool wants_integers = TextOf(want, "value_json_type") == "integer";
  double sum = 0;
  int64_t nans = 0;
  for (const auto [time, value] : dps) {
    if (value.is_string() || value.is_null()) {
      ++nans;
      continue;
    }
    EXPECT_EQ(value.is_int64(), wants_integers) << time;
    sum += double(value);
  }
  EXPECT_EQ(nans, IntOf(want, "nan_count"));
  const double want_sum = double(want["sum_of_values"]);
  EXPECT_NEAR(sum, want_sum, 1e-9 * std::max(1.0, std::abs(want_sum)));
}

// Tags may come in any order.
void ExpectTags(element series, element want) {
  if (!Has(want, "tags")) return;
  EXPECT_EQ(simdjson::dom::object(series["tags"]).size(),
            simdjson::dom::object(want["tags"]).size());
  for (const auto [tagk, tagv] : simdjson::dom::object(want["tags"])) {
    EXPECT_EQ(TextOf(series["tags"], tagk), std::string(std::string_view(tagv)));
  }
  EXPECT_EQ(ValueText(series["aggregateTags"]), ValueText(want["aggregateTags"]));
}

void ExpectAnswer(const HttpResponse& response, element want) {
  EXPECT_EQ(response.status, IntOf(want, "status")) << response.body;
  if (Has(want, "body")) {
    EXPECT_EQ(response.body, TextOf(want, "body"));
    return;
  }
  simdjson::dom::parser parser;
  simdjson::dom::array got;
  ASSERT_FALSE(parser.parse(response.body).get(got)) << response.body;
  const simdjson::dom::array results(want["results"]);
  ASSERT_EQ(got.size(), results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    ExpectTags(got.at(i), results.at(i));
    const simdjson::dom::object dps(got.at(i)["dps"]);
    if (Has(results.at(i), "dps")) {
      ExpectAllPoints(dps, results.at(i)["dps"]);
    } else {
      ExpectSummary(dps, results.at(i));
    }
  }
}

// One store with the server on it.
class VectorStore : public ApiTest {
 public:
  void TestBody() override {}
  using ApiTest::Send;

  void Append(const std::vector<StoredSeries>& store) {
    for (const StoredSeries& series : store) {
      std::vector<TagView> tags;
      for (const auto& [tagk, tagv] : series.tags)
        tags.push_back({.key = tagk, .value = tagv});
      std::vector<PointView> points;
      for (const auto& [timestamp, value] : series.points) {
        points.push_back(
            {.metric = series.metric, .tags = tags, .timestamp = timestamp, .value = value});
      }
      std::vector<RefusedPoint> refused;
      ASSERT_OK(tsdb().points().Append(points, &refused).Wait());
      ASSERT_TRUE(refused.empty()) << refused[0].error.text;
    }
  }
};

std::unique_ptr<VectorStore> MakeServer(std::string_view description) {
  const auto store = MakeStore(description);
  EXPECT_TRUE(store.has_value()) << description;
  auto server = std::make_unique<VectorStore>();
  if (store.has_value()) server->Append(*store);
  return server;
}

RunCounts RunArea(std::string_view area) {
  RunCounts counts;
  std::map<std::string, std::unique_ptr<VectorStore>> servers;  // by the description of the store
  for (const TestVector& vector : LoadVectors("query.json", area)) {
    if (!Has(vector.given, "http")) {
      ++counts.unit;
      continue;
    }
    const std::string http = TextOf(vector.given, "http");
    SCOPED_TRACE(vector.from + "\n" + http);
    std::unique_ptr<VectorStore>& server = servers[TextOf(vector.given, "store")];
    if (server == nullptr) server = MakeServer(TextOf(vector.given, "store"));
    const HttpResponse response = server->Send(http);
    ExpectAnswer(response, vector.expect);
    ++counts.run;
  }
  return counts;
}

TEST(QueryVectorsTest, Aggregation) {
  EXPECT_EQ(RunArea("aggregation"), (RunCounts{.run = 33}));
}

TEST(QueryVectorsTest, Downsample) {
  EXPECT_EQ(RunArea("downsample"), (RunCounts{.run = 10, .unit = 7}));
}

TEST(QueryVectorsTest, Fill) {
  EXPECT_EQ(RunArea("fill"), (RunCounts{.run = 4, .unit = 6}));
}

TEST(QueryVectorsTest, Rate) {
  EXPECT_EQ(RunArea("rate"), (RunCounts{.run = 15}));
}

TEST(QueryVectorsTest, Interpolation) {
  EXPECT_EQ(RunArea("interpolation"), (RunCounts{.run = 3}));
}

TEST(QueryVectorsTest, GroupBy) {
  EXPECT_EQ(RunArea("group-by"), (RunCounts{.run = 6}));
}

TEST(QueryVectorsTest, ExplicitTags) {
  EXPECT_EQ(RunArea("explicit-tags"), (RunCounts{.run = 6}));
}

// The points of a calendar vector as a series m{host=a}.
std::vector<StoredSeries> CalendarStore(element points_ms) {
  StoredSeries series{.metric = "m", .tags = {{"host", "a"}}, .points = {}};
  for (const element point : simdjson::dom::array(points_ms)) {
    series.points.emplace_back(Timestamp{.ms = int64_t(point.at(0)), .is_ms = true},
                               Value::Integer(int64_t(point.at(1))));
  }
  return {series};
}

void ExpectCalendar(const HttpResponse& response, element dps_ms) {
  ASSERT_EQ(response.status, 200) << response.body;
  simdjson::dom::parser parser;
  simdjson::dom::array got;
  ASSERT_FALSE(parser.parse(response.body).get(got)) << response.body;
  ASSERT_EQ(got.size(), 1U) << response.body;
  EXPECT_EQ(ValueText(got.at(0)["dps"]), ValueText(dps_ms));
}

// Both spellings: useCalendar, and an interval that ends in c.
TEST(QueryVectorsTest, CalendarDownsample) {
  constexpr std::string_view kUse = "\"useCalendar\": true";
  int run = 0;
  for (const TestVector& vector : LoadVectors("query.json", "calendar-downsample")) {
    const std::string http = TextOf(vector.given, "http");
    SCOPED_TRACE(http);
    VectorStore server;
    server.Append(CalendarStore(vector.given["points_ms"]));
    std::string body = http.substr(http.find('{'));

    ExpectCalendar(server.Send("POST /api/query?arrays", body), vector.expect["dps_ms"]);

    ASSERT_NE(body.find(kUse), std::string::npos);
    body.replace(body.find(kUse), kUse.size(), "\"useCalendar\": false");
    body.insert(body.find("-sum\""), "c");
    ExpectCalendar(server.Send("POST /api/query?arrays", body), vector.expect["dps_ms"]);
    ++run;
  }
  EXPECT_EQ(run, 11);
}

}  // namespace
}  // namespace hourcell::query_vectors_test
