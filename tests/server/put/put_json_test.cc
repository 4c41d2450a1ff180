#include "server/put/put_json.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"

namespace hourcell::put_json_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr PutRules kRules;

// One object with the given text of its value.
std::string Body(std::string_view value) {
  return fmt::format(R"({{"metric":"m","timestamp":1365465600,"value":{},"tags":{{"host":"a"}}}})",
                     value);
}

// The text of the error of the one, bad, point of a body.
std::string PointError(const std::string& body, const PutRules& rules = kRules) {
  PutJson json;
  if (const auto error = json.Parse(body, rules)) return "body: " + error->message;
  if (json.errors().empty()) return "none";
  EXPECT_EQ(json.size(), 1U);
  return json.errors()[0].text;
}

std::string BodyError(const std::string& body) {
  PutJson json;
  const auto error = json.Parse(body, kRules);
  EXPECT_THAT(json.points(), IsEmpty());
  return error ? error->message : "none";
}

TEST(PutJsonTest, ParseReadsAnObject) {
  PutJson json;
  const std::string body =
      R"( {"metric":"cpu.user","timestamp":1356998400,"value":42,"tags":{"host":"a","dc":"b"}} )";

  ASSERT_FALSE(json.Parse(body, kRules));

  ASSERT_THAT(json.points(), SizeIs(1));
  const PointView& point = json.points()[0];
  EXPECT_EQ(point.metric, "cpu.user");
  EXPECT_EQ(point.timestamp, (Timestamp{.ms = 1'356'998'400'000, .is_ms = false}));
  EXPECT_EQ(point.value, Value::Integer(42));
  EXPECT_THAT(point.tags, ElementsAre(TagView{"host", "a"}, TagView{"dc", "b"}));
}

TEST(PutJsonTest, ParseReadsAnArrayInOrder) {
  PutJson json;

  ASSERT_FALSE(
      json.Parse("[" + Body("1") + " , null," + Body("\"x\"") + "," + Body("2.5") + "]", kRules));

  ASSERT_THAT(json.points(), SizeIs(2));
  EXPECT_EQ(json.points()[0].value, Value::Integer(1));
  EXPECT_EQ(json.points()[1].value, Value::Float(2.5));
  EXPECT_EQ(json.IndexOf(1), 3U);
  ASSERT_THAT(json.errors(), SizeIs(2));
  EXPECT_EQ(json.errors()[0].index, 1U);
  EXPECT_EQ(json.errors()[0].text, "Unexpected null datapoint encountered in set.");
  EXPECT_EQ(json.errors()[1].index, 2U);
}

TEST(PutJsonTest, ParseTakesNumbersAndTheirText) {
  const auto check = [](std::string_view text, Value want) {
    SCOPED_TRACE(text);
    PutJson json;
    ASSERT_FALSE(json.Parse(Body(text), kRules));
    ASSERT_THAT(json.points(), SizeIs(1));
    EXPECT_EQ(json.points()[0].value, want);
  };
  check("-42", Value::Integer(-42));
  check("9223372036854775807", Value::Integer(INT64_MAX));
  check("\"42\"", Value::Integer(42));
  check("42.0", Value::Float(42));
  check("42.22e-3", Value::Float(0.04222));
  check("1e3", Value::Float(1000));
  check("\"1.5\"", Value::Float(1.5));
}

TEST(PutJsonTest, ParseTellsSecondsFromMilliseconds) {
  const auto timestamp_of = [](std::string_view text) {
    PutJson json;
    const std::string body =
        fmt::format(R"({{"metric":"m","timestamp":{},"value":1,"tags":{{"host":"a"}}}})", text);
    EXPECT_FALSE(json.Parse(body, kRules));
    return json.points().empty() ? Timestamp{} : json.points()[0].timestamp;
  };

  EXPECT_EQ(timestamp_of("1356998400"), (Timestamp{.ms = 1'356'998'400'000, .is_ms = false}));
  EXPECT_EQ(timestamp_of("1356998400123"), (Timestamp{.ms = 1'356'998'400'123, .is_ms = true}));
  EXPECT_EQ(timestamp_of("\"1356998400\""), (Timestamp{.ms = 1'356'998'400'000, .is_ms = false}));
  EXPECT_EQ(timestamp_of("1356998400.5"), (Timestamp{.ms = 1'356'998'400'000, .is_ms = false}));
  EXPECT_EQ(timestamp_of(" 1.3569984e9 "), (Timestamp{.ms = 1'356'998'400'000, .is_ms = false}));
  EXPECT_EQ(timestamp_of("1356998400123.9"), (Timestamp{.ms = 1'356'998'400'123, .is_ms = true}));
  for (const char* const none : {"\"1356998400.5\"", "0.5", "-1356998400.5", "1e300", "1e13"})
    EXPECT_EQ(timestamp_of(none), Timestamp{}) << none;
}

TEST(PutJsonTest, ParseChecksInOpenTsdbsOrder) {
  EXPECT_EQ(PointError("{}"), "Metric name was empty");
  EXPECT_EQ(PointError(R"({"metric":""})"), "Metric name was empty");
  EXPECT_EQ(PointError(R"({"metric":"m"})"), "Invalid timestamp");
  EXPECT_EQ(PointError(R"({"metric":"m","timestamp":"yesterday"})"), "Invalid timestamp");
  EXPECT_EQ(PointError(R"({"metric":"m","timestamp":1})"), "Empty value");
  EXPECT_EQ(PointError(R"({"metric":"m","timestamp":1,"value":"x"})"), "Missing tags");
  EXPECT_EQ(PointError(R"({"metric":"m","timestamp":1,"value":"x","tags":{}})"), "Missing tags");
  EXPECT_EQ(PointError(Body("\"x\"")), "Unable to parse value to a number");
  EXPECT_EQ(PointError(Body("true")), "Unable to parse value to a number");
  EXPECT_EQ(PointError(Body("1e999")), "value is NaN or Infinite: 1e999");
}

TEST(PutJsonTest, ParseTakesBareNonNumbersAsBadPoints) {
  for (const std::string_view word : {"NaN", "Infinity", "-Infinity", "+INF"}) {
    EXPECT_EQ(PointError(Body(word)), "Unable to parse value to a number") << word;
  }
  for (const std::string_view word : {"Nan", "INF", "+inf", "tru", "1.2.3", "0x10"}) {
    EXPECT_EQ(BodyError(Body(word)), "Unable to parse the given JSON") << word;
  }
}

TEST(PutJsonTest, ParseRefusesBadBodiesAsAWhole) {
  EXPECT_EQ(BodyError(""), "Missing request content");
  EXPECT_EQ(BodyError("put m 1 1 a=b"), "The JSON must start as an object or an array");
  EXPECT_EQ(BodyError("  "), "The JSON must start as an object or an array");
  EXPECT_EQ(BodyError("[]"), "No datapoints found in content");
  const std::string unparsable = "Unable to parse the given JSON";
  EXPECT_EQ(BodyError("[" + Body("1") + "," + Body("1")), unparsable);
  EXPECT_EQ(BodyError("[" + Body("1") + "] x"), unparsable);
  EXPECT_EQ(BodyError(Body("1") + Body("1")), unparsable);
  EXPECT_EQ(BodyError("[" + Body("1") + ",42]"), unparsable);
  EXPECT_EQ(BodyError(R"({"metric":{}})"), unparsable);
  EXPECT_EQ(BodyError(R"({"tags":{"host":["a"]}})"), unparsable);
  EXPECT_EQ(BodyError(R"({"other":[1,bad]})"), unparsable);
  EXPECT_EQ(BodyError("{\"metric\":\"\xff\"}"), unparsable);
}

TEST(PutJsonTest, ParseKeepsTheLastOfRepeatedFields) {
  PutJson json;
  const std::string body = R"({"metric":"a","value":1,"tags":{"x":"1"},"timestamp":5,"metric":"b",
      "value":2,"tags":{"host":"a","host":"b"},"unknown":{"deep":[1,{"er":null}]}})";

  ASSERT_FALSE(json.Parse(body, kRules));

  ASSERT_THAT(json.points(), SizeIs(1));
  EXPECT_EQ(json.points()[0].metric, "b");
  EXPECT_EQ(json.points()[0].value, Value::Integer(2));
  EXPECT_THAT(json.points()[0].tags, ElementsAre(TagView{"host", "b"}));
}

TEST(PutJsonTest, ParseDecodesEscapes) {
  PutJson json;
  const std::string body =
      R"({"\u006detric":"a\/b","timestamp":5,"value":1,"tags":{"h\u00f6st":"\u00e9"}})";

  ASSERT_FALSE(json.Parse(body, kRules));

  ASSERT_THAT(json.points(), SizeIs(1));
  EXPECT_EQ(json.points()[0].metric, "a/b");
  EXPECT_THAT(json.points()[0].tags, ElementsAre(TagView{"h\u00f6st", "\u00e9"}));
}

TEST(PutJsonTest, ParseAddsTheExtraTagOverOneOfTheSameKey) {
  PutJson json;
  const PutRules rules{.extra_tag = TagView{"dc", "lga"}};

  const std::string body =
      R"([{"metric":"m","timestamp":5,"value":1,"tags":{"dc":"sjc","host":"a"}},
          {"metric":"m","timestamp":5,"value":1}])";

  ASSERT_FALSE(json.Parse(body, rules));

  ASSERT_THAT(json.points(), SizeIs(2));
  EXPECT_THAT(json.points()[0].tags, ElementsAre(TagView{"dc", "lga"}, TagView{"host", "a"}));
  EXPECT_THAT(json.points()[1].tags, ElementsAre(TagView{"dc", "lga"}));
}

TEST(PutJsonTest, ParseCountsTags) {
  const std::string two = R"({"metric":"m","timestamp":5,"value":1,"tags":{"a":"1","b":"2"}})";

  EXPECT_EQ(PointError(two, {.tags_max = 2}), "none");
  EXPECT_EQ(PointError(two, {.tags_max = 1}),
            "Too many tags: 2 maximum allowed: 1, tags: {a=1, b=2}");
}

TEST(PutJsonTest, ParseTakesThousandsOfRepeatedTagsInLinearTime) {
  std::string tags = "\"t0\":\"x\"";
  for (int i = 1; i < 200'000; ++i)
    tags += fmt::format(",\"t{}\":\"x\"", i);

  const std::string text =
      PointError(R"({"metric":"m","timestamp":5,"value":1,"tags":{)" + tags + "}}");

  EXPECT_THAT(text.substr(0, 50), HasSubstr("Too many tags: 200000 maximum allowed: 64"));
}

TEST(PutJsonTest, ParseBoundsTheObjects) {
  std::string nulls = "[null";
  for (size_t i = 1; i < kPutPointsMax; ++i)
    nulls += ",null";

  EXPECT_EQ(BodyError(nulls + "]"), "none");
  EXPECT_EQ(BodyError(nulls + ",null]"), "Too many datapoints: expected at most 1048576");
}

TEST(PutJsonTest, AppendSentEchoesWhatCame) {
  PutJson json;
  const std::string body = "[null," + Body("NaN") + R"(,{"metric":"a\"b","timestamp":-1}])";
  ASSERT_FALSE(json.Parse(body, kRules));
  std::string out;

  for (size_t i = 0; i < json.size(); ++i)
    json.AppendSent(i, &out);

  EXPECT_EQ(out, R"(null{"metric":"m","timestamp":1365465600,"value":"NaN","tags":{"host":"a"}})"
                 R"({"metric":"a\"b","timestamp":-1,"value":"","tags":{}})");
}

// All that a body gives, as text.
std::string Outcome(const std::string& body) {
  PutJson json;
  if (const auto error = json.Parse(body, {.tags_max = 3})) {
    return error->message + ": " + error->details;
  }
  std::string text;
  for (size_t i = 0; i < json.size(); ++i)
    json.AppendSent(i, &text);
  for (size_t i = 0; i < json.points().size(); ++i) {
    const PointView& point = json.points()[i];
    text += fmt::format("\n{} {} {} {}", json.IndexOf(i), point.timestamp.ms,
                        point.value.is_integer(), point.value.ToDouble());
  }
  for (const PutPointError& error : json.errors())
    text += fmt::format("\n{} {}", error.index, error.text);
  return text;
}

// A random body of two objects, mostly good ones.
std::string RandomBody(uint64_t seed) {
  Random random(seed);
  const auto pick = [&random](std::initializer_list<const char*> texts) {
    return std::string_view(texts.begin()[random.Below(texts.size())]);
  };
  const auto blank = [&] { return pick({"", "", "", "", "", " ", "\n", "\t\r "}); };
  std::string body;
  for (int object = 0; object < 2; ++object) {
    body += fmt::format("{}{}{{", object == 0 ? "[" : ",", blank());
    body += fmt::format("\"metric\"{}:{}\"{}\"", blank(), blank(),
                        pick({"m", "cpu.user", "", "a metric of more than sixteen bytes"}));
    body += fmt::format(",\"timestamp\":{}{}", blank(),
                        pick({"1356998400", "1356998400123", "0", "-1", "1e9", "\"7\"", "01", ""}));
    body += fmt::format(",{}\"value\":{}", blank(),
                        pick({"1", "-42", "0.5", "1e3", "\"7\"", "\"x\"", "NaN", "01", "1."}));
    body += ",\"tags\":{";
    const uint64_t tags = random.Below(5);
    for (uint64_t tag = 0; tag < tags; ++tag) {
      body += fmt::format("{}\"{}\"{}:\"{}\"{}", tag == 0 ? "" : ",",
                          pick({"host", "dc", "h", "tsoh", "caf\u00e9"}), blank(),
                          pick({"a", "b", "a value of more than sixteen bytes", "\\u0041", "\t"}),
                          blank());
    }
    body += pick({"}}", "}}", "}}", "}}", "}", "},\"more\":1}", "},\"metric\":\"n\"}"});
  }
  body += pick({"]", "]", "]", "]", "] ", "", "]]", ",]"});
  if (random.Below(4) == 0)
    body[20 + random.Below(body.size() - 20)] = "\"{}[],:x1 "[random.Below(10)];
  return body;
}

TEST(PutJsonTest, TheQuickWayAgreesWithTheReader) {
  size_t good = 0;
  for (uint64_t seed = 1; seed <= 50'000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const std::string quick = RandomBody(seed);
    // An escape takes a body past the quick way.
    std::string slow = quick;
    const size_t key = slow.find("metric");
    ASSERT_NE(key, std::string::npos);
    slow.replace(key, 1, "\\u006d");
    const std::string want = Outcome(slow);
    ASSERT_EQ(Outcome(quick), want) << quick;
    if (want.find("\n1 ") != std::string::npos) ++good;
  }
  EXPECT_GT(good, 2'000U);
}

TEST(PutJsonTest, ParseMayBeCalledAgain) {
  PutJson json;
  ASSERT_FALSE(json.Parse("[" + Body("1") + "," + Body("\"x\"") + "]", kRules));

  ASSERT_FALSE(json.Parse(Body("7"), kRules));

  EXPECT_EQ(json.size(), 1U);
  EXPECT_THAT(json.errors(), IsEmpty());
  ASSERT_THAT(json.points(), SizeIs(1));
  EXPECT_EQ(json.points()[0].value, Value::Integer(7));
}

// Counted 16 bytes at a time, and at most 255 times in a row.
TEST(PutJsonTest, PutBytesFastCountsTheObjectsOfBodiesOfAnyLength) {
  const size_t of_two = PutBytesFast("{{{{") - PutBytesFast("{{") - 2;
  ASSERT_GT(of_two, 0U);
  for (const size_t size : {0U, 1U, 15U, 16U, 17U, 31U, 4079U, 4080U, 4081U, 8175U, 20001U}) {
    SCOPED_TRACE(size);
    EXPECT_EQ(PutBytesFast(std::string(size, '{')), size + (size / 2 + 1) * of_two);
    std::string thin(size, '|');
    for (size_t i = 0; i < size; i += 7)
      thin[i] = '{';
    EXPECT_EQ(PutBytesFast(thin), size + ((size + 6) / 7 / 2 + 1) * of_two);
  }
}

}  // namespace
}  // namespace hourcell::put_json_test
