#include "server/promql/prom_response.h"

#include <gtest/gtest.h>

namespace hourcell::prom_response_test {
namespace {

TEST(PromResponseTest, SuccessHasTheData) {
  const HttpResponse response = PromSuccess("[1]");

  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"({"status":"success","data":[1]})");
}

TEST(PromResponseTest, ABadParameterIsNamed) {
  const HttpResponse response =
      PromBadParameter("query", absl::InvalidArgumentError("1:5: parse error: x \"y\""));

  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.body, R"({"status":"error","errorType":"bad_data",)"
                           R"("error":"invalid parameter \"query\": 1:5: parse error: x \"y\""})");
}

TEST(PromResponseTest, EachFailureHasItsTypeAndStatus) {
  const auto check = [](const absl::Status& status, int want, std::string_view type_and_text,
                        int line) {
    const testing::ScopedTrace trace(__FILE__, line, "this case");
    const HttpResponse response = PromFailure(status);
    EXPECT_EQ(response.status, want);
    EXPECT_EQ(response.body, R"({"status":"error","errorType":)" + std::string(type_and_text));
  };
  check(absl::InvalidArgumentError("many"), 422, R"("execution","error":"many"})", __LINE__);
  check(absl::ResourceExhaustedError("full"), 422, R"("execution","error":"full"})", __LINE__);
  check(absl::CancelledError("x"), 503,
        R"("canceled","error":"query was canceled in expression evaluation"})", __LINE__);
  check(absl::DeadlineExceededError("x"), 503,
        R"("timeout","error":"query timed out in expression evaluation"})", __LINE__);
  check(absl::UnavailableError("closed"), 503, R"("unavailable","error":"closed"})", __LINE__);
  check(absl::DataLossError("bad cell"), 500, R"("internal","error":"bad cell"})", __LINE__);
}

}  // namespace
}  // namespace hourcell::prom_response_test
