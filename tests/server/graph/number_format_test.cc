#include "server/graph/number_format.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::number_format_test {
namespace {

using testing::HasSubstr;

std::string Print(std::string_view pattern, double value) {
  const absl::StatusOr<NumberFormat> format = NumberFormat::Parse(pattern);
  return format.ok() ? format->Print(value) : format.status().ToString();
}

TEST(NumberFormatTest, PrintsAsPrintfDoes) {
  EXPECT_EQ(Print("%.2f ms", 12.345), "12.35 ms");
  EXPECT_EQ(Print("%g", 1e9), "1e+09");
  EXPECT_EQ(Print("%.0f", 1e9), "1000000000");
  EXPECT_EQ(Print("%.1e", 12345), "1.2e+04");
  EXPECT_EQ(Print("%5.1lf%%", 99.95), "100.0%");
}

TEST(NumberFormatTest, HasGnuplotsLetters) {
  EXPECT_EQ(Print("%.1s %cB", 12'300), "12.3 kB");
  EXPECT_EQ(Print("%.0s%c", 5e9), "5G");
  EXPECT_EQ(Print("%.0s%c", 0.002), "2m");
  EXPECT_EQ(Print("%.1s%c", 7), "7.0");
  EXPECT_EQ(Print("%s%c", 0), "0");
  EXPECT_EQ(Print("%.0s%c", 1e300).back(), 'E');  // there is no letter beyond
}

TEST(NumberFormatTest, RefusesWhatIsNoFormat) {
  for (const std::string_view pattern :
       {"", "ms", "%", "%.2", "%n", "%d", "%f %f", "%s %c %c", "%.99f", "%c",
        "%f and a text that nobody wants at an axis"}) {
    EXPECT_THAT(NumberFormat::Parse(pattern),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("number format: expected one conversion")))
        << pattern;
  }
}

}  // namespace
}  // namespace hourcell::number_format_test
