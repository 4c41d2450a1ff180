#include "server/text/json_text.h"

#include <string>

#include <gtest/gtest.h>

namespace hourcell::json_text_test {
namespace {

TEST(JsonTextTest, APairIsTwoStrings) {
  std::string out;
  AppendJsonPair("a\"", "b", &out);
  EXPECT_EQ(out, R"("a\"":"b")");
}

}  // namespace
}  // namespace hourcell::json_text_test
