#include "server/lab/layouts_request.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::layouts_request_test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

TEST(LayoutsRequestTest, GivesTheCases) {
  const auto cases = ParseLayoutsJson(
      R"({"layouts":["opentsdb","salt-4"],"cells":["packed"],"rules":["none"],
          "workloads":["single"],"points":7200,"seed":3})");
  ASSERT_OK(cases);
  ASSERT_THAT(*cases, SizeIs(2));
  EXPECT_EQ(layouts::CaseName(cases->at(1)), "single salt-4 packed none");
  EXPECT_EQ(cases->at(1).points, 7'200u);
  EXPECT_EQ(cases->at(1).seed, 3u);
  const auto shortest = ParseLayoutsJson("{}");
  ASSERT_OK(shortest);
  EXPECT_EQ(shortest->at(0).points, 60'000u);
}

TEST(LayoutsRequestTest, SaysWhatIsWrong) {
  const auto f = [](const std::string& body, const std::string& says) {
    EXPECT_THAT(ParseLayoutsJson(body),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(says)))
        << body;
  };
  f("[]", "Unable to parse");
  f(R"({"size":"huge"})", "expected short, usual, thorough or full");
  f(R"({"layouts":"opentsdb"})", "expected an array of names");
  f(R"({"cells":["papyrus"]})", "papyrus");
  f(R"({"points":1000001})", "an integer, 1 to 1000000");
  f(R"({"colour":1})", "got the field \"colour\"");
  f(R"({"size":"full"})", "expected at most 64 cases");
}

}  // namespace
}  // namespace hourcell::layouts_request_test
