#include "server/admin/dump_handler.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/api_fixture.h"

namespace hourcell::dump_handler_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class DumpHandlerTest : public ApiTest {};

TEST_F(DumpHandlerTest, ARowIsALineAndTheLastLineCountsThem) {
  Put({"cpu", "host=a", kStartS, 1});
  Put({"cpu", "host=b", kStartS + 1, 2});

  EXPECT_EQ(Send("GET /api/admin/scan").body,
            R"({"key":"00000150e22700000001000001","metric":"cpu","tags":{"host":"a"},)"
            R"("base":1356998400,"qualifiers":"0000","values":"01"})"
            "\n"
            R"({"key":"00000150e22700000001000002","metric":"cpu","tags":{"host":"b"},)"
            R"("base":1356998400,"qualifiers":"0010","values":"02"})"
            "\n{\"lines\":2}\n");
  EXPECT_THAT(Send("GET /api/admin/scan?metric=cpu&tag=host%3Db").body,
              EndsWith("{\"lines\":1}\n"));
  EXPECT_EQ(Send("GET /api/admin/scan?start=1357002000000").body, "{\"lines\":0}\n");
}

TEST_F(DumpHandlerTest, AggregatesAreTotalsOfThePointsInTheRange) {
  Put({"cpu", "host=a", kStartS, 1});
  Put({"cpu", "host=a", kStartS + 1, 5});
  Put({"cpu", "host=b", kStartS + 1, 2});

  EXPECT_THAT(Send("GET /api/admin/scan?metric=cpu&aggregate=rows,points,sum&by=tag:host").body,
              StartsWith(R"({"total":{"rows":2,"points":3,"sum":8},"groups":[)"
                         R"({"by":{"tag:host":"a"},"rows":1,"points":2,"sum":6},)"
                         R"({"by":{"tag:host":"b"},"rows":1,"points":1,"sum":2}],)"
                         R"("regions":[{"id":)"));
  EXPECT_THAT(
      Send("GET /api/admin/scan?metric=cpu&aggregate=points&start=1356998401000&value=%3E1").body,
      StartsWith(R"({"total":{"points":2},"groups":[],"regions":[{"id":)"));
  EXPECT_THAT(Send("GET /api/admin/scan?metric=cpu&tag=host%3Db&aggregate=all").body,
              HasSubstr(R"("rows":1,"points":1,"min":2,"max":2,)"));
  EXPECT_THAT(Send("GET /api/admin/scan?aggregate=rows").body, HasSubstr(R"("workers":1})"));
}

TEST_F(DumpHandlerTest, AnAggregateHasTheLimitsOfQueries) {
  Put({"cpu", "host=a", kStartS, 1});
  Put({"cpu", "host=b", kStartS, 1});

  const HttpResponse response = Send("GET /api/admin/scan?aggregate=rows&by=tag:host&groups=1");
  EXPECT_EQ(response.status, 413);
  EXPECT_THAT(response.body, HasSubstr("groups: expected at most 1"));
  EXPECT_EQ(Send("GET /api/admin/scan?metric=none&aggregate=rows").status, 404);
  EXPECT_THAT(Send("GET /api/stats/query").body,
              HasSubstr(R"({"type":"SCAN","metric":"none","aggregate":"rows"})"));
  deadline_ms_ = clock_.MonotonicMs() - 1;
  EXPECT_EQ(Send("GET /api/admin/scan?aggregate=rows").status, 413);
  rights_ = AccessRights::Read();
  EXPECT_EQ(Send("GET /api/admin/scan?aggregate=rows").status, 403);
}

TEST_F(DumpHandlerTest, HistogramsAreImportLines) {
  const SimpleHistogram histogram{.overflow = 1};
  for (const std::string host : {"host=a", "host=b"}) {
    OwnedPoint point("latency", host, kStartS, 0);
    const HistogramPoint one{.point = point.view(), .histogram = &histogram, .codec = 42};
    ASSERT_OK(tsdb().points().AppendHistograms({&one, 1}, nullptr));
  }
  Put({"latency", "host=a", kStartS, 1});

  EXPECT_EQ(Send("GET /api/admin/scan?histograms").body,
            "{\"line\":\"histogram latency 1356998400 42 AAAAAQ== host=a\"}\n"
            "{\"line\":\"histogram latency 1356998400 42 AAAAAQ== host=b\"}\n{\"lines\":2}\n");
  EXPECT_THAT(Send("GET /api/admin/scan?histograms&metric=latency&tag=host%3Db").body,
              EndsWith("host=b\"}\n{\"lines\":1}\n"));
  EXPECT_EQ(Send("GET /api/admin/scan?histograms&start=1356998401000").body, "{\"lines\":0}\n");
}

TEST_F(DumpHandlerTest, NamesAreFoundByExpressionNameAndUid) {
  Put({"cpu", "host=a", kStartS, 1});
  constexpr std::string_view kCpu =
      "{\"kind\":\"metrics\",\"name\":\"cpu\",\"uid\":\"000001\"}\n{\"lines\":1}\n";

  EXPECT_EQ(Send("GET /api/admin/uid?kind=metrics&grep=C&ignore_case").body, kCpu);
  EXPECT_EQ(Send("GET /api/admin/uid?kind=metrics&name=cpu").body, kCpu);
  EXPECT_EQ(Send("GET /api/admin/uid?kind=metrics&uid=1").body, kCpu);
  EXPECT_EQ(Send("GET /api/admin/uid?kind=metrics&grep=C").body, "{\"lines\":0}\n");
}

TEST_F(DumpHandlerTest, DeletingANameRemovesItsMapping) {
  Put({"cpu", "host=a", kStartS, 1});

  EXPECT_EQ(Send("DELETE /api/admin/uid?kind=metrics&name=cpu").status, 204);

  EXPECT_EQ(Send("GET /api/admin/uid?kind=metrics&name=cpu").status, 404);
  EXPECT_EQ(Send("DELETE /api/admin/uid?kind=metrics&name=cpu").status, 404);
  EXPECT_EQ(Send("DELETE /api/admin/uid?kind=metrics&uid=1").status, 400);
}

TEST_F(DumpHandlerTest, WhatCannotBeReadIsRefused) {
  for (const char* target :
       {"/api/admin/scan?start=soon", "/api/admin/scan?end=1x", "/api/admin/scan?metric=m&tag=host",
        "/api/admin/scan?tag=host%3Da", "/api/admin/scan?aggregate=median",
        "/api/admin/scan?by=metric", "/api/admin/scan?aggregate=rows&value=1",
        "/api/admin/scan?aggregate=rows&groups=x", "/api/admin/uid?name=a",
        "/api/admin/uid?kind=x&name=a", "/api/admin/uid?kind=tagk",
        "/api/admin/uid?kind=tagk&name=a&uid=1", "/api/admin/uid?kind=tagk&uid=-1",
        "/api/admin/uid?kind=tagk&grep=("}) {
    EXPECT_EQ(Send(std::string("GET ") + target).status, 400) << target;
  }
  EXPECT_EQ(Send("GET /api/admin/scan?metric=none").status, 404);
}

TEST_F(DumpHandlerTest, BothAreForAdministrators) {
  rights_ = AccessRights::Read();

  EXPECT_EQ(Send("GET /api/admin/scan").status, 403);
  EXPECT_EQ(Send("GET /api/admin/uid?kind=tagk&grep=.").status, 403);
  EXPECT_EQ(Send("DELETE /api/admin/uid?kind=tagk&name=a").status, 403);
}

TEST_F(DumpHandlerTest, AScanEndsWhenItIsLate) {
  Put({"cpu", "host=a", kStartS, 1});
  deadline_ms_ = clock_.MonotonicMs() - 1;

  const HttpResponse response = Send("GET /api/admin/scan");

  EXPECT_EQ(response.status, 413);
  EXPECT_THAT(response.body, HasSubstr("tsd.query.timeout"));
}

TEST_F(DumpHandlerTest, AScanIsListedWithWhatItAsks) {
  Put({"cpu", "host=a", kStartS, 1});
  Send("GET /api/admin/scan?metric=cpu");

  EXPECT_THAT(Send("GET /api/stats/query").body, HasSubstr(R"({"type":"SCAN","metric":"cpu"})"));
}

}  // namespace
}  // namespace hourcell::dump_handler_test
