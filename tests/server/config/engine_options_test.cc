#include "server/config/engine_options.h"

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/options.h"
#include "server/config/config.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::engine_options_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(EngineOptionsTest, TakesWhatIsSet) {
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

  const absl::StatusOr<Options> options = EngineOptionsOf(config);

  ASSERT_OK(options);
  EXPECT_EQ(options->path, "/data");
  EXPECT_EQ(options->layout.metric_width, 4U);
  EXPECT_EQ(options->layout.salt_width, 1U);
  EXPECT_EQ(options->layout.salt_buckets, 10U);
  EXPECT_EQ(options->layout.names, NameEncoding::kUtf8);
  EXPECT_FALSE(options->names_of_store);
  EXPECT_EQ(options->sync, Durability::kAlways);
  EXPECT_FALSE(options->auto_create_metrics);
  EXPECT_EQ(options->query_timeout_ms, 1500);
}

TEST(EngineOptionsTest, WithoutSettingsTheEngineHasItsDefaults) {
  const absl::StatusOr<Options> options = EngineOptionsOf(Config());
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
  EXPECT_EQ(options->drop_empty_series, defaults.drop_empty_series);
  EXPECT_EQ(options->cell_encoding, defaults.cell_encoding);
  EXPECT_EQ(options->day_row_points, defaults.day_row_points);
  EXPECT_EQ(options->series_cache_bytes, defaults.series_cache_bytes);
  EXPECT_EQ(options->block_cache_bytes, defaults.block_cache_bytes);
  EXPECT_EQ(options->write_buffer_bytes, defaults.write_buffer_bytes);
  EXPECT_EQ(options->background_jobs, defaults.background_jobs);
  EXPECT_EQ(options->open_files_max, defaults.open_files_max);
  EXPECT_EQ(options->uid_cache_names_max, defaults.uid_cache_names_max);
  EXPECT_EQ(options->tags_max, defaults.tags_max);
  Layout layout = defaults.layout;
  layout.names = NameEncoding::kAny;
  EXPECT_EQ(options->layout, layout);
  EXPECT_TRUE(options->names_of_store) << "of a store that was made before";
}

TEST(EngineOptionsTest, SetsTheWayIn) {
  Config config;
  ASSERT_OK(
      config.LoadText("tsd.storage.directory = /data\n"
                      "tsd.storage.open_hours = 65536\n"
                      "tsd.storage.journal = 16384\n"
                      "tsd.storage.journal.segment = 4096\n"
                      "tsd.storage.journal.age = 60\n"
                      "tsd.storage.seal_grace = 0\n"
                      "tsd.storage.ttl = 86400\n"
                      "tsd.storage.drop_empty_series = false\n"
                      "tsd.storage.cell = opentsdb\n"
                      "tsd.storage.day_row_points = 7\n"
                      "tsd.storage.series_cache = 1048576\n",
                      "test"));

  const absl::StatusOr<Options> options = EngineOptionsOf(config);

  ASSERT_OK(options);
  EXPECT_EQ(options->open_hours_bytes, 65536u);
  EXPECT_EQ(options->journal_bytes, 16384u);
  EXPECT_EQ(options->journal_segment_bytes, 4096u);
  EXPECT_EQ(options->journal_age_s, 60);
  EXPECT_EQ(options->seal_grace_s, 0);
  EXPECT_EQ(options->ttl_s, 86400);
  EXPECT_FALSE(options->drop_empty_series);
  EXPECT_EQ(options->cell_encoding, CellEncoding::kOpenTsdb);
  EXPECT_EQ(options->day_row_points, 7u);
  EXPECT_EQ(options->series_cache_bytes, 1048576u);
}

// 0 is for ever; nothing leaves it to the store.
TEST(EngineOptionsTest, ATtlOfForEverIsNotNone) {
  Config config;
  EXPECT_EQ(EngineOptionsOf(config)->ttl_s, std::nullopt);
  ASSERT_OK(config.Set("tsd.storage.ttl", "0"));
  EXPECT_EQ(EngineOptionsOf(config)->ttl_s, 0);
}

TEST(EngineOptionsTest, SetsTheMemoryAndThreadsOfTables) {
  Config config;
  ASSERT_OK(
      config.LoadText("tsd.storage.block_cache = 1048576\n"
                      "tsd.storage.write_buffer = 131072\n"
                      "tsd.storage.background_jobs = 8\n"
                      "tsd.storage.open_files = 4096\n",
                      "test"));

  const absl::StatusOr<Options> options = EngineOptionsOf(config);

  ASSERT_OK(options);
  EXPECT_EQ(options->block_cache_bytes, 1048576u);
  EXPECT_EQ(options->write_buffer_bytes, 131072u);
  EXPECT_EQ(options->background_jobs, 8);
  EXPECT_EQ(options->open_files_max, 4096);
}

TEST(EngineOptionsTest, RefusesSettingsThatDoNotGoTogether) {
  Config cors;
  ASSERT_OK(cors.Set("tsd.http.request.cors_domains", "*,aurther.com"));
  Config salt;
  ASSERT_OK(salt.Set("tsd.storage.salt.width", "1"));
  ASSERT_OK(salt.Set("tsd.storage.salt.buckets", "300"));

  Config journal;
  ASSERT_OK(journal.Set("tsd.storage.journal", "16384"));

  EXPECT_THAT(EngineOptionsOf(cors), StatusIs(kInvalid, HasSubstr("either * or a list")));
  EXPECT_THAT(EngineOptionsOf(journal),
              StatusIs(kInvalid, HasSubstr("tsd.storage.journal: expected at least 268435456, four "
                                           "times tsd.storage.journal.segment, got 16384")));
  EXPECT_THAT(EngineOptionsOf(salt), StatusIs(kInvalid));
}

TEST(EngineOptionsTest, SetsTheLimitsOfQueries) {
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

  const absl::StatusOr<Options> options = EngineOptionsOf(config);

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

TEST(EngineOptionsTest, WithoutSettingsQueriesHaveTheEnginesLimits) {
  const absl::StatusOr<Options> options = EngineOptionsOf(Config());
  const Options defaults;

  ASSERT_OK(options);
  EXPECT_EQ(options->query_limits, defaults.query_limits);
  EXPECT_EQ(options->query_limit_overrides, defaults.query_limit_overrides);
  EXPECT_EQ(options->query_memory_bytes, defaults.query_memory_bytes);
  EXPECT_EQ(options->query_threads, defaults.query_threads);
  EXPECT_EQ(options->query_timeout_ms, defaults.query_timeout_ms);
}

TEST(EngineOptionsTest, RefusesLimitsThatAreNone) {
  const auto error = [](std::string_view key, std::string_view value) {
    Config config;
    EXPECT_OK(config.Set(key, value));
    return std::string(EngineOptionsOf(config).status().message());
  };

  EXPECT_EQ(error("tsd.query.limits.range.default", "soon"),
            "tsd.query.limits.range.default: expected a duration such as 30d, or 0, got \"soon\"");
  EXPECT_THAT(error("tsd.core.timezone", "Mars/Olympus"),
              StartsWith("tsd.core.timezone: expected a zone of the IANA database such as "
                         "Europe/Vienna, got \"Mars/Olympus\""));
  const TempDir dir;
  std::ofstream(dir.file("limits.json")) << R"([{"metric":"a("}])";
  EXPECT_THAT(
      error("tsd.query.limits.overrides.config", dir.file("limits.json")),
      HasSubstr("query_limit_overrides: expected a regular expression, got \"a(\"; missing )"));
  EXPECT_THAT(error("tsd.query.limits.overrides.config", "/nonexistent/limits.json"),
              HasSubstr("/nonexistent/limits.json: cannot be read"));
}

TEST(EngineOptionsTest, ChecksTheSettingsOfRegions) {
  Config config;
  ASSERT_OK(config.Set("tsd.region.split.policy", "Nonsense"));
  Config by_hbase;
  ASSERT_OK(by_hbase.Set("hbase.hregion.max.filesize", "1000000000"));

  EXPECT_THAT(EngineOptionsOf(config), StatusIs(kInvalid, HasSubstr("tsd.region.split.policy")));
  const absl::StatusOr<Options> options = EngineOptionsOf(by_hbase);
  ASSERT_OK(options);
  EXPECT_EQ(options->regions.split.max_bytes, 1'000'000'000U);
}

}  // namespace
}  // namespace hourcell::engine_options_test
