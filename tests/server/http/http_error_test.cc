#include "server/http/http_error.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace hourcell::http_error_test {
namespace {

TEST(HttpErrorTest, HasOpenTsdbsShape) {
  const HttpResponse plain = HttpError(404, "Endpoint not found");
  const HttpResponse detailed = HttpError(400, "No \"m\"", "tell\nme");

  EXPECT_EQ(plain.status, 404);
  EXPECT_EQ(plain.body, R"({"error":{"code":404,"message":"Endpoint not found"}})");
  EXPECT_EQ(plain.content_type, "application/json; charset=UTF-8");
  EXPECT_EQ(detailed.body, R"({"error":{"code":400,"message":"No \"m\"","details":"tell\nme"}})");
}

TEST(HttpErrorTest, AsksToComeAgainWith503Alone) {
  const HttpResponse later = HttpError(503, "busy");
  ASSERT_EQ(later.headers.size(), 1U);
  EXPECT_EQ(later.headers[0], (std::pair<std::string, std::string>("Retry-After", "1")));
  EXPECT_TRUE(HttpError(500, "broken").headers.empty());
}

TEST(HttpErrorTest, SaysWhatAStatusSays) {
  const HttpResponse response = HttpError(404, absl::NotFoundError("no \"sys.cpu\""));

  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.body, R"({"error":{"code":404,"message":"no \"sys.cpu\""}})");
}

}  // namespace
}  // namespace hourcell::http_error_test
