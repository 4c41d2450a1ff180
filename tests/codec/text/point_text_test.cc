#include "codec/text/point_text.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/cells/cell.h"
#include "codec/rows/row_key.h"
#include "codec/value.h"
#include "tests/codec/allocation_count.h"
#include "tests/codec/codec_testing.h"
#include "tests/support/vectors.h"

namespace hourcell::point_text_test {
namespace {

using testing::ElementsAre;

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The kind and text of the error of a telnet line, or "ok".
std::string Fault(std::string_view line, PointSyntax syntax = PointSyntax::kTelnet) {
  PointText text;
  const auto error = text.Parse(line, syntax, PointLimits{});
  if (!error) return "ok";
  return std::string(PointErrorTelnetClass(error->kind)) + ": " + error->text;
}

// The UID that a vector gives a name.
Uid UidOf(const TestVector& vector, const char* kind, std::string_view name) {
  const auto uid = UidFromBytes(BytesOf(vector.given["uids"][kind], name), 3);
  HOURCELL_CHECK(uid.ok());
  return *uid;
}

struct StoredPoint {
  std::string row_key;
  std::string qualifier;
  std::string value;
};

StoredPoint Stored(Uid metric, const std::vector<TagUids>& tags, Timestamp time, Value value) {
  StoredPoint stored;
  const Layout layout;
  const uint32_t base_time_s = kHourSpan.BaseS(time.ms);
  RowKeyCodec(layout).Append(EncodeTsuid(layout, metric, tags), base_time_s, &stored.row_key);
  const uint8_t flags = ValueFlags(value);
  AppendQualifier({.offset_ms = static_cast<uint32_t>(time.ms - int64_t{base_time_s} * 1000),
                   .is_ms = time.is_ms,
                   .flags = flags},
                  &stored.qualifier);
  AppendValue(value, flags, &stored.value);
  return stored;
}

// Deviation: floats keep binary64 where binary32 would lose something; no vector here has one.
TEST(PointTextTest, VectorsImportLine) {
  for (const TestVector& vector : LoadVectors("storage.json", "import.line")) {
    SCOPED_TRACE(vector.from);
    const std::string line = TextOf(vector.given, "line");
    PointText text;
    const auto error = text.Parse(line, PointSyntax::kImport, PointLimits{});
    ASSERT_EQ(error.has_value(), vector.wants_error()) << line;
    if (error) continue;
    const PointView& point = text.point();
    std::vector<TagUids> tags;
    for (const TagView& tag : point.tags) {
      tags.push_back({UidOf(vector, "tagk", tag.key), UidOf(vector, "tagv", tag.value)});
    }
    const StoredPoint stored =
        Stored(UidOf(vector, "metrics", point.metric), tags, point.timestamp, point.value);
    EXPECT_EQ(ToHex(stored.row_key), TextOf(vector.expect, "row_key"));
    EXPECT_EQ(ToHex(stored.qualifier), TextOf(vector.expect, "q"));
    EXPECT_EQ(ToHex(stored.value), TextOf(vector.expect, "v"));
  }
}

// The value of a vector; "float" is Java's addPoint(float), which rounds before it stores.
Value ValueOf(simdjson::dom::element given) {
  if (TextOf(given, "type") == "int") return Value::Integer(IntOf(given, "value"));
  const double number = given["value"].get_double();
  return Value::Float(TextOf(given, "type") == "float" ? double{static_cast<float>(number)}
                                                       : number);
}

// Deviation: an instant after 2106 is refused, where OpenTSDB lets the base time wrap.
TEST(PointTextTest, VectorsWritePoint) {
  size_t wrapped = 0;
  for (const TestVector& vector : LoadVectors("storage.json", "write.point")) {
    SCOPED_TRACE(vector.from);
    const int64_t timestamp = IntOf(vector.given, "timestamp");
    const auto time = TimestampFromInteger(timestamp);
    if (vector.wants_error() || timestamp > kTimestampMsMax) {
      EXPECT_FALSE(time.ok());
      if (!vector.wants_error()) ++wrapped;
      continue;
    }
    ASSERT_TRUE(time.ok());
    std::vector<TagUids> tags;
    for (const simdjson::dom::element pair : simdjson::dom::array(vector.given["tag_uids"])) {
      tags.push_back({LoadBigEndian(Hex(std::string(std::string_view(pair.at(0)))).data(), 3),
                      LoadBigEndian(Hex(std::string(std::string_view(pair.at(1)))).data(), 3)});
    }
    const Uid metric = LoadBigEndian(BytesOf(vector.given, "metric_uid").data(), 3);
    const StoredPoint stored = Stored(metric, tags, *time, ValueOf(vector.given));
    EXPECT_EQ(ToHex(stored.row_key), TextOf(vector.expect, "row_key"));
    EXPECT_EQ(ToHex(stored.qualifier), TextOf(vector.expect, "q"));
    EXPECT_EQ(ToHex(stored.value), TextOf(vector.expect, "v"));
  }
  EXPECT_EQ(wrapped, 1U);
}

// Deviation: OpenTSDB keeps one column a qualifier, so that a second and its millisecond stay two;
// in a row of ours the last written of them is the point.
TEST(PointTextTest, VectorsWritePointsColumns) {
  for (const TestVector& vector : LoadVectors("storage.json", "write.points.columns")) {
    SCOPED_TRACE(vector.from);
    std::vector<std::string> cells;
    for (const simdjson::dom::element point : simdjson::dom::array(vector.given["points"])) {
      const auto time = TimestampFromInteger(IntOf(point, "timestamp"));
      ASSERT_TRUE(time.ok());
      const int64_t base_ms = int64_t{kHourSpan.BaseS(time->ms)} * 1000;
      AppendPointCell(static_cast<uint32_t>(time->ms - base_ms), time->is_ms, ValueOf(point),
                      &cells.emplace_back());
    }
    std::string row;
    MergeCells("", std::vector<std::string_view>(cells.begin(), cells.end()), &row);
    std::string last_column;
    for (const auto field : simdjson::dom::object(vector.expect["columns"])) {
      last_column = std::string(field.key) + std::string(std::string_view(field.value));
    }
    EXPECT_EQ(ToHex(row), "01" + last_column);
  }
}

TEST(PointTextTest, VectorsParseTags) {
  for (const char* area : {"parse.tags", "tag-parse"}) {
    const bool is_query = std::string_view(area) == "tag-parse";
    for (const TestVector& vector : LoadVectors(is_query ? "query.json" : "storage.json", area)) {
      if (Has(vector.given, "name")) continue;  // name_test's
      SCOPED_TRACE(vector.from);
      std::string line = "m 1 1";
      if (Has(vector.given, "tag")) {
        line += " " + TextOf(vector.given, "tag");
      } else {
        const char* key = is_query ? "tags_in_order" : "words";
        for (const simdjson::dom::element word : simdjson::dom::array(vector.given[key])) {
          line.append(" ").append(std::string_view(word));
        }
      }
      PointText text;
      const auto error = text.Parse(line, PointSyntax::kTelnet, PointLimits{});
      ASSERT_EQ(error.has_value(), vector.wants_error());
      if (error) {
        if (is_query) {
          EXPECT_EQ(error->text, TextOf(vector.expect, "error"));
        }
        continue;
      }
      ASSERT_EQ(text.point().tags.size(), 1U);
      EXPECT_EQ(text.point().tags[0], (TagView{.key = "foo", .value = "bar"}));
    }
  }
}

TEST(PointTextTest, ParsesALineOfSeveralTags) {
  PointText text;
  const auto error = text.Parse("sys.cpu.user 1356998400 42.5 host=web01  dc=lga ",
                                PointSyntax::kTelnet, PointLimits{});
  ASSERT_FALSE(error.has_value()) << error->text;
  EXPECT_EQ(text.point().metric, "sys.cpu.user");
  EXPECT_EQ(text.point().timestamp, (Timestamp{.ms = 1356998400000, .is_ms = false}));
  EXPECT_EQ(text.point().value, Value::Float(42.5));
  EXPECT_THAT(text.point().tags,
              testing::ElementsAre(TagView{"host", "web01"}, TagView{"dc", "lga"}));
}

TEST(PointTextTest, ErrorsHaveOpenTsdbsTextsInItsOrder) {
  EXPECT_EQ(Fault(""), "illegal argument: not enough arguments (need least 4, got 0)");
  EXPECT_EQ(Fault("m 1 1"), "illegal argument: not enough arguments (need least 4, got 3)");
  EXPECT_EQ(Fault(" x  bad"), "illegal argument: empty metric name");
  EXPECT_EQ(Fault("m x  bad"), "invalid value: Invalid character 'x' in x");
  EXPECT_EQ(Fault("m   a=b"), "invalid value: Empty string");
  EXPECT_EQ(Fault("m 0  bad"), "illegal argument: invalid timestamp: 0");
  EXPECT_EQ(Fault("m -5 1 a=b"), "illegal argument: invalid timestamp: -5");
  EXPECT_EQ(Fault("m 4294967296000 1 a=b"),
            "illegal argument: bad timestamp=4294967296000: after 4294967295999 ms; expected "
            "seconds or milliseconds since 1970");
  EXPECT_EQ(Fault("m 1  bad"), "illegal argument: empty value");
  EXPECT_EQ(Fault("m 1 x bad"), "illegal argument: invalid tag: bad");
  EXPECT_EQ(Fault("m 1 x a=1 b=2 a=3"), "illegal argument: duplicate tag: a=3, tags={a=1, b=2}");
  EXPECT_EQ(Fault("m 1 x a=1"), "invalid value: Invalid character 'x' in x");
  EXPECT_EQ(Fault("m 1 1e999 a=1"), "illegal argument: value is NaN or Infinite: 1e999");
  EXPECT_EQ(Fault("m 1 1 "), "illegal argument: Need at least one tag (metric=m, tags={})");
}

TEST(PointTextTest, TooManyTagsAreCountedAndShown) {
  PointText text;
  const auto error = text.Parse("m 1 1 a=1 b=2 a=1 c=3", PointSyntax::kTelnet, {.tags_max = 2});
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->text, "Too many tags: 3 maximum allowed: 2, tags: {a=1, b=2, c=3}");
}

TEST(PointTextTest, NoSettingAllowsMoreTagsThanARowKeyHolds) {
  std::string line = "m 1 1";
  for (int i = 0; i < 20'000; ++i)
    line += " k" + std::to_string(i) + "=v";
  PointText text;
  const auto error = text.Parse(line, PointSyntax::kTelnet, {.tags_max = 1'000'000});
  ASSERT_TRUE(error.has_value());
  EXPECT_THAT(error->text, StartsWith("Too many tags: 20000 maximum allowed: 64, tags: {k0=v"));
}

TEST(PointTextTest, TelnetTimestampsLoseTheirDots) {
  const auto telnet = [](std::string_view text) {
    const auto time = ParseTimestampText(text, PointSyntax::kTelnet);
    return time.ok() ? fmt::format("{}{}", time->ms, time->is_ms ? " ms" : "") : time.error().text;
  };
  EXPECT_EQ(telnet("1365465600.123"), "1365465600123 ms");
  EXPECT_EQ(telnet("1365465600.1"), "13654656001 ms");
  EXPECT_EQ(telnet("1.3.6.5"), "1365000");
  EXPECT_EQ(telnet("..."), "Empty string");
  EXPECT_EQ(telnet("-.1"), "invalid timestamp: -1");
  EXPECT_EQ(telnet("1." + std::string(30, '0')), "Value too long: 1" + std::string(30, '0'));
  EXPECT_THAT(Fault("m 1365465600.123 1 a=b", PointSyntax::kImport),
              HasSubstr("Invalid character '.' in 1365465600.123"));
}

TEST(PointTextTest, TimestampsAboveThirtyTwoBitsAreMilliseconds) {
  EXPECT_EQ(*TimestampFromInteger(4294967295), (Timestamp{.ms = 4294967295000, .is_ms = false}));
  EXPECT_EQ(*TimestampFromInteger(4294967296), (Timestamp{.ms = 4294967296, .is_ms = true}));
  EXPECT_TRUE(TimestampFromInteger(kTimestampMsMax).ok());
  EXPECT_FALSE(TimestampFromInteger(kTimestampMsMax + 1).ok());
}

TEST(PointTextTest, TimesWithAUnitAreOfImportsAlone) {
  const auto time = [](std::string_view text) {
    return ParseTimestampText(text, PointSyntax::kImport);
  };
  EXPECT_EQ(*time("1500ms"), (Timestamp{.ms = 1500, .is_ms = true}));
  EXPECT_EQ(*time("1356998400s"), (Timestamp{.ms = 1356998400000, .is_ms = false}));
  EXPECT_EQ(*time("4294967295999ms"), (Timestamp{.ms = kTimestampMsMax, .is_ms = true}));
  for (const char* const bad : {"4294967296000ms", "4294967296s", "-1ms", "-1s", "ms", "s", "1.5s",
                                "1 s", "1m", "99999999999999999999ms"}) {
    EXPECT_FALSE(time(bad).ok()) << bad;
  }
  EXPECT_FALSE(ParseTimestampText("1500ms", PointSyntax::kTelnet).ok());
}

TEST(PointTextTest, BytesThatAreNotUtf8AreReadAsLatin1) {
  PointText text;
  const auto error =
      text.Parse("caf\xE9 1 1 \xE9=\xE8 b=\xC3\xA9 plain=x", PointSyntax::kTelnet, PointLimits{});
  ASSERT_FALSE(error.has_value());
  EXPECT_EQ(text.point().metric, "caf\u00E9");
  EXPECT_THAT(text.point().tags,
              testing::ElementsAre(TagView{"\u00E9", "\u00E8"}, TagView{"b", "\u00E9"},
                                   TagView{"plain", "x"}));
}

TEST(PointTextTest, OneKeyInTwoEncodingsIsADuplicate) {
  PointText text;
  const auto error = text.Parse("m 1 1 caf\xE9=1 caf\u00E9=2", PointSyntax::kTelnet, PointLimits{});
  ASSERT_TRUE(error.has_value());
  EXPECT_THAT(error->text, StartsWith("duplicate tag: "));
}

TEST(PointTextTest, AGoodLineAllocatesNothing) {
  PointText text;
  const std::string line = "sys.cpu.user 1365465600.123 -42.5125 host=web01 dc=lga cpu=0";
  bool failed = text.Parse(line, PointSyntax::kTelnet, PointLimits{}).has_value();

  const size_t before = AllocationCount();
  failed |= text.Parse(line, PointSyntax::kTelnet, PointLimits{}).has_value();
  const size_t allocations = AllocationCount() - before;

  EXPECT_FALSE(failed);
  EXPECT_EQ(allocations, 0U);
}

TEST(PointTextTest, ImportLinesReadBack) {
  for (const char* line :
       {"m 1356998400 42 host=web01", "m 1356998400500 -1 host=web01 dc=lga",
        "m 1356998400 0.1 host=web01", "m 1356998400 1.0E10 host=web01",
        // What the magnitude would say otherwise.
        "m 1500ms 1 host=web01", "m 4294967295ms 1 host=web01", "m 4294967296 1 host=web01",
        "m 0s 1 host=web01", "m 0ms 1 host=web01", "m 1 1 host=web01"}) {
    SCOPED_TRACE(line);
    PointText text;
    ASSERT_FALSE(text.Parse(line, PointSyntax::kImport, PointLimits{}).has_value());
    std::string printed;
    AppendImportLine(text.point(), &printed);
    EXPECT_EQ(printed, line);
  }
}

TEST(PointTextTest, ParsesTagsThatMayHaveAnyNames) {
  PointText text;
  const LinePoint point = {.metric = "a b",
                           .tags = "\1host\1web 01=\1dc\1x:y",
                           .timestamp = {},
                           .value = {},
                           .has_any_names = true};
  ASSERT_FALSE(text.ParseSeries(point, PointLimits{}).has_value());
  EXPECT_EQ(text.point().metric, "a b");
  EXPECT_TRUE(text.point().has_any_names);
  EXPECT_THAT(text.point().tags, ElementsAre(TagView{.key = "host", .value = "web 01="},
                                             TagView{.key = "dc", .value = "x:y"}));
  const auto fault_of = [&text](std::string_view tags) {
    const auto fault = text.ParseSeries(
        LinePoint{.metric = "m", .tags = tags, .timestamp = {}, .value = {}, .has_any_names = true},
        PointLimits{.tags_max = 1});
    return fault.has_value() ? fault->text : "";
  };
  EXPECT_EQ(fault_of("\1a"), "invalid tag: a");
  EXPECT_EQ(fault_of(""), "Need at least one tag (metric=m, tags={})");
  EXPECT_EQ(fault_of("\1a\1b\1a\1c"), "duplicate tag: a=c, tags={a=b}");
  EXPECT_EQ(fault_of("\1a\1b\1a\1b"), "");
  EXPECT_EQ(fault_of("\1a\1b\1c\1d"), "Too many tags: 2 maximum allowed: 1, tags: {a=b, c=d}");
}

}  // namespace
}  // namespace hourcell::point_text_test
