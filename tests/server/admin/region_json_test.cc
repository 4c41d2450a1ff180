#include "server/admin/region_json.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::region_json_test {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

TEST(RegionJsonTest, ReadsSplits) {
  const auto at = ParseSplitJson(R"({"table":"annotation","region":"a\"b","at":"\\x00\\x01"})");
  ASSERT_OK(at);
  EXPECT_EQ(at->split.table, "annotation");
  EXPECT_EQ(at->split.region, "a\"b");
  EXPECT_THAT(at->split.at, Optional(std::string("\\x00\\x01")));
  EXPECT_EQ(at->split.into, 2u);
  EXPECT_FALSE(at->is_dry_run);

  const auto into = ParseSplitJson(R"({"region":1356998400000,"into":4})");
  ASSERT_OK(into);
  EXPECT_EQ(into->split.table, "data");
  EXPECT_EQ(into->split.region, "1356998400000");
  EXPECT_EQ(into->split.at, std::nullopt);
  EXPECT_EQ(into->split.into, 4u);

  const auto planned = ParseSplitJson(R"({"region":1,"at":"hottest","dryRun":true})");
  ASSERT_OK(planned);
  EXPECT_THAT(planned->split.at, Optional(std::string(kAtHottest)));
  EXPECT_TRUE(planned->is_dry_run);
}

TEST(RegionJsonTest, ReadsMergesAndRollingSplits) {
  const auto merge = ParseMergeJson(R"({"regions":[17,"\\x00"]})");
  ASSERT_OK(merge);
  EXPECT_THAT(merge->regions, ElementsAre("17", "\\x00"));
  const auto rolling = ParseRollingJson(R"({"table":"data","split":"hex:16"})");
  ASSERT_OK(rolling);
  EXPECT_EQ(rolling->split, "hex:16");
  EXPECT_FALSE(rolling->abandon);
  const auto abandon = ParseRollingJson(R"({"abandon":true})");
  ASSERT_OK(abandon);
  EXPECT_TRUE(abandon->abandon);
  EXPECT_OK(ParseRollingJson("{}"));
}

TEST(RegionJsonTest, SaysWhatIsWrongAndWhatIsWanted) {
  const auto f = [](auto parse, const std::string& body, const std::string& says) {
    SCOPED_TRACE(body);
    EXPECT_THAT(parse(body), StatusIs(StatusCode::kInvalidArgument, HasSubstr(says)));
  };
  f(ParseSplitJson, "", "Missing message content");
  f(ParseSplitJson, "[1]", "Unable to parse");
  f(ParseSplitJson, "{", "Unable to parse");
  f(ParseSplitJson, "{}", "region: missing; expected an id");
  f(ParseSplitJson, R"({"region":""})", R"(or a key in it, got "\"\"")");
  f(ParseSplitJson, R"({"region":-1})",
    "region: expected an id, an encoded name, a full name, or a key in it, got \"-1\"");
  f(ParseSplitJson, R"({"region":["a"]})",
    "region: expected an id, an encoded name, a full name, or a key in it, got");
  f(ParseSplitJson, R"({"region":1,"at":5})", "at: expected a string, got \"5\"");
  f(ParseSplitJson, R"({"region":1,"into":1})",
    "into: expected a number of parts, 2 to 1024, got \"1\"");
  f(ParseSplitJson, R"({"region":1,"into":"4"})",
    "into: expected a number of parts, 2 to 1024, got");
  f(ParseSplitJson, R"({"region":1,"into":4294967298})",
    "into: expected a number of parts, 2 to 1024, got \"4294967298\"");
  f(ParseSplitJson, R"({"region":1,"into":2,"at":"k"})",
    "expected one or the other, got at and into");
  f(ParseSplitJson, R"({"region":1,"key":"k"})",
    "expected region, at or into, dryRun and table, got the field \"key\"");
  f(ParseSplitJson, R"({"region":1,"dryRun":1})", "dryRun: expected true or false, got \"1\"");
  f(ParseSplitJson, R"({"region":1,"table":null})", "table: expected a string, got \"null\"");
  f(ParseMergeJson, "{}", "regions: expected an array of two regions or more, got 0");
  f(ParseMergeJson, R"({"regions":[1]})",
    "regions: expected an array of two regions or more, got 1");
  f(ParseMergeJson, R"({"regions":"1,2"})",
    "regions: expected an array of two regions or more, got");
  f(ParseMergeJson, R"({"regions":[1,null]})",
    "regions: expected an id, an encoded name, a full name, or a key in it, got \"null\"");
  f(ParseMergeJson, R"({"regions":[1,2],"into":3})", "got the field \"into\"");
  f(ParseRollingJson, R"({"split":16})", "split: expected a string, got \"16\"");
  f(ParseRollingJson, R"({"abandon":1})", "abandon: expected true or false, got \"1\"");
  f(ParseRollingJson, R"({"abandon":true,"split":"hex:4"})", "got split and abandon");
}

TEST(RegionJsonTest, WritesWhatItReads) {
  const auto split = ParseSplitJson(
      SplitJson({.split = {.table = "t", .region = "\\x\"", .at = "k"}, .is_dry_run = true}));
  ASSERT_OK(split);
  EXPECT_EQ(split->split.table, "t");
  EXPECT_EQ(split->split.region, "\\x\"");
  EXPECT_THAT(split->split.at, Optional(std::string("k")));
  EXPECT_TRUE(split->is_dry_run);
  EXPECT_EQ(SplitJson({.split = {.region = "1", .into = 7}}),
            R"({"table":"data","region":"1","into":7})");
  EXPECT_EQ(MergeJson({.regions = {"1", "b"}}), R"({"table":"data","regions":["1","b"]})");
  EXPECT_EQ(RollingJson({.split = "hex:2"}), R"({"table":"data","split":"hex:2"})");
  EXPECT_EQ(RollingJson({}), R"({"table":"data"})");
  EXPECT_EQ(RollingJson({.abandon = true}), R"({"table":"data","abandon":true})");
}

TEST(RegionJsonTest, WritesRegions) {
  ListedRegion region{.id = 7,
                      .name = "data,\\x00,7.e.",
                      .encoded_name = "e",
                      .start = "\\x00",
                      .end = "b",
                      .state = "OPEN",
                      .column_family = "data.7",
                      .parents = {1, 2},
                      .pinned_until_ms = 9,
                      .has_references = true,
                      .file_bytes = 10,
                      .memory_bytes = 11,
                      .files = 12,
                      .young_files = 13};
  std::string out;
  AppendRegion(region, &out);
  const std::string plain =
      R"({"id":7,"name":"data,\\x00,7.e.","encoded":"e","start":"\\x00","end":"b","state":"OPEN",)"
      R"("family":"data.7","parents":[1,2],"pinnedUntil":9,"references":true,"fileBytes":10,)"
      R"("memoryBytes":11,"files":12,"youngFiles":13)";
  EXPECT_EQ(out, plain + "}");

  out.clear();
  region.explained = {.salt = 3,
                      .metric = "m",
                      .time_s = 1356998400,
                      .tags = {{"host", "a"}, {"dc", ""}},
                      .rest = "00"};
  AppendRegions({region, region}, &out);
  const std::string explained =
      plain + R"(,"explained":{"text":"salt 3, m, 2013-01-01 00:00:00, host=a, dc=, 0x00",)" +
      R"("salt":3,"metric":"m","time":1356998400,"tags":[{"key":"host","value":"a"},)" +
      R"({"key":"dc","value":""}],"rest":"00"}})";
  EXPECT_EQ(out, "[" + explained + "," + explained + "]");
}

TEST(RegionJsonTest, WritesPlans) {
  const auto text = [](const SplitPlan& plan) {
    std::string out;
    JsonWriter json(&out);
    json.OpenObject();
    AppendSplitPlan(plan, &json);
    json.CloseObject();
    return out;
  };
  const PlannedRegion first{.end = "\\x01", .bytes = 30, .write_share = 0.25};
  const PlannedRegion second{.start = "\\x01",
                             .start_hex = "01",
                             .explained = {.rest = "01"},
                             .bytes = 10,
                             .write_share = 0.75};
  EXPECT_EQ(text({.parent = 7,
                  .source = SplitSource::kWrites,
                  .sampled_writes = 9,
                  .daughters = {first, second}}),
            R"({"parent":7,"dryRun":true,"source":"writes",)"
            R"("note":"The key divides the recent writes.","sampledWrites":9,"daughters":[)"
            R"({"start":"","end":"\\x01","hex":"","explained":{"text":""},"bytes":30,)"
            R"("writeShare":0.25},{"start":"\\x01","end":"","hex":"01",)"
            R"("explained":{"text":"0x01","rest":"01"},"bytes":10,"writeShare":0.75}]})");

  SplitPlan all{.sampled_writes = 1,
                .undivided = "a salt would",
                .daughters = {{.write_share = 0}, {.write_share = 1}}};
  EXPECT_THAT(text(all), HasSubstr(R"("source":"settings","note":"No key divides the writes: )"
                                   "a salt would. The split settings chose the key. "
                                   R"(Almost all writes will go to one daughter.")"));
  EXPECT_THAT(text({.source = SplitSource::kGiven, .daughters = {first}}),
              testing::AllOf(HasSubstr(R"("source":"request","note":"","sampledWrites":0)"),
                             testing::Not(HasSubstr("writeShare"))));
}

TEST(RegionJsonTest, WritesProgress) {
  std::string out;
  AppendRolling({.split = "hex:4", .keys = 3, .made = 2, .there = 1, .is_resumed = true}, &out);
  EXPECT_EQ(out, R"({"split":"hex:4","keys":3,"made":2,"there":1,"resumed":true})");
}

TEST(RegionJsonTest, PrintsLoadsWithTheirUnits) {
  const RegionLoadReport report{
      .step_ms = 10'000,
      .start_ms = 20'000,
      .steps = 2,
      .regions =
          {{.id = 7,
            .start = "\\x00",
            .parents = {3},
            .is_open = false,
            .first_step = 1,
            .steps = {{.points_written = 1, .rows_written = 2, .rows_read = 4, .bytes = 5}}}},
      .events = {{.time_ms = 21'000, .parents = {3}, .daughters = {7, 8}, .cut = "cpu \"a\""},
                 {.time_ms = 22'000, .parents = {7, 8}, .daughters = {9}}}};
  std::string text;
  AppendRegionLoads("data", report, &text);
  EXPECT_EQ(
      text,
      R"({"table":"data","step_ms":10000,"start_ms":20000,"steps":2,"regions":[{"id":7,)"
      R"("start":"\\x00","end":"","parents":[3],"is_open":false,"first_step":1,)"
      R"("points_written":[1],"rows_written":[2],"rows_blocked":[0],"rows_read":[4],"bytes":[5]}],)"
      R"("events":[{"time_ms":21000,"kind":"split","parents":[3],"daughters":[7,8],)"
      R"("text":"Region 3 was split at cpu \"a\" into 7 and 8."},{"time_ms":22000,"kind":"merge",)"
      R"("parents":[7,8],"daughters":[9],"text":"Regions 7 and 8 were merged into 9."}]})");
}

}  // namespace
}  // namespace hourcell::region_json_test
