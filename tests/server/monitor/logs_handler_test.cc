#include "server/monitor/logs_handler.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/check.h"
#include "server/http/http_target.h"

namespace hourcell::logs_handler_test {
namespace {

using testing::HasSubstr;

const std::vector<LogLine> kLines = {
    {.time_s = 30, .level = LogLevel::kError, .thread = "hc-sealer", .message = "a \"b\""},
    {.time_s = 20, .level = LogLevel::kWarning, .thread = "hc-io-0", .message = "slow"},
    {.time_s = 10, .level = LogLevel::kInfo, .thread = "main", .message = "listening"},
};

HttpResponse Get(std::string_view target) {
  HttpRequest request;
  request.method = "GET";
  request.target = target;
  HOURCELL_CHECK(ParseTarget(&request).ok());
  return HandleLogs(request, kLines);
}

TEST(LogsHandlerTest, PrintsTheNewestLineFirst) {
  const HttpResponse response = Get("/logs");
  EXPECT_EQ(response.content_type, "text/plain; charset=UTF-8");
  EXPECT_EQ(response.body,
            "30\tERROR\thc-sealer\thourcell\ta \"b\"\n"
            "20\tWARN\thc-io-0\thourcell\tslow\n"
            "10\tINFO\tmain\thourcell\tlistening\n");
}

TEST(LogsHandlerTest, PrintsAJsonArray) {
  EXPECT_EQ(Get("/logs?json&level=error").body, R"(["30\tERROR\thc-sealer\thourcell\ta \"b\""])");
  EXPECT_EQ(Get("/logs?json&level=off").body, "[]");
}

TEST(LogsHandlerTest, ALevelLeavesOutTheLinesBelowIt) {
  EXPECT_EQ(Get("/logs?level=Warn").body,
            "30\tERROR\thc-sealer\thourcell\ta \"b\"\n20\tWARN\thc-io-0\thourcell\tslow\n");
  EXPECT_EQ(Get("/logs?level=TRACE&logger=ROOT").body, Get("/logs").body);
  EXPECT_EQ(Get("/logs?level=OFF").body, "");
}

TEST(LogsHandlerTest, AnUnknownLevelIsRefused) {
  const HttpResponse response = Get("/logs?level=foo");
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("Invalid level: foo"));
}

}  // namespace
}  // namespace hourcell::logs_handler_test
