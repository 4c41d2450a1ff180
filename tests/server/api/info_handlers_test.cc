#include "server/api/info_handlers.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "server/config/setting_table.h"
#include "tests/support/status_matchers.h"

namespace hourcell::info_handlers_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const StatOrigin kOrigin{.host = "box", .port = std::nullopt};

void CountSome(Stats* stats) {
  stats->counter("rpc.received", {{"type", "put"}})->Add(7);
  stats->counter("a.first")->Add(1);
}

TEST(InfoHandlersTest, AggregatorsAreAnArrayOfNames) {
  simdjson::dom::parser parser;
  simdjson::dom::array array;
  ASSERT_FALSE(parser.parse(AggregatorsInfo().body).get(array));

  EXPECT_EQ(array.size(), 35U);
  EXPECT_THAT(AggregatorsInfo().body,
              AllOf(StartsWith(R"(["sum","min",)"), HasSubstr(R"("mimmax")"),
                    HasSubstr(R"("squareSum")"), HasSubstr(R"("ep999r7")")));
}

TEST(InfoHandlersTest, VersionIsAllStrings) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  ASSERT_FALSE(parser.parse(VersionInfo(/*with_libraries=*/true).body).get(object));

  for (const auto [key, value] : object)
    EXPECT_TRUE(value.is_string()) << key;
  for (const std::string_view key :
       {"short_revision", "full_revision", "timestamp", "repo_status", "user", "host", "branch",
        "commit", "build_type", "compiler", "libraries"}) {
    EXPECT_EQ(object[key].error(), simdjson::SUCCESS) << key;
  }
  EXPECT_EQ(std::string_view(object["version"]), "2.4.0");
  EXPECT_EQ(std::string_view(object["repo"]), "hourcell");
  EXPECT_EQ(std::string_view(object["hourcell"]), "0.1.0");
}

TEST(InfoHandlersTest, LibrariesAreForClientsThatMayRead) {
  EXPECT_THAT(VersionInfo(/*with_libraries=*/false).body, Not(HasSubstr("RocksDB")));
}

TEST(InfoHandlersTest, VersionPageIsTwoLines) {
  const HttpResponse page = VersionPage();

  EXPECT_THAT(page.content_type, StartsWith("text/plain"));
  EXPECT_THAT(page.body, HasSubstr("built at revision 0.1.0\n"));
  EXPECT_EQ(std::count(page.body.begin(), page.body.end(), '\n'), 2);
}

TEST(InfoHandlersTest, StatsCarryTheOrigin) {
  Stats stats;
  CountSome(&stats);

  EXPECT_EQ(StatsInfo(stats, 1'356'998'400'999, kOrigin).body,
            R"([{"metric":"tsd.a.first","timestamp":1356998400,"value":"1",)"
            R"("tags":{"host":"box"}},)"
            R"({"metric":"tsd.rpc.received","timestamp":1356998400,"value":"7",)"
            R"("tags":{"type":"put","host":"box"}}])");
  EXPECT_EQ(StatsInfo(Stats(), 0, kOrigin).body, "[]");
}

TEST(InfoHandlersTest, StatsPageIsTextOrAnArrayOfLines) {
  Stats stats;
  CountSome(&stats);

  EXPECT_EQ(StatsPage(stats, 5'000, kOrigin, /*json=*/false).body,
            "tsd.a.first 5 1 host=box\ntsd.rpc.received 5 7 type=put host=box\n");
  EXPECT_EQ(StatsPage(stats, 5'000, kOrigin, /*json=*/true).body,
            R"(["tsd.a.first 5 1 host=box","tsd.rpc.received 5 7 type=put host=box"])");
}

TEST(InfoHandlersTest, ConfigIsAnObjectOfStrings) {
  Config config;
  ASSERT_OK(config.Set("tsd.mode", "ro"));

  const std::string body = ConfigInfo(config).body;

  EXPECT_THAT(body, HasSubstr(R"("tsd.mode":"ro")"));
  EXPECT_THAT(body, HasSubstr(R"("tsd.network.port":"4242")"));
}

TEST(InfoHandlersTest, ConfigHelpHasEverySettingInTheOrderOfTheTable) {
  simdjson::dom::parser parser;
  simdjson::dom::array rows;
  ASSERT_FALSE(parser.parse(ConfigHelp().body).get(rows));

  ASSERT_EQ(rows.size(), SettingTable().size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const Setting& setting = SettingTable()[i];
    EXPECT_EQ(std::string_view(rows.at(i)["key"]), setting.key);
    EXPECT_EQ(std::string_view(rows.at(i)["type"]), SettingTypeName(setting.type));
    EXPECT_EQ(std::string_view(rows.at(i)["default"]), setting.default_value);
    EXPECT_EQ(std::string_view(rows.at(i)["help"]), setting.help);
    EXPECT_EQ(rows.at(i)["choices"].is_array(), !setting.choices.empty());
    EXPECT_EQ(rows.at(i)["unit"].is_string(), setting.type == Setting::Type::kInteger);
  }
  EXPECT_THAT(ConfigHelp().body, HasSubstr(R"("choices":["rw","ro","wo"])"));
}

TEST(InfoHandlersTest, FiltersDescribeEveryType) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  ASSERT_FALSE(parser.parse(FiltersInfo().body).get(object));

  for (const std::string_view type :
       {"literal_or", "iliteral_or", "not_literal_or", "not_iliteral_or", "wildcard", "iwildcard",
        "regexp", "not_key"}) {
    EXPECT_TRUE(object[type]["description"].is_string()) << type;
    EXPECT_TRUE(object[type]["examples"].is_string()) << type;
  }
  EXPECT_EQ(object.size(), 8U);
}

TEST(InfoHandlersTest, TheClusterListsItsNodes) {
  const ClusterView view{.engine = "bigtable",
                         .nodes = {{.address = "a:1", .is_writer = true},
                                   {.address = "b:2", .is_writer = false, .quiet_ms = 12}},
                         .journal_blocks = 3,
                         .journal_bytes = 456};
  EXPECT_EQ(ClusterInfo(view, "own:1").body,
            R"({"engine":"bigtable","nodes":[{"address":"a:1","role":"writer","quiet_ms":0},)"
            R"({"address":"b:2","role":"waiting","quiet_ms":12}],)"
            R"("journal":{"blocks":3,"bytes":456}})");

  const ClusterView alone{.engine = "rocksdb", .nodes = {{.address = "", .is_writer = true}}};
  EXPECT_THAT(ClusterInfo(alone, "own:1").body,
              testing::HasSubstr(R"([{"address":"own:1","role":"writer","quiet_ms":0}])"));
}

TEST(InfoHandlersTest, SerializersNameJson) {
  simdjson::dom::parser parser;
  simdjson::dom::array array;
  ASSERT_FALSE(parser.parse(SerializersInfo().body).get(array));

  EXPECT_EQ(std::string_view(array.at(0)["serializer"]), "json");
}

}  // namespace
}  // namespace hourcell::info_handlers_test
