#include "server/inputs/foreign_doors.h"

#include <string>

#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"

namespace hourcell::foreign_doors_test {
namespace {

using testing::HasSubstr;

class ForeignDoorsTest : public ApiTest {};

TEST_F(ForeignDoorsTest, WhatInflux2HasBesidesAWriteIsNamed) {
  for (const char* const target : {"POST /api/v2/query?org=o", "GET /api/v2/buckets?name=b",
                                   "POST /api/v2/buckets", "GET /api/v2/orgs"}) {
    const HttpResponse response = Send(target);
    EXPECT_EQ(response.status, 404) << target;
    EXPECT_THAT(response.body, HasSubstr(R"({"code":"not found","message":"of InfluxDB 2 only )"))
        << target;
  }
  EXPECT_EQ(Send("POST /api/v2/put").status, 501) << "a version of OpenTSDB's";
}

}  // namespace
}  // namespace hourcell::foreign_doors_test
