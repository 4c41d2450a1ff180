#include "server/names/meta_handler.h"

#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "codec/base/check.h"
#include "server/names/meta_fields.h"
#include "tests/server/api_fixture.h"
#include "tests/support/vectors.h"

namespace hourcell::meta_handler_test {
namespace {

using simdjson::dom::element;
using testing::AllOf;
using testing::HasSubstr;

const std::string kSeriesBytes("\0\0\1\0\0\1\0\0\1", 9);
constexpr std::string_view kSeriesHex = "000001000001000001";
constexpr std::string_view kNoSeriesHex = "000001000001000002";

const DocumentKey kUidKey = {.kind = UidKind::kMetric, .id = std::string("\0\0\1", 3)};
const DocumentKey kSeriesKey = {.kind = std::nullopt, .id = kSeriesBytes};

class MetaHandlerTest : public ApiTest {
 protected:
  // sys.cpu.0{host=web01} and sys.cpu.2{host=web01,datacenter=dc01}; web02 is a tag value.
  void PutSeries() {
    Put({"sys.cpu.0", "host=web01", kStartS, 1});
    Put({"sys.cpu.2", "host=web01 datacenter=dc01", kStartS + 7, 1});
    ASSERT_OK(tsdb().names().AssignUid(UidKind::kTagv, "web02"));
  }

  void SetDocument(const DocumentKey& key, const std::string& json) {
    const auto fields = ParseMetaDocument(json);
    ASSERT_OK(fields);
    const MetaOf of = key.kind.has_value() ? MetaOf::kUid : MetaOf::kSeries;
    ASSERT_OK(tsdb().names().ChangeDocument(key, [&](const std::optional<std::string>&) {
      return std::optional<std::string>(PrintMetaDocument(*fields, of));
    }));
  }

  HttpResponse SendVector(element given) {
    const std::string line = TextOf(given, "method") + " " + TextOf(given, "url");
    return Send(line, Has(given, "body") ? simdjson::to_string(given["body"]) : "");
  }
};

// A store for each vector: most vectors change it.
class OneVector : public MetaHandlerTest {
 public:
  explicit OneVector(const TestVector& vector) : vector_(vector) {
    if (!Has(vector.given, "mode")) return;
    HOURCELL_CHECK(config().Set("tsd.mode", TextOf(vector.given, "mode")).ok());
  }
  void TestBody() override {}

  void RunUid() {
    ASSERT_OK(tsdb().names().AssignUid(UidKind::kMetric, "sys.cpu.0"));
    ASSERT_OK(tsdb().names().AssignUid(UidKind::kMetric, "sys.cpu.1"));
    ASSERT_OK(tsdb().names().AssignUid(UidKind::kMetric, "sys.cpu.2"));
    if (Has(vector_.given, "object")) {
      std::string empty;
      AppendUidMeta({}, &empty);
      EXPECT_EQ(empty, TextOf(vector_.expect, "json"));
    } else if (Has(vector_.given, "kind")) {
      RunMerge(kUidKey, R"("uid":"000001","type":"metric")");
    } else {
      SetDocument(kUidKey, R"({"displayName":"System CPU","description":"Description",)"
                           R"("notes":"MyNotes","created":1328140801})");
      RunRequest();
    }
  }

  void RunSeries() {
    if (Has(vector_.expect, "cells") && Has(vector_.given, "tsuid")) return CheckStored();
    PutSeries();
    if (Has(vector_.expect, "cells")) return CheckUntracked();
    if (Has(vector_.given, "kind")) {
      const bool is_stored = !vector_.given["stored"].is_null();
      return RunMerge(kSeriesKey,
                      fmt::format(R"("tsuid":"{}")", is_stored ? kSeriesHex : kNoSeriesHex));
    }
    SetDocument(kSeriesKey, R"({"displayName":"Display","retention":42,"max":1.0,"dataType":"D"})");
    RunRequest();
  }

 private:
  void RunMerge(const DocumentKey& key, const std::string& id) {
    if (!vector_.given["stored"].is_null()) {
      SetDocument(key, simdjson::to_string(vector_.given["stored"]));
    }
    std::string body = simdjson::to_string(vector_.given["request"]);
    body = "{" + id + (body == "{}" ? "" : ",") + body.substr(1);
    const std::string path = key.kind.has_value() ? "/api/uid/uidmeta" : "/api/uid/tsmeta";
    const HttpResponse response = Send(TextOf(vector_.given, "method") + " " + path, body);
    if (Has(vector_.expect, "status")) {
      EXPECT_EQ(response.status, IntOf(vector_.expect, "status")) << response.body;
      return;
    }
    ASSERT_EQ(response.status, 200) << response.body;
    simdjson::dom::parser parser;
    element got;
    ASSERT_FALSE(parser.parse(response.body).get(got)) << response.body;
    for (const auto [field, want] : vector_.expect["meta"].get_object())
      EXPECT_EQ(simdjson::to_string(got[field]), simdjson::to_string(want)) << field;
  }

  void RunRequest() {
    const HttpResponse response = SendVector(vector_.given);
    EXPECT_EQ(response.status, IntOf(vector_.expect, "status")) << response.body;
    if (!Has(vector_.expect, "contains")) return;
    for (const element part : vector_.expect["contains"].get_array())
      EXPECT_THAT(response.body, HasSubstr(std::string(std::string_view(part))));
  }

  // OpenTSDB's text has the tsuid, too; ours has it in the key of the row alone.
  void CheckStored() {
    const auto fields = ParseMetaDocument(simdjson::to_string(vector_.given));
    ASSERT_OK(fields);
    std::string want = TextOf(vector_.expect["cells"].at(0), "value");
    const std::string tsuid = R"("tsuid":"000001000001000001",)";
    want.erase(want.find(tsuid), tsuid.size());
    EXPECT_EQ(PrintMetaDocument(*fields, MetaOf::kSeries), want);
  }

  // Deviation: OpenTSDB lacks the meta of a series that it did not track. Ours comes from the
  // index.
  void CheckUntracked() {
    EXPECT_EQ(Send(fmt::format("GET /api/uid/tsmeta?tsuid={}", kSeriesHex)).status, 200);
  }

  const TestVector& vector_;
};

TEST(MetaVectorsTest, TheVectorsOfUidsAreAnswered) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("rest.json", "uidmeta")) {
    SCOPED_TRACE(simdjson::to_string(vector.given));
    OneVector(vector).RunUid();
    ++run;
  }
  EXPECT_EQ(run, 20);
}

TEST(MetaVectorsTest, TheVectorsOfSeriesAreAnswered) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("rest.json", "tsmeta")) {
    SCOPED_TRACE(simdjson::to_string(vector.given));
    OneVector(vector).RunSeries();
    ++run;
  }
  EXPECT_EQ(run, 22);
}

TEST_F(MetaHandlerTest, ASeriesIsDescribedByTheIndex) {
  PutSeries();
  SetDocument({.kind = UidKind::kTagk, .id = std::string("\0\0\1", 3)}, R"({"notes":"a host"})");
  const auto uid = [](std::string_view hex, std::string_view type, std::string_view name,
                      std::string_view notes = "") {
    return fmt::format(R"({{"uid":"{}","type":"{}","name":"{}","description":"","notes":"{}",)"
                       R"("created":0,"custom":null,"displayName":""}})",
                       hex, type, name, notes);
  };
  EXPECT_EQ(Send(fmt::format("GET /api/uid/tsmeta?tsuid={}", kSeriesHex)).body,
            fmt::format(
                R"({{"tsuid":"{}","metric":{},"tags":[{},{}],"description":"","notes":"",)"
                R"("created":0,"units":"","retention":0,"max":"NaN","min":"NaN","custom":null,)"
                R"("displayName":"","dataType":"","lastReceived":{},"totalDatapoints":0}})",
                kSeriesHex, uid("000001", "METRIC", "sys.cpu.0"),
                uid("000001", "TAGK", "host", "a host"), uid("000001", "TAGV", "web01"), kStartS));
}

TEST_F(MetaHandlerTest, AllSeriesOfAMetricAreListed) {
  PutSeries();
  Put({"sys.cpu.0", "host=web02", kStartS, 1});
  const HttpResponse response = Send("GET /api/uid/tsmeta?m=sys.cpu.0");
  simdjson::dom::parser parser;
  element list;
  ASSERT_FALSE(parser.parse(response.body).get(list)) << response.body;
  ASSERT_EQ(list.get_array().size(), 2U);
  EXPECT_EQ(TextOf(list.at(0), "tsuid"), kSeriesHex);
  EXPECT_EQ(TextOf(list.at(1), "tsuid"), "000001000001000003");
  EXPECT_EQ(Send("GET /api/uid/tsmeta?m=sys.cpu.0{host=dc01}").body, "[]");
  EXPECT_EQ(Send("GET /api/uid/tsmeta?m=nosuch").status, 404);
}

TEST_F(MetaHandlerTest, WhatIsSetStaysAndIsRemoved) {
  PutSeries();
  const std::string tsuid = fmt::format("/api/uid/tsmeta?tsuid={}", kSeriesHex);
  EXPECT_EQ(Send("POST " + tsuid, R"({"units":"%","custom":{"owner":"ann"}})").status, 200);
  EXPECT_THAT(Send("GET " + tsuid).body, HasSubstr(R"("custom":{"owner":"ann"})"));
  EXPECT_EQ(Send("PUT " + tsuid, R"({"notes":"n"})").status, 200);
  EXPECT_THAT(Send("GET " + tsuid).body,
              AllOf(HasSubstr(R"("units":"")"), HasSubstr(R"("custom":null)")));
  EXPECT_EQ(Send("DELETE " + tsuid).status, 204);
  EXPECT_THAT(Send("GET " + tsuid).body, HasSubstr(R"("notes":"")"));
  EXPECT_EQ(Send("DELETE " + tsuid).status, 204) << "nothing is left to be removed";
}

TEST_F(MetaHandlerTest, ARenamedMetricKeepsItsTexts) {
  PutSeries();
  ASSERT_EQ(Send("POST /api/uid/uidmeta", R"({"uid":"1","type":"metric","notes":"n"})").status,
            200);
  ASSERT_OK(tsdb().names().RenameUid(UidKind::kMetric, "sys.cpu.0", "cpu"));
  EXPECT_THAT(Send("GET /api/uid/uidmeta?uid=000001&type=metrics").body,
              HasSubstr(R"("name":"cpu","description":"","notes":"n")"));
}

TEST_F(MetaHandlerTest, ASeriesThatDoesNotExistIsMadeOnlyWhenAsked) {
  PutSeries();
  const std::string line = "POST /api/uid/tsmeta?m=sys.cpu.0{host=web02}";
  EXPECT_EQ(Send(line, R"({"notes":"n"})").status, 400);
  EXPECT_EQ(Send(line + "&create=true", "{}").status, 200) << "create stores a text of defaults";
  EXPECT_EQ(Send(line, R"({"notes":"n"})").status, 200);
  EXPECT_EQ(Send("POST /api/uid/tsmeta?m=sys.cpu.0{host=nosuch}&create=true", "{}").status, 404);
}

TEST_F(MetaHandlerTest, SaysWhatIsWrong) {
  PutSeries();
  struct Case {
    std::string_view line;
    std::string_view body;
    int status;
    std::string_view says;
  };
  for (const auto& [line, body, status, says] :
       {Case{"POST /api/uid/uidmeta", R"({"uid":"000009","type":"metric","notes":"n"})", 404,
             "Could not find the requested UID"},
        Case{"GET /api/uid/uidmeta?uid=xyz&type=metric", "", 400, "xyz"},
        Case{"GET /api/uid/uidmeta?uid=00000001&type=metric", "", 400, "3"},
        Case{"POST /api/uid/uidmeta", "{", 400, "Unable to parse"},
        Case{"POST /api/uid/uidmeta", R"({"uid":"000001","type":"metric","custom":1})", 400,
             "custom"},
        Case{"GET /api/uid/tsmeta", "", 400, "Missing 'tsuid' or 'm'"},
        Case{"GET /api/uid/tsmeta?tsuid=000001", "", 400, "tsuid"},
        Case{"GET /api/uid/tsmeta?m={host=web01}", "", 400, "Missing metric"},
        Case{"POST /api/uid/tsmeta", R"({"notes":"n"})", 400, "Missing TSUID"},
        Case{"DELETE /api/uid/tsmeta", "{}", 400, "Missing TSUID"},
        Case{"POST /api/uid/tsmeta?m=sys.cpu.0{host=*}", R"({"notes":"n"})", 400,
             "expected each tag with its value"},
        Case{"POST /api/uid/tsmeta?m=sys.cpu.0", R"({"notes":"n"})", 400,
             "expected a metric and its tags"},
        Case{"POST /api/uid/tsmeta?m=sys.cpu.0{host=web01,host=web02}", R"({"notes":"n"})", 400,
             "expected one value"}}) {
    const HttpResponse response = Send(line, std::string(body));
    EXPECT_EQ(response.status, status) << line << body;
    EXPECT_THAT(response.body, HasSubstr(std::string(says))) << line << body;
  }
}

TEST_F(MetaHandlerTest, ADamagedTextIsDataLoss) {
  PutSeries();
  ASSERT_OK(tsdb().names().ChangeDocument(kUidKey, [](const std::optional<std::string>&) {
    return std::optional<std::string>("no JSON");
  }));
  EXPECT_EQ(Send("GET /api/uid/uidmeta?uid=000001&type=metric").status, 500);
}

}  // namespace
}  // namespace hourcell::meta_handler_test
