#include "server/http/http_error.h"

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

TEST(HttpErrorTest, SaysWhatAStatusSays) {
  const HttpResponse response = HttpError(404, absl::NotFoundError("no \"sys.cpu\""));

  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.body, R"({"error":{"code":404,"message":"no \"sys.cpu\""}})");
}

}  // namespace
}  // namespace hourcell::http_error_test
