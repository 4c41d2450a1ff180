#include "codec/text/put_line.h"

#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "codec/limits.h"
#include "tests/codec/allocation_count.h"
#include "tests/support/sanitizers.h"

namespace hourcell::put_line_test {
namespace {

constexpr std::string_view kUsual = "put sys.cpu.user 1356998400 42 host=web01 dc=lga\n";

// What the quick way makes of the first line of some bytes; "no" if it leaves it.
std::string Scanned(std::string_view bytes) {
  LinePoint point;
  const size_t length = ScanPutLine(bytes, &point);
  if (length == 0) return "no";
  return fmt::format("{} {}{} {} [{}] {}", point.metric, point.timestamp.ms,
                     point.timestamp.is_ms ? "ms" : "", point.value.ToDouble(), point.tags, length);
}

// The error that a line gets in the end, or its series: of the way through ParsePointLine and the
// store's ParseSeries, or straight through Parse.
std::string Outcome(std::string_view words, PointSyntax syntax, bool quick) {
  PointText text;
  LinePoint point;
  Timestamp timestamp;
  Value value;
  std::optional<PointError> error;
  if (quick) {
    error = ParsePointLine(words, syntax, PointLimits{}, &text, &point);
    timestamp = point.timestamp;
    value = point.value;
    if (!error.has_value()) error = text.ParseSeries(point.metric, point.tags, PointLimits{});
  } else {
    error = text.Parse(words, syntax, PointLimits{});
    timestamp = text.point().timestamp;
    value = text.point().value;
  }
  if (error.has_value()) return fmt::format("{} {}", static_cast<int>(error->kind), error->text);
  std::string series(text.point().metric);
  for (const TagView& tag : text.point().tags)
    series.append(" ").append(tag.key).append("=").append(tag.value);
  return fmt::format("{} {} {} {:x} {}", timestamp.ms, timestamp.is_ms, value.is_integer(),
                     std::bit_cast<uint64_t>(value.ToDouble()), series);
}

TEST(PutLineTest, ScanPutLineTakesUsualLines) {
  EXPECT_EQ(Scanned(kUsual), "sys.cpu.user 1356998400000 42 [host=web01 dc=lga] 49");
  EXPECT_EQ(Scanned("put m 1356998400123 -4.25 a=b\r\nput"), "m 1356998400123ms -4.25 [a=b] 31");
  EXPECT_EQ(Scanned("put m 1 1e3  a=b  c=d \nx"), "m 1000 1000 [ a=b  c=d ] 23");
  EXPECT_EQ(Scanned("put m 4294967295 1 a\n"), "m 4294967295000 1 [a] 21");
  EXPECT_EQ(Scanned("put m 4294967296 1 a\n"), "m 4294967296ms 1 [a] 21");
  EXPECT_EQ(Scanned("put m 1 1 \n"), "m 1000 1 [] 11");
}

TEST(PutLineTest, ScanPutLineLeavesTheRest) {
  for (const std::string_view bytes : {"",
                                       "put",
                                       "put ",
                                       "put\n",
                                       "put \n",
                                       "puts m 1 1 a=b\n",
                                       "PUT m 1 1 a=b\n",
                                       " put m 1 1 a=b\n",
                                       "put  1 1 a=b\n",
                                       "put m  1 a=b\n",
                                       "put m 1  a=b\n",
                                       "put m\n",
                                       "put m 1\n",
                                       "put m 1 1\n",
                                       "put m\n1 1 a=b\n",
                                       "put m 1\n1 a=b\n",
                                       "put m 1 1\na=b\n",
                                       "put m 0 1 a=b\n",
                                       "put m -1 1 a=b\n",
                                       "put m +1 1 a=b\n",
                                       "put m 1.5 1 a=b\n",
                                       "put m 1x 1 a=b\n",
                                       "put m 4294967296000 1 a=b\n",
                                       "put m 00000000000001 1 a=b\n",
                                       "put m 99999999999999999999999999 1 a=b\n",
                                       "put m 1 +1 a=b\n",
                                       "put m 1 1f a=b\n",
                                       "put m 1 .5 a=b\n",
                                       "put m 1 - a=b\n",
                                       "put m 1 1e a=b\n",
                                       "put m 1 1e999 a=b\n",
                                       "put m 1 9223372036854775808 a=b\n",
                                       "version\n"}) {
    EXPECT_EQ(Scanned(bytes), "no") << bytes;
  }
}

TEST(PutLineTest, ScanPutLineWantsTheWholeLine) {
  // At every cut, in memory of its own size, so that a read past it is found.
  for (size_t size = 0; size < kUsual.size(); ++size) {
    const std::vector<char> bytes(kUsual.begin(), kUsual.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_EQ(Scanned({bytes.data(), bytes.size()}), "no") << size;
  }
  const std::string head = "put m 1 1 ";
  EXPECT_NE(Scanned(head + std::string(kLineBytesMax - head.size(), 'x') + "\n"), "no");
  EXPECT_EQ(Scanned(head + std::string(kLineBytesMax - head.size() + 1, 'x') + "\n"), "no");
}

TEST(PutLineTest, ParsePointLineKeepsTheTagsOfUnusualLines) {
  PointText text;
  LinePoint point;
  ASSERT_FALSE(ParsePointLine("m 1365465600.123 +.5f  a=b  c=d ", PointSyntax::kTelnet,
                              PointLimits{}, &text, &point));
  EXPECT_EQ(point.metric, "m");
  EXPECT_EQ(point.timestamp, (Timestamp{.ms = 1365465600123, .is_ms = true}));
  EXPECT_EQ(point.value, Value::Float(0.5));
  EXPECT_EQ(point.tags, " a=b  c=d ");
}

// Pieces that lines are made of at random: good, odd and wrong ones of each word.
const std::vector<std::vector<std::string_view>> kPieces = {
    {"m", "m", "m", "sys.cpu.user", "", "caf\xE9", "caf\u00E9", "m!", "m\t", "\n"},
    {" ", " ", " ", " ", " ", " ", " ", "  ", "", "\t"},
    {"1356998400", "1356998400", "1356998400123", "1", "0", "-5", "+7", "1356998400.5", "...", "",
     "x", "4294967295", "4294967296", "4294967295999", "4294967296000", "0000000001356998400",
     "00000000000001356998400", "9999999999999999999", "99999999999999999999"},
    {" ", " ", " ", " ", " ", " ", " ", "  ", "", "\t"},
    {"1",
     "42",
     "-42",
     "0.5",
     "-0.0",
     "-0",
     "1e3",
     "1.5E-3",
     "1e22",
     "1e23",
     "+1",
     ".5",
     "1.",
     "1.f",
     "0x1p3",
     "NaN",
     "Infinity",
     "1e999",
     "1e-999",
     "",
     "-",
     "x",
     "9223372036854775807",
     "9223372036854775808",
     "-9223372036854775808",
     "-9223372036854775809",
     "00000000000000000001",
     "0.1234567890123456789",
     "9007199254740993.0",
     "1\r",
     "1\n"},
    {" ", " ", " ", " ", " ", " ", "  ", ""},
    {"host=a", "host=a", "host=a", "host=a dc=b", "host=a  dc=b ", "host=a host=b", "host=a host=a",
     "host", "=a", "host=", "a=b=c", "", "h\xE9=x", "h\xE9=x h\u00E9=y", "host=a\r", "a=\n",
     "a=1 b=2 c=3 d=4 e=5 f=6 g=7 h=8 i=9 j=10 k=11 l=12 m=13 n=14 o=15 p=16 q=17"}};

TEST(PutLineTest, TheQuickWayAgreesWithTheSlowOne) {
  constexpr uint64_t kSeed = 20260101;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  size_t good = 0;
  for (int i = 0; i < (kIsSanitized ? 20'000 : 200'000); ++i) {
    std::string words;
    for (const auto& pieces : kPieces)
      words += pieces[random.Below(pieces.size())];
    const PointSyntax syntax = random.Below(2) == 0 ? PointSyntax::kTelnet : PointSyntax::kImport;
    const std::string want = Outcome(words, syntax, /*quick=*/false);
    ASSERT_EQ(Outcome(words, syntax, /*quick=*/true), want) << words;
    if (want.ends_with("=a")) ++good;
  }
  EXPECT_GT(good, kIsSanitized ? 500U : 5'000U);
}

TEST(PutLineTest, AGoodLineAllocatesNothing) {
  LinePoint point;
  const size_t before = AllocationCount();
  const size_t length = ScanPutLine(kUsual, &point);
  const size_t allocations = AllocationCount() - before;

  EXPECT_EQ(length, kUsual.size());
  EXPECT_EQ(allocations, 0U);
}

// A line with quoted names, as it is printed again; or what is wrong.
std::string Requoted(std::string_view line) {
  EXPECT_TRUE(HasQuotedName(line)) << line;
  PointText parser;
  std::string names;
  LinePoint point;
  if (auto error = ParseQuotedLine(line, PointLimits{}, &parser, &names, &point))
    return error->text;
  PointText series;
  if (auto error = series.ParseSeries(point, PointLimits{})) return error->text;
  PointView view = series.point();
  EXPECT_TRUE(view.has_any_names);
  view.timestamp = point.timestamp;
  view.value = point.value;
  std::string text;
  AppendImportLine(view, &text);
  return text;
}

TEST(PutLineTest, QuotedNamesAreReadAsTheyArePrinted) {
  for (const std::string_view line : {
           R"("disk usage" 1356998400 1 host=web01)",
           R"(m 1356998400500 -2.5 "k=1"="a \"b\" c\\" host=web01)",
           R"(m 1356998400 1 a=" " b="=" c="\"")",
           R"("\"m" 1356998400 StaleNaN instance=web01:9100 x="y z")",
       }) {
    EXPECT_EQ(Requoted(line), line);
  }
  EXPECT_EQ(Requoted(R"("m" 1356998400 1   "a"="b"  )"), "m 1356998400 1 a=b");
}

TEST(PutLineTest, RefusesNamesThatAreNotQuotedToTheirEnd) {
  EXPECT_EQ(Requoted(R"("m 1 1 a=b)"), "invalid metric: \"m 1 1 a=b");
  EXPECT_EQ(Requoted(R"("m"x 1 1 a=b)"), "invalid metric: \"m\"x 1 1 a=b");
  EXPECT_EQ(Requoted(R"(m 1 1 "a"b=c)"), "invalid tag: \"a\"b=c");
  EXPECT_EQ(Requoted(R"(m 1 1 a="b"c)"), "invalid tag: a=\"b\"c");
  EXPECT_EQ(Requoted(R"(m 1 1 "a")"), "invalid tag: \"a\"");
  EXPECT_EQ(Requoted(R"("m" 1)"), "not enough arguments (need least 4, got 1)");
  EXPECT_NE(Requoted(R"("m" x 1 a=b)").find("x"), std::string::npos);
  EXPECT_EQ(Requoted(R"("m" 1 1 )"), "Need at least one tag (metric=m, tags={})");
}

TEST(PutLineTest, RefusesTheSeparatorOfTagsInQuotedNames) {
  EXPECT_EQ(Requoted("m 1 1 \"a\1b\1c\"=d"), R"(invalid tag: "a\x01b\x01c"=d)");
  EXPECT_EQ(Requoted("m 1 1 \"a\"=b\1c\1d"), R"(invalid tag: "a"=b\x01c\x01d)");
  EXPECT_EQ(Requoted("\"m\1a\1b\" 1 1 c=d"), R"(invalid metric: "m\x01a\x01b" 1 1 c=d)");
}

TEST(PutLineTest, ALineAfterAQuotedOneIsReadByItsOwnForm) {
  PointText parser;
  std::string names;
  LinePoint point;
  ASSERT_FALSE(ParseQuotedLine(R"("a b" 1 1 c=d)", PointLimits{}, &parser, &names, &point));
  ASSERT_TRUE(point.has_any_names);
  ASSERT_FALSE(ParsePointLine("m 1 1 c=d", PointSyntax::kImport, PointLimits{}, &parser, &point));
  EXPECT_FALSE(point.has_any_names);
}

TEST(PutLineTest, SpecialValuesAreWordsOfImportLinesAlone) {
  PointText parser;
  for (const Value value : {Value::StaleMarker(), Value::NotANumber(), Value::Float(HUGE_VAL),
                            Value::Float(-HUGE_VAL)}) {
    const std::string line = fmt::format("m 1 {} a=b", SpecialValueWord(value));
    ASSERT_FALSE(parser.Parse(line, PointSyntax::kImport, PointLimits{})) << line;
    EXPECT_EQ(parser.point().value, value) << line;
    EXPECT_TRUE(parser.point().may_be_special);
    EXPECT_TRUE(parser.Parse(line, PointSyntax::kTelnet, PointLimits{}).has_value()) << line;
  }
  ASSERT_FALSE(parser.Parse("m 1 1.5 a=b", PointSyntax::kImport, PointLimits{}));
  EXPECT_FALSE(parser.point().may_be_special);
}

}  // namespace
}  // namespace hourcell::put_line_test
