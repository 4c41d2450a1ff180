#include "server/text/json_cursor.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "codec/base/random.h"

namespace hourcell::json_cursor_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The fault of a text; empty if it is one value of JSON.
std::string FaultOf(std::string_view text) {
  JsonCursor json(text);
  try {
    json.Skip();
    json.End();
  } catch (const JsonSyntaxFault& fault) {
    return fault.what();
  }
  return "";
}

// The text of a string; nullopt if it is not a string.
std::optional<std::string> StringOf(std::string_view text) {
  JsonCursor json(text);
  try {
    std::string buffer;
    const std::string read(json.Peek() == '"' ? json.String(&buffer) : "");
    json.End();
    return read;
  } catch (const JsonSyntaxFault&) {
    return std::nullopt;
  }
}

// Whether simdjson takes it; nothing if a number is wrong or beyond its types, which are two things
// here.
std::optional<bool> SimdjsonTakes(const std::string& text) {
  simdjson::dom::parser parser;
  const simdjson::error_code error = parser.parse(text).error();
  if (error == simdjson::NUMBER_ERROR) return std::nullopt;
  return error == simdjson::SUCCESS;
}

TEST(JsonCursorTest, MembersAndItemsComeInOrder) {
  JsonCursor json(R"( {"a" : [1, "two" ,[]], "b":{"c":null}} )");
  std::vector<std::string> seen;
  json.Object([&](std::string_view key) {
    seen.emplace_back(key);
    if (key == "a") {
      json.Array([&] {
        seen.emplace_back(1, json.Peek());
        json.Skip();
      });
    } else {
      json.Object([&](std::string_view inner) {
        seen.emplace_back(inner);
        seen.emplace_back(json.Scalar());
      });
    }
  });
  json.End();
  EXPECT_THAT(seen, ElementsAre("a", "1", "\"", "[", "b", "c", "null"));
}

TEST(JsonCursorTest, SkippedValuesAreReadLater) {
  JsonCursor json(R"([{"x":[1,2]},3])");
  std::string late;
  json.Array([&] {
    if (json.Peek() != '{') {
      late += json.Scalar();
      return;
    }
    const char* const begin = json.at();
    json.Skip();
    const char* const end = json.at();
    json.set_at(begin);
    json.Object([&](std::string_view key) {
      late += key;
      json.Skip();
    });
    json.set_at(end);
  });
  json.End();
  EXPECT_EQ(late, "x3");
}

TEST(JsonCursorTest, EscapesAreDecoded) {
  EXPECT_EQ(StringOf(R"("plain")"), "plain");
  EXPECT_EQ(StringOf(R"("\"\\\/\b\f\n\r\tx")"), "\"\\/\b\f\n\r\tx");
  EXPECT_EQ(StringOf(R"("\u0041\u00e9\u20AC\ud83d\ude00!")"), "A\u00e9\u20ac\U0001F600!");
  EXPECT_EQ(StringOf(R"("\u12")"), std::nullopt);
  EXPECT_EQ(StringOf(R"("\ud83d")"), std::nullopt) << "half a character";
  EXPECT_EQ(StringOf(R"("\ude00")"), std::nullopt);
  EXPECT_EQ(StringOf(R"("\x")"), std::nullopt);
  EXPECT_EQ(StringOf("\"line\nend\""), std::nullopt);
}

TEST(JsonCursorTest, NumbersAreThoseOfJson) {
  for (const char* const number : {"0", "-0", "1.5e-3", "12345678901234567890123", "1e999"})
    EXPECT_EQ(FaultOf(number), "") << number;
  for (const char* const wrong : {"01", "1.", ".5", "+1", "1e", "-", "NaN", "0x1", "1,", "tru"})
    EXPECT_NE(FaultOf(wrong), "") << wrong;
}

TEST(JsonCursorTest, FaultsNameTheByte) {
  EXPECT_THAT(FaultOf(R"({"a":})"), HasSubstr("at byte 5"));
  EXPECT_THAT(FaultOf(R"({"a":1)"), HasSubstr("the end of the text"));
  EXPECT_THAT(FaultOf("1 2"), HasSubstr("at byte 2"));
  EXPECT_THAT(FaultOf(""), HasSubstr("the end of the text"));
}

TEST(JsonCursorTest, DepthIsBounded) {
  const std::string open(kJsonCursorDepthMax, '[');
  const std::string close(kJsonCursorDepthMax, ']');
  EXPECT_EQ(FaultOf(open + close), "");
  EXPECT_NE(FaultOf("[" + open + close + "]"), "");
  EXPECT_NE(FaultOf(std::string(1'000'000, '[')), "");
}

TEST(JsonCursorTest, TakesWhatSimdjsonTakes) {
  const uint32_t seed = 20261126;
  SCOPED_TRACE(seed);
  Random random(seed);
  const std::string_view valid =
      R"({"a":[1,-2.5e3,0,"x\n\u00e9",true,false,null,{}],"":{"b":[[],[{"c":"\\"}]]},"d":"e"})";
  ASSERT_EQ(FaultOf(valid), "");
  constexpr std::string_view kBytes = "{}[]\",:\\ntrue0123456789.-+eEu x\n\t";
  size_t taken = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text(valid);
    for (size_t changes = 1 + random.Below(3); changes > 0; --changes) {
      const size_t at = random.Below(text.size());
      const char byte = kBytes[random.Below(kBytes.size())];
      switch (random.Below(3)) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.erase(at, 1 + random.Below(3));
          break;
        default:
          text.insert(at, 1, byte);
      }
    }
    const bool takes = FaultOf(text).empty();
    const std::optional<bool> expected = SimdjsonTakes(text);
    if (!expected) continue;
    ASSERT_EQ(takes, *expected) << text;
    taken += takes ? 1 : 0;
  }
  EXPECT_GT(taken, 1'000U);
}

}  // namespace
}  // namespace hourcell::json_cursor_test
