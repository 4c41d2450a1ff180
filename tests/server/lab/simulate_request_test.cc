#include "server/lab/simulate_request.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::simulate_request_test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

TEST(SimulateRequestTest, HasDefaults) {
  const auto request = ParseSimulateJson("{}");
  ASSERT_OK(request);
  ASSERT_THAT(request->designs, SizeIs(1));
  EXPECT_EQ(request->designs[0].layout, "opentsdb");
  EXPECT_EQ(request->heat_rows, 48u);
  EXPECT_FALSE(request->ids.has_value());
}

TEST(SimulateRequestTest, ReadsEachField) {
  const auto request = ParseSimulateJson(R"({
      "fleet":"metrics=3,tags=host:5","window":"1m","settle":"2h","heat_rows":10,"heat_steps":21,
      "designs":[{"name":"a","layout":"time-first","distributor":"xxh3:4","presplit":"hex:4",
                  "engine":"hbase","seed":7,
                  "settings":{"tsd.region.split.policy":"ConstantSize","TTL":86400}},
                 "b: layout=salted:20 presplit=salt"]})");
  ASSERT_OK(request);
  EXPECT_EQ(request->fleet.metrics, 3u);
  EXPECT_EQ(request->window_ms, 60'000u);
  EXPECT_EQ(request->settle_ms, 7'200'000u);
  EXPECT_EQ(request->heat_steps, 22u);  // an even number
  ASSERT_THAT(request->designs, SizeIs(2));
  EXPECT_EQ(request->designs[0].name, "a");
  EXPECT_EQ(request->designs[0].distributor, "xxh3:4");
  EXPECT_EQ(request->designs[0].settings.seed, 7u);
  EXPECT_EQ(request->designs[0].settings.regions.split.policy, SplitPolicyKind::kConstantSize);
  EXPECT_EQ(request->designs[1].layout, "salted:20");

  const auto ids = ParseSimulateJson(R"({"ids":1000,"rate":10})");
  ASSERT_OK(ids);
  EXPECT_EQ(ids->ids->ids, 1000u);
  EXPECT_EQ(ids->ids->ids_per_s, 10u);
  EXPECT_EQ(ids->designs[0].layout, "id");
}

TEST(SimulateRequestTest, SaysWhatIsWrong) {
  const auto f = [](const std::string& body, const std::string& says) {
    EXPECT_THAT(ParseSimulateJson(body),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(says)))
        << body;
  };
  f("", "Missing message content");
  f("[1]", "Unable to parse");
  f(R"({"flet":"x"})",
    "body: expected fleet, or ids and rate; designs, window, settle, heat_rows and heat_steps, got "
    "the field \"flet\"");
  f(R"({"fleet":3})", "fleet: expected a string, got \"3\"");
  f(R"({"fleet":"metrics=0"})", "metrics");
  f(R"({"fleet":"metrics=1000,tags=host:2000"})",
    "expected at most 1000000 on a server, got 2000000 series");
  f(R"({"fleet":"metrics=1","ids":3})", "got fleet and ids");
  f(R"({"ids":0})", "ids: expected an integer, 1 to 1000000000, got \"0\"");
  f(R"({"window":"soon"})", "expected a length of time");
  f(R"({"heat_rows":1})", "an integer, 2 to 256");
  f(R"({"heat_steps":999})", "an integer, 2 to 384");
  f(R"({"designs":[]})", "an array of 1 to 8 designs");
  f(R"({"designs":[1]})", "expected objects, or texts");
  f(R"({"designs":[{"nam":"x"}]})",
    "design: expected name, layout, distributor, presplit, engine, seed or settings, got the field "
    "\"nam\"");
  f(R"({"designs":[{"engine":"mysql"}]})", "engine hourcell or hbase");
  f(R"({"designs":[{"settings":{"tsd.simulate.nothing":1}}]})", "tsd.simulate.nothing");
  f(R"({"designs":["no colon"]})", "a name, a colon");
  f(R"({"designs":[{"layout":"sand"}]})", "design \"design\": ");
  f(R"({"designs":[{"distributor":"chance"}]})", "chance");
  f(R"({"designs":[{"presplit":"hex:0"}]})", "hex");
}

// What a client names must not be read by the server.
TEST(SimulateRequestTest, NoFileOfTheServerIsRead) {
  EXPECT_THAT(ParseSimulateJson(R"({"designs":[{"presplit":"file:/etc/passwd"}]})"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("the server reads no file")));
  EXPECT_THAT(ParseSimulateJson(R"({"designs":["a: presplit=file:/etc/passwd"]})"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("the server reads no file")));
  EXPECT_THAT(ParseSimulateJson(R"({"designs":[{"layout":"stored"}]})"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("got stored")));
}

}  // namespace
}  // namespace hourcell::simulate_request_test
