#include "server/admin/salt_handler.h"

#include <string>

#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"

namespace hourcell::salt_handler_test {
namespace {

using testing::HasSubstr;

class SaltHandlerTest : public ApiTest {};

TEST_F(SaltHandlerTest, BucketsAreChangedAndShown) {
  options().layout.salt_width = 1;
  Put({"m", "host=a", kStartS, 1});
  EXPECT_EQ(Send("GET /api/admin/salt").body, R"({"epochs":[{"from":0,"buckets":20}]})");

  const HttpResponse set =
      Send("POST /api/admin/salt", R"({"buckets":64,"from":"2014/01/01-00:00"})");
  EXPECT_EQ(set.status, 200);
  EXPECT_EQ(set.body, R"({"epochs":[{"from":0,"buckets":20},{"from":1388534400,"buckets":64}]})");
  EXPECT_THAT(Send("POST /api/admin/salt", R"({"buckets":"65","from":1388538000})").body,
              HasSubstr(R"({"from":1388538000,"buckets":65}]})"));
  EXPECT_EQ(Send("POST /api/admin/salt", R"({"buckets":7,"from":1388538000})").status, 409);
}

TEST_F(SaltHandlerTest, AChangeIsAJob) {
  options().layout.salt_width = 1;
  const HttpResponse begun = Send("POST /api/admin/salt?async", R"({"buckets":64})");
  EXPECT_EQ(begun.status, 202) << begun.body;
  EXPECT_THAT(begun.body, HasSubstr(R"("kind":"salt")"));
  // Invalid requests begin no epoch.
  const HttpResponse refused = Send("POST /api/admin/salt?async", R"({"buckets":0})");
  EXPECT_EQ(refused.status, 400) << refused.body;
  EXPECT_THAT(Send("GET /api/admin/jobs").body, HasSubstr(R"("kind":"salt")"));
}

TEST_F(SaltHandlerTest, WhatMakesNoSenseIsRefusedAndChangesNothing) {
  options().layout.salt_width = 1;
  Put({"m", "host=a", kStartS, 1});
  struct Case {
    std::string body;
    int status;
    std::string says;
  };
  const Case cases[] = {
      {"", 400, "expected an object with buckets"},
      {"[1]", 400, "expected an object with buckets"},
      {"{}", 400, "buckets: missing"},
      {R"({"from":1388538000})", 400, "buckets: missing"},
      {R"({"buckets":0})", 400, "expected a number above 0"},
      {R"({"buckets":2.5})", 400, "expected a number above 0"},
      {R"({"buckets":300})", 400, "got 300 buckets"},
      {R"({"buckets":2,"from":1388538001})", 400, "expected a whole hour"},
      {R"({"buckets":2,"from":"soon"})", 400, "soon"},
      {R"({"buckets":2,"until":1})", 400, "expected buckets and maybe from"},
      {R"({"buckets":2,"from":1356998400})", 409, "the store has rows of the hour"},
      {R"({"buckets":20})", 409, "other than 20 buckets"},
      {std::string(70'000, ' '), 400, "expected at most 65536"},
  };
  for (const Case& c : cases) {
    const HttpResponse answer = Send("POST /api/admin/salt", c.body);
    EXPECT_EQ(answer.status, c.status) << c.body.substr(0, 100);
    EXPECT_THAT(answer.body, HasSubstr(c.says));
  }
  EXPECT_EQ(Send("GET /api/admin/salt").body, R"({"epochs":[{"from":0,"buckets":20}]})");
}

TEST_F(SaltHandlerTest, RowsWithoutSaltHaveNoBuckets) {
  EXPECT_EQ(Send("GET /api/admin/salt").body, R"({"epochs":[{"from":0,"buckets":1}]})");
  const HttpResponse answer = Send("POST /api/admin/salt", R"({"buckets":2})");
  EXPECT_EQ(answer.status, 409);
  EXPECT_THAT(answer.body, HasSubstr("tsd.storage.salt.width is 0"));
}

}  // namespace
}  // namespace hourcell::salt_handler_test
