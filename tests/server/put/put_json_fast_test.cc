#include "server/put/put_json_fast.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "codec/text/point_text.h"
#include "server/put/put_json.h"

namespace hourcell::put_json_fast_test {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr size_t kTags = 3;

std::string Object(std::string_view metric, int64_t timestamp, std::string_view tags) {
  return fmt::format(R"({{"metric":"{}","timestamp":{},"value":1,"tags":{}}})", metric, timestamp,
                     tags);
}

bool Takes(const std::string& body) {
  PutJsonFast scan;
  return scan.Scan(body, kTags);
}

// A body of one object whose field has that text.
std::string With(std::string_view field, std::string_view text) {
  const auto text_of = [&](std::string_view name, std::string_view usual) {
    return name == field ? text : usual;
  };
  return fmt::format(R"([{{"metric":{},"timestamp":{},"value":{},"tags":{}}}])",
                     text_of("metric", "\"m\""), text_of("timestamp", "5"), text_of("value", "1"),
                     text_of("tags", R"({"a":"1"})"));
}

TEST(PutJsonFastTest, ScanReadsAnObject) {
  PutJsonFast scan;
  const std::string body =
      " {\"tags\" : {\"host\":\"web01\",\n\"a.key/of-more_than16\": \"a-value,longer.than.that\"},"
      "\"timestamp\":1356998400, \"value\":-4.5,\"metric\":\"cpu.user\"}\n";

  ASSERT_TRUE(scan.Scan(body, kTags));

  ASSERT_THAT(scan.points(), SizeIs(1));
  const LinePoint& point = scan.points()[0];
  EXPECT_EQ(point.metric, "cpu.user");
  EXPECT_EQ(point.timestamp, (Timestamp{.ms = 1'356'998'400'000, .is_ms = false}));
  EXPECT_EQ(point.value, Value::Float(-4.5));
  EXPECT_EQ(point.tags, "host=web01 a.key/of-more_than16=a-value,longer.than.that");
}

TEST(PutJsonFastTest, ScanReadsAnArrayInOrder) {
  PutJsonFast scan;
  const std::string body = "[" + Object("a", 1, R"({"h":"x"})") + " ,\n" +
                           Object("b", 1356998400123, R"({"h":"y"})") + "," +
                           Object("c", 3, R"({"h":"x"})") + "]";

  ASSERT_TRUE(scan.Scan(body, kTags));

  ASSERT_THAT(scan.points(), SizeIs(3));
  EXPECT_EQ(scan.points()[1].metric, "b");
  EXPECT_EQ(scan.points()[1].timestamp, (Timestamp{.ms = 1'356'998'400'123, .is_ms = true}));
  std::vector<std::string_view> tags;
  for (const LinePoint& point : scan.points())
    tags.push_back(point.tags);
  EXPECT_THAT(tags, ElementsAre("h=x", "h=y", "h=x"));
}

TEST(PutJsonFastTest, ScanTakesUsualFields) {
  const auto check = [](std::string_view field, std::initializer_list<std::string_view> texts) {
    for (const std::string_view text : texts)
      EXPECT_TRUE(Takes(With(field, text))) << field << " " << text;
  };
  check("metric", {"\"cpu.user\"", "\"a.metric.of.more.than.sixteen.bytes\""});
  check("timestamp", {"1", "4294967295", "4294967295999"});
  check("value", {"0", "-0", "42", "-4.25", "0.5", "1e3", "1.5E-3", "\"42\"", "\"007\"", "\"1.\"",
                  "9223372036854775807", "0.1234567890123456789"});
  check("tags", {R"({ "a" : "1" , "b" : "2" })", R"({"a":"1","b":"2","c":"3"})"});
}

TEST(PutJsonFastTest, ScanLeavesWhatIsWrongOrRare) {
  const auto check = [](std::string_view field, std::initializer_list<std::string_view> texts) {
    for (const std::string_view text : texts)
      EXPECT_FALSE(Takes(With(field, text))) << field << " " << text;
  };
  check("metric", {"\"\"", "\"a b\"", "\"a\\u0062\"", "\"caf\u00e9\"", "\"a\tb\"", "null", "1",
                   "\"open", "\"m\",\"metric\":\"n\""});
  check("timestamp", {"", "0", "-1", "01", "1.5", "1e9", "\"5\"", "null", "4294967296000",
                      "99999999999999999999999"});
  check("value", {"", "01", "-01", "1.", ".5", "+1", "1e", "1e999", "NaN", "true", "null", "\"\"",
                  "\"x\"", "\" 1\"", "\"0x10\"", "9223372036854775808", "1,\"value\":2", "1 2"});
  check("tags", {"{}", "null", "[]", R"({"a":1})", R"({"a":"1")", R"({"a":"1",})", R"({"a" "1"})",
                 R"({"":"1"})", R"({"a":""})", R"({"a=b":"1"})", R"({"a":"b=c"})", R"({"a":"b c"})",
                 R"({"a":"1","a":"1"})", R"({"a":"1","b":"2","a":"3"})", R"({"a":"\u0031"})",
                 R"({"a":"1","b":"2","c":"3","d":"4"})", R"({"a":"1"},"more":1)"});
}

TEST(PutJsonFastTest, ScanLeavesBodiesOfAnotherShape) {
  const std::string object = Object("m", 1, R"({"a":"1"})");
  for (const std::string& body :
       {std::string(), std::string(" "), std::string("[]"), std::string("{}"), "[" + object,
        "[" + object + ",]", "[" + object + "]]", object + object, "[[" + object + "]]",
        "[null," + object + "]", "[" + object + " " + object + "]", object + std::string(1, '\0'),
        "[" + object + "]" + std::string(1, '\0')}) {
    EXPECT_FALSE(Takes(body)) << body;
  }
}

TEST(PutJsonFastTest, ACutBodyIsNeverTaken) {
  const std::string body =
      "[" + Object("m", 1, R"({"a":"1"})") + "," + Object("m", 2, R"({"a":"1"})") + "]";
  ASSERT_TRUE(Takes(body));
  for (size_t size = 0; size < body.size(); ++size)
    EXPECT_FALSE(Takes(body.substr(0, size))) << size;
}

TEST(PutJsonFastTest, ScanBoundsThePoints) {
  const std::string object = "," + Object("m", 1, R"({"a":"1"})");
  std::string body = "[" + object.substr(1);
  body.reserve(object.size() * (kPutPointsMax + 1));
  for (size_t i = 1; i < kPutPointsMax; ++i)
    body += object;
  PutJsonFast scan;

  EXPECT_TRUE(scan.Scan(body + "]", kTags));
  EXPECT_THAT(scan.points(), SizeIs(kPutPointsMax));
  EXPECT_FALSE(scan.Scan(body + object + "]", kTags));
}

// Far more tags than are known at once, each many times: whatever is recognised is right.
TEST(PutJsonFastTest, TagsThatComeAgainAreRecognised) {
  constexpr size_t kPoints = 20'000;
  Random random(7);
  std::string body = "[";
  std::vector<std::string> want;
  for (size_t i = 0; i < kPoints; ++i) {
    // Hosts with common prefixes longer than the part that identifies a tag.
    const uint64_t host = random.Below(3) == 0 ? random.Below(20) : random.Below(5'000);
    const std::string name = host % 2 == 0
                                 ? fmt::format("h{}", host)
                                 : fmt::format("a-host-whose-name-is-a-long-one-{}", host);
    body += (i == 0 ? "" : ",") + Object("m", 1, fmt::format(R"({{"host":"{}"}})", name));
    want.push_back("host=" + name);
  }
  body += "]";
  PutJsonFast scan;

  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(scan.Scan(body, kTags));
    ASSERT_THAT(scan.points(), SizeIs(kPoints));
    for (size_t i = 0; i < kPoints; ++i)
      ASSERT_EQ(scan.points()[i].tags, want[i]) << i;
  }
}

// A random body of up to four objects, mostly usual ones; tags often repeat.
std::string RandomBody(uint64_t seed) {
  Random random(seed);
  const auto pick = [&random](std::initializer_list<const char*> texts) {
    return std::string_view(texts.begin()[random.Below(texts.size())]);
  };
  const auto blank = [&] { return pick({"", "", "", "", "", "", "", " ", "\n", "\t\r "}); };
  std::string body = "[";
  const uint64_t objects = 1 + random.Below(4);
  for (uint64_t object = 0; object < objects; ++object) {
    body += object == 0 ? "{" : ",{";
    body += fmt::format("\"metric\"{}:{}\"{}\"", blank(), blank(),
                        pick({"m", "cpu.user", "a.metric.of.more.than.sixteen.bytes", "m\x7f"}));
    body += fmt::format(",{}\"timestamp\":{}{}", blank(), blank(),
                        pick({"1356998400", "1356998400123", "7", "4294967296"}));
    body += fmt::format(",\"value\":{}{},\"tags\":{{", blank(),
                        pick({"1", "-42", "0.5", "1e3", "\"7\"", "\"1.25\"", "-0", "2.5E-7"}));
    const uint64_t tags = 1 + random.Below(3);
    for (uint64_t tag = 0; tag < tags; ++tag) {
      body += fmt::format("{}{}\"{}\"{}:\"{}\"", tag == 0 ? "" : ",", blank(),
                          pick({"host", "dc", "h", "tsoh", "rack", "a-key-of-more-than-sixteen"}),
                          blank(), pick({"a", "b", "0", "a_value_of_more_than_sixteen_bytes"}));
    }
    body += "}}";
  }
  body += "]";
  if (random.Below(3) == 0) body[random.Below(body.size())] = "\"{}[],:x1 =\\\n"[random.Below(13)];
  return body;
}

TEST(PutJsonFastTest, WhatItTakesPutJsonTakesAlike) {
  size_t taken = 0;
  size_t left = 0;
  PutJsonFast scan;
  for (uint64_t seed = 1; seed <= 50'000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const std::string body = RandomBody(seed);
    if (!scan.Scan(body, kTags)) {
      ++left;
      continue;
    }
    ++taken;
    PutJson json;
    ASSERT_FALSE(json.Parse(body, {.tags_max = kTags})) << body;
    ASSERT_THAT(json.errors(), SizeIs(0)) << body;
    ASSERT_EQ(json.points().size(), scan.points().size()) << body;
    for (size_t i = 0; i < json.points().size(); ++i) {
      const LinePoint& got = scan.points()[i];
      const PointView& want = json.points()[i];
      PointText text;
      ASSERT_FALSE(text.ParseSeries(got.metric, got.tags, {.tags_max = kTags})) << body;
      ASSERT_EQ(text.point().metric, want.metric) << body;
      ASSERT_TRUE(std::ranges::equal(text.point().tags, want.tags)) << body;
      ASSERT_EQ(got.timestamp, want.timestamp) << body;
      ASSERT_EQ(got.value, want.value) << body;
    }
  }
  EXPECT_GT(taken, 20'000U);
  EXPECT_GT(left, 5'000U);
}

}  // namespace
}  // namespace hourcell::put_json_fast_test
