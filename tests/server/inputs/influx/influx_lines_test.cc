#include "server/inputs/influx/influx_lines.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/limits.h"
#include "tests/codec/allocation_count.h"

namespace hourcell::influx_lines_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Printed(const Value& value) {
  return value.is_integer() ? fmt::format("{}i", value.integer())
                            : fmt::format("{}", value.floating());
}

// The content of a line, names without escapes: "cpu|host=a|user=1.5|2|5": its strings, its
// timestamp.
std::string Said(const InfluxLine& line) {
  std::string buffer;
  std::string text(InfluxName(line.measurement, &buffer));
  text += "|";
  for (const TagView& tag : line.tags) {
    text += std::string(InfluxName(tag.key, &buffer)) + "=";
    text += std::string(InfluxName(tag.value, &buffer)) + ";";
  }
  text += "|";
  for (const InfluxField& field : line.fields)
    text += std::string(InfluxName(field.key, &buffer)) + "=" + Printed(field.value) + ";";
  text += fmt::format("|{}|", line.strings);
  return text + (line.timestamp ? std::to_string(*line.timestamp) : "");
}

// Each line of a body: its number and its content, or "!" and its fault.
std::vector<std::string> Read(std::string_view body) {
  std::vector<std::string> lines;
  InfluxLines reader(body);
  while (reader.Next()) {
    const std::string what = reader.fault().empty() ? Said(reader.line()) : "!" + reader.fault();
    lines.push_back(fmt::format("{} {}", reader.number(), what));
  }
  return lines;
}

TEST(InfluxLinesTest, ReadsLines) {
  EXPECT_THAT(Read("cpu,host=a,dc=lga user=1.5,system=2i 1465839830100400200\n"
                   "mem free=7u\n"),
              ElementsAre("1 cpu|host=a;dc=lga;|user=1.5;system=2i;|0|1465839830100400200",
                          "2 mem||free=7i;|0|"));
  EXPECT_THAT(Read("m f=1"), ElementsAre("1 m||f=1;|0|")) << "the last line needs no end";
}

TEST(InfluxLinesTest, ReadsTimestampsOfAnyLength) {
  EXPECT_THAT(Read("m f=1 1465839830100400200\nm f=1 1465839830100400200 \r\n"
                   "m f=1 9223372036854775807\nm f=1 -1465839830100400200\n"
                   "m f=1 00000000000000000000005\nm f=1 146583983010040020"),
              ElementsAre("1 m||f=1;|0|1465839830100400200", "2 m||f=1;|0|1465839830100400200",
                          "3 m||f=1;|0|9223372036854775807", "4 m||f=1;|0|-1465839830100400200",
                          "5 m||f=1;|0|5", "6 m||f=1;|0|146583983010040020"));
  for (const char* const text :
       {"9223372036854775808", "14658398301004002001", "146583983010040020x",
        "1465839830100400200x", "1465839830100400/00"})
    EXPECT_THAT(Read(std::string("m f=1 ") + text)[0], testing::HasSubstr("as the timestamp"))
        << text;
}

TEST(InfluxLinesTest, KeepsTheTextOfTags) {
  InfluxLines lines("cpu,host=a,dc=l\\ a f=1\nm f=1");
  ASSERT_TRUE(lines.Next());
  EXPECT_EQ(lines.line().tag_text, "host=a,dc=l\\ a");
  ASSERT_TRUE(lines.Next());
  EXPECT_EQ(lines.line().tag_text, "");
}

TEST(InfluxLinesTest, SkipsEmptyLinesCommentsAndBlanks) {
  EXPECT_THAT(Read("\n# a comment\n  \t\n#\r\n  m,a=b   f=1   5  \r\n\r\nn f=2\t6\r\n#end"),
              ElementsAre("5 m|a=b;|f=1;|0|5", "7 n||f=2;|0|6"));
  EXPECT_THAT(Read(""), ElementsAre());
  EXPECT_THAT(Read("# only"), ElementsAre());
}

TEST(InfluxLinesTest, SkipsAByteOrderMarkBeforeTheFirstLine) {
  EXPECT_THAT(Read("\xEF\xBB\xBFm f=1 5\nn f=2 6"), ElementsAre("1 m||f=1;|0|5", "2 n||f=2;|0|6"));
  EXPECT_THAT(Read("\xEF\xBB\xBF"), ElementsAre());
  EXPECT_THAT(Read("\xEF\xBB"), testing::SizeIs(1)) << "no mark";
}

TEST(InfluxLinesTest, ReadsEachType) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"1", "1"},
      {"-0", "-0"},
      {"+5", "5"},
      {"1.", "1"},
      {".5", "0.5"},
      {"-1.5e3", "-1500"},
      {"1E+3", "1000"},
      {"123456789012345678901", "1.2345678901234568e+20"},
      {"0i", "0i"},
      {"-9223372036854775808i", "-9223372036854775808i"},
      {"9223372036854775807i", "9223372036854775807i"},
      {"+3i", "3i"},
      {"0009223372036854775807i", "9223372036854775807i"},
      {"-0009223372036854775808i", "-9223372036854775808i"},
      {"00000000000000000001i", "1i"},
      {"00000000000000000000i", "0i"},
      {"00000000000000000001u", "1i"},
      {"9223372036854775807u", "9223372036854775807i"},
      {"18446744073709551615u", "1.8446744073709552e+19"},
      {"t", "1i"},
      {"T", "1i"},
      {"true", "1i"},
      {"True", "1i"},
      {"TRUE", "1i"},
      {"f", "0i"},
      {"F", "0i"},
      {"false", "0i"},
      {"False", "0i"},
      {"FALSE", "0i"}};
  for (const auto& [text, value] : cases) {
    EXPECT_THAT(Read("m f=" + text + ",g=1 9"),
                ElementsAre(fmt::format("1 m||f={};g=1;|0|9", value)))
        << text;
    EXPECT_THAT(Read("m f=" + text), ElementsAre(fmt::format("1 m||f={};|0|", value))) << text;
  }
}

TEST(InfluxLinesTest, StringsAreSkippedAndCounted) {
  EXPECT_THAT(Read(R"(m s="a b,c=d \" \\",f=1 5)"), ElementsAre("1 m||f=1;|1|5"));
  EXPECT_THAT(Read(R"(m s="",t="x" 5)"), ElementsAre("1 m|||2|5"));
  EXPECT_THAT(Read("m s=\"one\ntwo\",f=1 5\nn f=2"), ElementsAre("1 m||f=1;|1|5", "3 n||f=2;|0|"))
      << "a line end in a string is none, but counts";
  EXPECT_THAT(Read(R"(m s="a\q",f=1)"), ElementsAre("1 m||f=1;|1|"));
}

TEST(InfluxLinesTest, ReadsEscapes) {
  EXPECT_THAT(Read(R"(my\ m\,x=y,t\ a\,g\=k=v\ a\,l\=u fi\ e\,l\=d=1)"),
              ElementsAre("1 my m,x=y|t a,g=k=v a,l=u;|fi e,l=d=1;|0|"));
  EXPECT_THAT(Read(R"(c:\dir\n,p=\a\ b f=1)"), ElementsAre(R"(1 c:\dir\n|p=\a b;|f=1;|0|)"))
      << "every other backslash stands for itself";
  EXPECT_THAT(Read(R"(m,a=b\\ c f=1)"), ElementsAre(R"(1 m|a=b\ c;|f=1;|0|)"))
      << "the byte before the blank is a backslash";
  EXPECT_THAT(Read("m\"q\",\"t\"=\"v\" \"f\"=1"), ElementsAre("1 m\"q\"|\"t\"=\"v\";|\"f\"=1;|0|"))
      << "quotes are part of names";
}

TEST(InfluxLinesTest, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"cpu", "expected key=value after the measurement and its tags, got no field"},
      {"cpu,host=a", "got no field"},
      {"cpu,host=a ", "got no field"},
      {",host=a f=1", "expected a measurement, got an empty measurement"},
      {"cpu, f=1", "expected key=value, got an empty tag"},
      {"cpu,host f=1", "got the tag \"host\" without a value"},
      {"cpu,host= f=1", "got an empty value of a tag"},
      {"cpu,a=b=c f=1", "got a second = in the tag \"a\""},
      {"cpu f", "got the field \"f\" without a value"},
      {"cpu f=",
       "field \"f\": expected a finite number, an integer of 64 bits with i or u, a boolean or a "
       "string in quotes, got nothing"},
      {"cpu f=,g=1", "in quotes, got nothing"},
      {"cpu =1", "got an empty field"},
      {"cpu f=1,", "got an empty field"},
      {"cpu f=abc", "in quotes, got \"abc\""},
      {"cpu f=tru", "got \"tru\""},
      {"cpu f=NaN", "got \"NaN\""},
      {"cpu f=inf", "got \"inf\""},
      {"cpu f=1e999", "got \"1e999\""},
      {"cpu f=0x10", "got \"0x10\""},
      {"cpu f=1.5i", "got \"1.5i\""},
      {"cpu f=-1u", "got \"-1u\""},
      {"cpu f=9223372036854775808i", "got \"9223372036854775808i\""},
      {"cpu f=18446744073709551616u", "got \"18446744073709551616u\""},
      {"cpu f=\"x", "got a string that is not closed"},
      {"cpu f=\"x\"y", "got \"y\" after the field \"f\""},
      {"cpu f=1 x", "got \"x\" as the timestamp"},
      {"cpu f=1 1.5", "got \"1.5\" as the timestamp"},
      {"cpu f=1 5 6", "got \"5\" as the timestamp"},
      {"cpu f=1 99999999999999999999",
       "expected an integer of 64 bits, got \"99999999999999999999\" as the timestamp"}};
  for (const auto& [line, fault] : cases) {
    EXPECT_THAT(Read(line), ElementsAre(HasSubstr("1 !"))) << line;
    EXPECT_THAT(Read(line), ElementsAre(HasSubstr(fault))) << line;
  }
}

TEST(InfluxLinesTest, BoundsNamesTagsAndFields) {
  const std::string longest(kNameBytesMax, 'n');
  EXPECT_THAT(Read(longest + " f=1"), ElementsAre(HasSubstr("|f=1;|")));
  EXPECT_THAT(Read(longest + "n f=1"),
              ElementsAre(HasSubstr("expected at most 1024, got a measurement of 1025 bytes")));
  EXPECT_THAT(Read("m,a=" + longest + "n f=1"), ElementsAre(HasSubstr("of 1025 bytes")));
  EXPECT_THAT(Read("m f" + longest + "=1"), ElementsAre(HasSubstr("of 1025 bytes")));

  std::string tags = "m";
  for (size_t i = 0; i < kTagsMax; ++i)
    tags += fmt::format(",t{}=v", i);
  EXPECT_THAT(Read(tags + " f=1"), ElementsAre(HasSubstr("t63=v;|f=1;")));
  EXPECT_THAT(Read(tags + ",z=v f=1"),
              ElementsAre(HasSubstr("expected at most 64 tags, got more")));

  std::string fields = "m f=1";
  for (size_t i = 1; i < kInfluxFieldsMax; ++i)
    fields += ",f=1";
  EXPECT_THAT(Read(fields), ElementsAre(HasSubstr("1 m||")));
  EXPECT_THAT(Read(fields + ",f=1"),
              ElementsAre(HasSubstr("expected at most 4096 fields, got more")));
}

TEST(InfluxLinesTest, GoesOnAfterABadLine) {
  EXPECT_THAT(Read("a f=1\nbad\nb f=2\nworse f=\nc f=3"),
              ElementsAre("1 a||f=1;|0|", HasSubstr("2 !"), "3 b||f=2;|0|", HasSubstr("4 !"),
                          "5 c||f=3;|0|"));
}

TEST(InfluxLinesTest, ABadLineEndsWhereItsStringsSay) {
  EXPECT_THAT(Read("a,t f=\"x\nevil f=1\ny\",g=2 5\nb f=2"),
              ElementsAre(HasSubstr("1 !"), "4 b||f=2;|0|"));
  EXPECT_THAT(Read("a f=x,g=\"\\\"\nevil f=1\n\" 5\nb f=2"),
              ElementsAre(HasSubstr("1 !"), "4 b||f=2;|0|"));
  EXPECT_THAT(Read("a f=\"open\nevil f=1\n"), ElementsAre(HasSubstr("1 !")))
      << "a string that is not closed takes the rest";
}

TEST(InfluxLinesTest, AllocatesNothingPerLine) {
  std::string body;
  for (int i = 0; i < 1000; ++i)
    body += fmt::format("cpu,host=web{:02},dc=lga user={}.5,idle=3i,up=true {}\n", i % 10, i, i);
  const size_t before = AllocationCount();
  InfluxLines lines(body);
  size_t fields = 0;
  while (lines.Next())
    fields += lines.line().fields.size();
  EXPECT_EQ(fields, 3000U);
  EXPECT_LT(AllocationCount() - before, 10U);
}

}  // namespace
}  // namespace hourcell::influx_lines_test
