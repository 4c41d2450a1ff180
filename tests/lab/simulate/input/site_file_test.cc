#include "bench/lab/simulate/input/site_file.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::site_file_test {
namespace {

using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST(SiteFileTest, PropertiesOfAnHBaseSite) {
  const auto settings = ParseSiteFile(
      "<?xml version=\"1.0\"?>\n"
      "<?xml-stylesheet type=\"text/xsl\" href=\"configuration.xsl\"?>\n"
      "<!-- of the cluster -->\n"
      "<configuration>\n"
      "  <property>\n"
      "    <name>hbase.hregion.max.filesize</name>\n"
      "    <value> 10737418240 </value>\n"
      "    <description>how <!-- not -->large</description>\n"
      "  </property>\n"
      "  <property><name>a</name><value>x&lt;y &amp; &quot;z&#x41;&#66;&apos;</value>"
      "<final>true</final></property>\n"
      "  <property><name>b</name><value><![CDATA[<&>]]></value></property>\n"
      "  <property><value/><name>c</name></property>\n"
      "  <property><name>unset</name></property>\n"
      "</configuration>\n");
  ASSERT_OK(settings);

  EXPECT_THAT(*settings,
              UnorderedElementsAre(Pair("hbase.hregion.max.filesize", "10737418240"),
                                   Pair("a", "x<y & \"zAB'"), Pair("b", "<&>"), Pair("c", "")));
}

TEST(SiteFileTest, TheLaterOfTwoHolds) {
  const auto settings = ParseSiteFile(
      "<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\">"
      "<property><name>a</name><value>1</value></property>"
      "<property><name>a</name><value>2</value></property></configuration>");
  ASSERT_OK(settings);

  EXPECT_THAT(*settings, UnorderedElementsAre(Pair("a", "2")));
}

TEST(SiteFileTest, RefusesWithTheLine) {
  for (const auto& [text, why] : std::initializer_list<std::pair<std::string_view, const char*>>{
           {"", "line 1: no element found"},
           {"<configuration>\n", "line 2: no element found"},
           {"<!DOCTYPE x>\n<configuration/>", ", got a DOCTYPE"},
           {"<configuration>\n<xi:include href=\"a\"/></configuration>", "line 2: expected"},
           {"<configuration><property><value>1</value></property></configuration>", "a <name>"},
           {"<configuration><property><name>a</name><name>b</name></property></configuration>",
            "one <name>"},
           {"<configuration><property><name>&evil;</name></property></configuration>",
            "undefined entity"},
           {"<configuration><property><name>&#55296;</name></property></configuration>",
            "reference to invalid character number"},
           {"<configuration><property><name>a<b/></name></property></configuration>", "</name>"},
           {"<configuration><property><name>a", "no element found"},
           {"<configuration><!-- ", "unclosed token"},
           {"<configuration></configuration><configuration>", "junk after document element"},
           {"<a/>", "expected <configuration>"},
           {"<configuration a=\"b\"/>", "no attribute"},
           {"<configuration>a<property/></configuration>", "expected <property>"},
           {"<configuration><property>a</property></configuration>", "expected </property>"},
           {"<configuration><property><name>\xFF", "not well-formed"}}) {
    EXPECT_THAT(ParseSiteFile(text), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(why)))
        << text;
  }
  EXPECT_THAT(ParseSiteFile(std::string(kSiteFileBytesMax + 1, ' ')),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("at most")));
}

TEST(SiteFileTest, XmlIsToldFromProperties) {
  EXPECT_TRUE(LooksLikeXml("\xEF\xBB\xBF\n <configuration>"));
  EXPECT_FALSE(LooksLikeXml("a=b\n"));
  EXPECT_FALSE(LooksLikeXml(""));
}

}  // namespace
}  // namespace hourcell::site_file_test
