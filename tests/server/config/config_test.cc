#include "server/config/config.h"

#include <fstream>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/config/setting_table.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::config_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::StartsWith;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(ConfigTest, HasDefaults) {
  const Config config;

  EXPECT_EQ(config.integer("tsd.network.port"), 4242);
  EXPECT_EQ(config.text("tsd.network.bind"), "127.0.0.1");
  EXPECT_TRUE(config.boolean("tsd.core.auto_create_metrics"));
  EXPECT_THAT(config.text("tsd.http.request.cors_headers"), StartsWith("Authorization, Content"));
}

TEST(ConfigTest, ReadsBooleansAsOpenTsdbDoes) {
  for (const std::string_view text : {"1", "true", "TRUE", "Yes"}) {
    Config config;
    ASSERT_OK(config.Set("tsd.core.stats_with_port", text));
    EXPECT_TRUE(config.boolean("tsd.core.stats_with_port")) << text;
  }
  Config config;
  ASSERT_OK(config.Set("tsd.rpc.telnet.return_errors", "no"));
  EXPECT_FALSE(config.boolean("tsd.rpc.telnet.return_errors"));
}

TEST(ConfigTest, RefusesValuesOfTheWrongType) {
  Config config;

  EXPECT_THAT(config.Set("tsd.network.port", "telnet"),
              StatusIs(kInvalid, AllOf(HasSubstr(", got \"telnet\""),
                                       HasSubstr("an integer from 0 to 65535"))));
  EXPECT_THAT(config.Set("tsd.network.port", "65536"), StatusIs(kInvalid));
  EXPECT_THAT(config.Set("tsd.network.port", "42 "), StatusIs(kInvalid));
  EXPECT_THAT(config.Set("tsd.query.timeout", "-1"),
              StatusIs(kInvalid, HasSubstr("an integer of at least 0")));
  EXPECT_THAT(config.Set("tsd.core.auto_create_tagks", "maybe"),
              StatusIs(kInvalid, HasSubstr("true or false")));
  EXPECT_THAT(config.Set("tsd.mode", "r"), StatusIs(kInvalid, HasSubstr("rw|ro|wo")));
  EXPECT_EQ(config.integer("tsd.network.port"), 4242);
}

TEST(ConfigTest, ANumberWithAUnitIsTheNumberOfItsSetting) {
  Config config;
  ASSERT_OK(config.Set("tsd.network.drain_timeout", "2m"));
  ASSERT_OK(config.Set("tsd.query.timeout", "30s"));
  ASSERT_OK(config.Set("tsd.query.memory", "2GiB"));

  EXPECT_EQ(config.integer("tsd.network.drain_timeout"), 120);
  EXPECT_EQ(config.integer("tsd.query.timeout"), 30'000);
  EXPECT_EQ(config.integer("tsd.query.memory"), int64_t{2} << 30);
  EXPECT_EQ(config.Describe()["tsd.query.timeout"], "30000");
  EXPECT_THAT(config.Set("tsd.network.port", "4242s"), StatusIs(kInvalid));
}

TEST(ConfigTest, NamesTheNearestKeyWithFileAndLine) {
  Config config;

  const absl::Status status =
      config.LoadText("# ours\ntsd.network.port = 1\ntsd.network.prot = 2\n", "hourcell.conf");

  EXPECT_THAT(status, StatusIs(kInvalid, AllOf(StartsWith("hourcell.conf:3: "),
                                               HasSubstr("\"tsd.network.prot\""),
                                               HasSubstr("the closest one is tsd.network.port"))));
  EXPECT_THAT(
      config.Set("what is it", "1"),
      StatusIs(kInvalid, EndsWith("no such setting; hourcell serve --help-settings lists all")));
}

TEST(ConfigTest, AcceptsAndNamesWhatMeansNothingHere) {
  Config config;

  ASSERT_OK(
      config.LoadText("tsd.http.cachedir = /usr/share\n"
                      "tsd.storage.hbase.zk_quorum = localhost\n"
                      "hbase.rpcs.batch.size = 1\n"
                      "tsd.http.cachedir = /again\n",
                      "opentsdb.conf"));

  EXPECT_THAT(config.ignored(), ElementsAre("tsd.http.cachedir", "tsd.storage.hbase.zk_quorum",
                                            "hbase.rpcs.batch.size"));
}

// They are checked together, by what makes Options of them.
TEST(ConfigTest, KeepsSettingsOfRegionsUnchecked) {
  Config config;

  ASSERT_OK(config.Set("tsd.region.split.policy", "Nonsense"));

  EXPECT_THAT(config.region_values(), ElementsAre(Pair("tsd.region.split.policy", "Nonsense")));
  EXPECT_THAT(config.Describe(), Contains(Pair("tsd.region.split.policy", "Nonsense")));
  EXPECT_THAT(config.ignored(), IsEmpty());
}

TEST(ConfigTest, DescribesEverySettingInOrder) {
  Config config;
  ASSERT_OK(config.Set("tsd.network.port", "4343"));

  const auto described = config.Describe();

  EXPECT_EQ(described.size(), SettingTable().size());
  EXPECT_THAT(described, Contains(Pair("tsd.network.port", "4343")));
  EXPECT_THAT(described, Contains(Pair("tsd.storage.sync", "interval")));
}

TEST(ConfigTest, LoadsAFileAndSaysWhichIsMissing) {
  const TempDir dir;
  const std::string path = dir.file("hourcell.conf");
  std::ofstream(path) << "tsd.storage.max_tags = 8\n";
  Config config;

  EXPECT_OK(config.LoadFile(path));
  EXPECT_EQ(config.integer("tsd.storage.max_tags"), 8);
  EXPECT_THAT(config.LoadFile(dir.file("none")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("none")));
}

}  // namespace
}  // namespace hourcell::config_test
