#include "server/config.h"

#include <fstream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(ConfigTest, HasDefaultsOfTheirTypes) {
  const Config config;

  for (const Config::Setting& setting : Config::settings()) {
    SCOPED_TRACE(std::string(setting.key));
    EXPECT_OK(Config().Set(setting.key, setting.default_value));
    EXPECT_FALSE(setting.help.empty());
  }
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
              StatusIs(kInvalid, AllOf(HasSubstr("got \"telnet\""),
                                       HasSubstr("an integer from 0 to 65535"))));
  EXPECT_THAT(config.Set("tsd.network.port", "65536"), StatusIs(kInvalid));
  EXPECT_THAT(config.Set("tsd.network.port", "42 "), StatusIs(kInvalid));
  EXPECT_THAT(config.Set("tsd.query.timeout", "-1"),
              StatusIs(kInvalid, HasSubstr("an integer from 0")));
  EXPECT_THAT(config.Set("tsd.core.auto_create_tagks", "maybe"),
              StatusIs(kInvalid, HasSubstr("true or false")));
  EXPECT_THAT(config.Set("tsd.mode", "r"), StatusIs(kInvalid, HasSubstr("rw|ro|wo")));
  EXPECT_EQ(config.integer("tsd.network.port"), 4242);
}

TEST(ConfigTest, NamesTheNearestKeyWithFileAndLine) {
  Config config;

  const absl::Status status =
      config.LoadText("# ours\ntsd.network.port = 1\ntsd.network.prot = 2\n", "hourcell.conf");

  EXPECT_THAT(status, StatusIs(kInvalid, AllOf(StartsWith("hourcell.conf:3: "),
                                               HasSubstr("\"tsd.network.prot\""),
                                               HasSubstr("nearest is tsd.network.port"))));
}

TEST(ConfigTest, AcceptsAndNamesWhatMeansNothingHere) {
  Config config;

  ASSERT_OK(
      config.LoadText("tsd.http.staticroot = /usr/share\n"
                      "tsd.storage.hbase.zk_quorum = localhost\n"
                      "hbase.rpcs.batch.size = 1\n"
                      "tsd.http.staticroot = /again\n",
                      "opentsdb.conf"));

  EXPECT_THAT(config.ignored(), ElementsAre("tsd.http.staticroot", "tsd.storage.hbase.zk_quorum",
                                            "hbase.rpcs.batch.size"));
}

TEST(ConfigTest, DescribesEverySettingInOrder) {
  Config config;
  ASSERT_OK(config.Set("tsd.network.port", "4343"));

  const auto described = config.Describe();

  EXPECT_EQ(described.size(), Config::settings().size());
  EXPECT_THAT(described, testing::Contains(Pair("tsd.network.port", "4343")));
  EXPECT_THAT(described, testing::Contains(Pair("tsd.storage.sync", "interval")));
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

TEST(ConfigTest, BuildsOptionsOfTheEngine) {
  Config config;
  ASSERT_OK(
      config.LoadText("tsd.storage.directory = /data\n"
                      "tsd.storage.uid.width.metric = 4\n"
                      "tsd.storage.salt.width = 1\n"
                      "tsd.storage.salt.buckets = 10\n"
                      "tsd.storage.sync = always\n"
                      "tsd.storage.names = utf8\n"
                      "tsd.core.auto_create_metrics = false\n"
                      "tsd.query.timeout = 1500\n",
                      "test"));

  const absl::StatusOr<Options> options = config.ToOptions();

  ASSERT_OK(options);
  EXPECT_EQ(options->path, "/data");
  EXPECT_EQ(options->layout.metric_width, 4U);
  EXPECT_EQ(options->layout.salt_width, 1U);
  EXPECT_EQ(options->layout.salt_buckets, 10U);
  EXPECT_EQ(options->layout.names, NameEncoding::kUtf8);
  EXPECT_EQ(options->sync, Durability::kAlways);
  EXPECT_FALSE(options->auto_create_metrics);
  EXPECT_EQ(options->query_timeout_ms, 1500);
}

TEST(ConfigTest, WithoutSettingsTheEngineHasItsDefaults) {
  const absl::StatusOr<Options> options = Config().ToOptions();
  const Options defaults;

  ASSERT_OK(options);
  EXPECT_EQ(options->sync, defaults.sync);
  EXPECT_EQ(options->sync_interval_ms, defaults.sync_interval_ms);
  EXPECT_EQ(options->open_hours_bytes, defaults.open_hours_bytes);
  EXPECT_EQ(options->journal_bytes, defaults.journal_bytes);
  EXPECT_EQ(options->journal_segment_bytes, defaults.journal_segment_bytes);
  EXPECT_EQ(options->journal_age_s, defaults.journal_age_s);
  EXPECT_EQ(options->seal_grace_s, defaults.seal_grace_s);
  EXPECT_EQ(options->ttl_s, defaults.ttl_s);
  EXPECT_EQ(options->cell_encoding, defaults.cell_encoding);
  EXPECT_EQ(options->series_cache_bytes, defaults.series_cache_bytes);
  EXPECT_EQ(options->block_cache_bytes, defaults.block_cache_bytes);
  EXPECT_EQ(options->uid_cache_names_max, defaults.uid_cache_names_max);
  EXPECT_EQ(options->tags_max, defaults.tags_max);
  EXPECT_EQ(options->layout, defaults.layout);
}

TEST(ConfigTest, SetsTheWayIn) {
  Config config;
  ASSERT_OK(
      config.LoadText("tsd.storage.directory = /data\n"
                      "tsd.storage.open_hours = 65536\n"
                      "tsd.storage.journal = 16384\n"
                      "tsd.storage.journal.segment = 4096\n"
                      "tsd.storage.journal.age = 60\n"
                      "tsd.storage.seal_grace = 0\n"
                      "tsd.storage.ttl = 86400\n"
                      "tsd.storage.cell = opentsdb\n"
                      "tsd.storage.series_cache = 1048576\n",
                      "test"));

  const absl::StatusOr<Options> options = config.ToOptions();

  ASSERT_OK(options);
  EXPECT_EQ(options->open_hours_bytes, 65536u);
  EXPECT_EQ(options->journal_bytes, 16384u);
  EXPECT_EQ(options->journal_segment_bytes, 4096u);
  EXPECT_EQ(options->journal_age_s, 60);
  EXPECT_EQ(options->seal_grace_s, 0);
  EXPECT_EQ(options->ttl_s, 86400);
  EXPECT_EQ(options->cell_encoding, CellEncoding::kOpenTsdb);
  EXPECT_EQ(options->series_cache_bytes, 1048576u);
}

TEST(ConfigTest, RefusesBudgetsThatAreTooSmall) {
  Config config;

  EXPECT_THAT(config.Set("tsd.storage.open_hours", "65535"),
              StatusIs(kInvalid, HasSubstr("an integer from 65536 ")));
  EXPECT_THAT(config.Set("tsd.storage.journal.segment", "4095"),
              StatusIs(kInvalid, HasSubstr("an integer from 4096 ")));
  EXPECT_THAT(config.Set("tsd.storage.journal", "16383"),
              StatusIs(kInvalid, HasSubstr("an integer from 16384 ")));
  EXPECT_THAT(config.Set("tsd.storage.seal_grace", "-1"), StatusIs(kInvalid));
  EXPECT_THAT(config.Set("tsd.storage.journal.age", "0"), StatusIs(kInvalid));
  EXPECT_THAT(config.Set("tsd.storage.ttl", "-1"), StatusIs(kInvalid));
  EXPECT_THAT(config.Set("tsd.storage.cell", "gorilla"),
              StatusIs(kInvalid, HasSubstr("packed|opentsdb")));
}

TEST(ConfigTest, RefusesSettingsThatDoNotGoTogether) {
  Config cors;
  ASSERT_OK(cors.Set("tsd.http.request.cors_domains", "*,aurther.com"));
  Config salt;
  ASSERT_OK(salt.Set("tsd.storage.salt.width", "1"));
  ASSERT_OK(salt.Set("tsd.storage.salt.buckets", "300"));

  Config journal;
  ASSERT_OK(journal.Set("tsd.storage.journal", "16384"));

  EXPECT_THAT(cors.ToOptions(), StatusIs(kInvalid, HasSubstr("either * or a list")));
  EXPECT_THAT(journal.ToOptions(),
              StatusIs(kInvalid, HasSubstr("tsd.storage.journal: got 16384; want at least "
                                           "268435456, four times tsd.storage.journal.segment")));
  EXPECT_THAT(salt.ToOptions(), StatusIs(kInvalid));
}

TEST(ConfigTest, SetsTheLimitsOfQueries) {
  const TempDir dir;
  std::ofstream(dir.file("limits.json")) << R"([{"metric":"^debug","rowLimit":5}])";
  Config config;
  ASSERT_OK(
      config.LoadText("tsd.query.limits.data_points.default = 1\n"
                      "tsd.query.limits.bytes.default = 2\n"
                      "tsd.query.limits.rows.default = 3\n"
                      "tsd.query.limits.series.default = 4\n"
                      "tsd.query.limits.range.default = 30d\n"
                      "tsd.query.memory = 1048576\n"
                      "tsd.query.threads = 3\n"
                      "tsd.core.timezone = Europe/Vienna\n"
                      "tsd.query.limits.overrides.config = " +
                          dir.file("limits.json") + "\n",
                      "test"));

  const absl::StatusOr<Options> options = config.ToOptions();

  ASSERT_OK(options);
  EXPECT_EQ(
      options->query_limits,
      (QueryLimits{
          .points = 1, .bytes = 2, .rows = 3, .series = 4, .range_ms = int64_t{30} * 86'400'000}));
  EXPECT_THAT(options->query_limit_overrides,
              ElementsAre(MetricQueryLimits{.metric = "^debug", .limits = {.rows = 5}}));
  EXPECT_EQ(options->query_memory_bytes, 1048576U);
  EXPECT_EQ(options->query_threads, 3U);
  EXPECT_TRUE(config.ignored().empty());
  EXPECT_EQ(config.text("tsd.core.timezone"), "Europe/Vienna");
}

TEST(ConfigTest, WithoutSettingsQueriesHaveTheEnginesLimits) {
  const absl::StatusOr<Options> options = Config().ToOptions();
  const Options defaults;

  ASSERT_OK(options);
  EXPECT_EQ(options->query_limits, defaults.query_limits);
  EXPECT_EQ(options->query_limit_overrides, defaults.query_limit_overrides);
  EXPECT_EQ(options->query_memory_bytes, defaults.query_memory_bytes);
  EXPECT_EQ(options->query_threads, defaults.query_threads);
  EXPECT_EQ(options->query_timeout_ms, defaults.query_timeout_ms);
}

TEST(ConfigTest, RefusesLimitsThatAreNone) {
  const auto error = [](std::string_view key, std::string_view value) {
    Config config;
    EXPECT_OK(config.Set(key, value));
    return std::string(config.ToOptions().status().message());
  };

  EXPECT_EQ(error("tsd.query.limits.range.default", "soon"),
            "tsd.query.limits.range.default: got \"soon\"; want a duration such as 30d, or 0");
  EXPECT_THAT(error("tsd.core.timezone", "Mars/Olympus"),
              StartsWith("tsd.core.timezone: got \"Mars/Olympus\"; want a zone "));
  const TempDir dir;
  std::ofstream(dir.file("limits.json")) << R"([{"metric":"a("}])";
  EXPECT_THAT(error("tsd.query.limits.overrides.config", dir.file("limits.json")),
              HasSubstr("query_limit_overrides: got \"a(\"; want a regular expression; missing )"));
  EXPECT_THAT(error("tsd.query.limits.overrides.config", "/nonexistent/limits.json"),
              HasSubstr("/nonexistent/limits.json: cannot be read"));
}

}  // namespace
}  // namespace hourcell
