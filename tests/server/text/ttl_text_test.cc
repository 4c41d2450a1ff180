#include "server/text/ttl_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::ttl_text_test {
namespace {

using testing::HasSubstr;

TEST(TtlTextTest, SecondsAndDurations) {
  struct Case {
    std::string_view text;
    int64_t seconds;
  };
  for (const Case& c :
       {Case{"0", 0}, Case{"forever", 0}, Case{"1", 1}, Case{"86400", 86400}, Case{"90s", 90},
        Case{"12h", 43200}, Case{"30d", 2592000}, Case{"1y", 31536000}, Case{"1500ms", 1}}) {
    const auto ttl = ParseTtl(c.text);
    ASSERT_OK(ttl);
    EXPECT_EQ(*ttl, c.seconds) << c.text;
  }
  const auto none = ParseTtl("default");
  ASSERT_OK(none);
  EXPECT_EQ(*none, std::nullopt);
}

TEST(TtlTextTest, AnythingElseIsRefusedWithWhatIsWanted) {
  for (const std::string_view text : {"", "-1", "-1d", "0d", "1ms", "d", "30 d", "1.5d", "never",
                                      "99999999999999999999", "9223372036854775807y"}) {
    EXPECT_THAT(ParseTtl(text), StatusIs(absl::StatusCode::kInvalidArgument,
                                         HasSubstr("expected seconds, a duration")))
        << text;
  }
}

TEST(TtlTextTest, ThereAndBack) {
  for (const int64_t seconds : {0, 1, 59, 60, 90, 3600, 5400, 86400, 86401, 2592000}) {
    const auto ttl = ParseTtl(TtlText(seconds));
    ASSERT_OK(ttl);
    EXPECT_EQ(*ttl, seconds);
  }
  EXPECT_EQ(TtlText(2592000), "30d");
  EXPECT_EQ(TtlText(5400), "90m");
  EXPECT_EQ(TtlText(0), "forever");
}

}  // namespace
}  // namespace hourcell::ttl_text_test
