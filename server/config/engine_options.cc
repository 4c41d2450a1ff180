#include "server/config/engine_options.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/options.h"
#include "engine/query/query_time.h"
#include "server/config/config.h"
#include "server/config/query_limits_file.h"
#include "server/config/rollup_settings.h"

namespace hourcell {
namespace {

Durability DurabilityOf(std::string_view sync) {
  if (sync == "always") return Durability::kAlways;
  return sync == "never" ? Durability::kNever : Durability::kInterval;
}

NameEncoding NamesOf(std::string_view names) {
  if (names == "latin1") return NameEncoding::kLatin1;
  return names == "utf8" ? NameEncoding::kUtf8 : NameEncoding::kAny;
}

absl::Status CheckCorsDomains(std::string_view domains) {
  if (domains.find('*') == std::string_view::npos || domains == "*") return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("tsd.http.request.cors_domains: expected either * or a list of domains, got {}",
                  QuoteForMessage(domains)));
}

absl::Status CheckJournal(int64_t journal, int64_t segment) {
  if (journal / 4 >= segment) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "tsd.storage.journal: expected at least {}, four times tsd.storage.journal.segment, got {}",
      4 * segment, journal));
}

absl::Status CheckTimezone(const std::string& name) {
  if (ParseTimezone(name).ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "tsd.core.timezone: expected a zone of the IANA database such as Europe/Vienna, got {}",
      QuoteForMessage(name)));
}

absl::StatusOr<int64_t> ParseRangeLimit(const std::string& text) {
  if (text == "0" || text.empty()) return 0;
  const absl::StatusOr<int64_t> range_ms = ParseDuration(text);
  if (range_ms.ok()) return range_ms;
  return absl::InvalidArgumentError(
      fmt::format("tsd.query.limits.range.default: expected a duration such as 30d, or 0, got {}",
                  QuoteForMessage(text)));
}

absl::StatusOr<QueryLimits> QueryLimitsOf(const Config& config) {
  const auto limit = [&config](std::string_view key) {
    return static_cast<uint64_t>(config.integer(key));
  };
  QueryLimits limits{.points = limit("tsd.query.limits.data_points.default"),
                     .bytes = limit("tsd.query.limits.bytes.default"),
                     .rows = limit("tsd.query.limits.rows.default"),
                     .series = limit("tsd.query.limits.series.default")};
  HOURCELL_ASSIGN_OR_RETURN(limits.range_ms,
                            ParseRangeLimit(config.text("tsd.query.limits.range.default")));
  return limits;
}

}  // namespace

absl::StatusOr<Options> EngineOptionsOf(const Config& config) {
  HOURCELL_RETURN_IF_ERROR(CheckCorsDomains(config.text("tsd.http.request.cors_domains")));
  HOURCELL_RETURN_IF_ERROR(CheckJournal(config.integer("tsd.storage.journal"),
                                        config.integer("tsd.storage.journal.segment")));
  const auto size = [&config](std::string_view key) {
    return static_cast<size_t>(config.integer(key));
  };

  Options options;
  options.path = config.text("tsd.storage.directory");
  options.layout.metric_width = size("tsd.storage.uid.width.metric");
  options.layout.tagk_width = size("tsd.storage.uid.width.tagk");
  options.layout.tagv_width = size("tsd.storage.uid.width.tagv");
  options.layout.salt_width = size("tsd.storage.salt.width");
  options.layout.salt_buckets = static_cast<uint32_t>(config.integer("tsd.storage.salt.buckets"));
  options.layout.names = NamesOf(config.text("tsd.storage.names"));
  // An existing store keeps its name encoding, unless the setting is given.
  options.names_of_store = !config.is_set("tsd.storage.names");
  options.sync = DurabilityOf(config.text("tsd.storage.sync"));
  options.sync_interval_ms = config.integer("tsd.storage.sync_interval");
  options.auto_create_metrics = config.boolean("tsd.core.auto_create_metrics");
  options.auto_create_tagks = config.boolean("tsd.core.auto_create_tagks");
  options.auto_create_tagvs = config.boolean("tsd.core.auto_create_tagvs");
  options.random_metric_uids = config.boolean("tsd.core.uid.random_metrics");
  options.extra_name_chars = config.text("tsd.core.tag.allow_specialchars");
  options.put_any_names = config.boolean("tsd.core.put_any_names");
  options.tags_max = size("tsd.storage.max_tags");
  options.uid_cache_names_max = size("tsd.uid.lru.name.size");
  options.series_cache_bytes = size("tsd.storage.series_cache");
  options.open_hours_bytes = size("tsd.storage.open_hours");
  options.journal_bytes = size("tsd.storage.journal");
  options.journal_segment_bytes = size("tsd.storage.journal.segment");
  options.journal_age_s = config.integer("tsd.storage.journal.age");
  options.seal_grace_s = config.integer("tsd.storage.seal_grace");
  options.undo_s = config.integer("tsd.storage.undo");
  options.drop_empty_series = config.boolean("tsd.storage.drop_empty_series");
  options.cell_encoding = config.text("tsd.storage.cell") == "opentsdb" ? CellEncoding::kOpenTsdb
                                                                        : CellEncoding::kPacked;
  options.day_row_points = static_cast<uint32_t>(config.integer("tsd.storage.day_row_points"));
  if (config.is_set("tsd.storage.ttl")) options.ttl_s = config.integer("tsd.storage.ttl");
  options.block_cache_bytes = size("tsd.storage.block_cache");
  options.write_buffer_bytes = size("tsd.storage.write_buffer");
  options.background_jobs = static_cast<int>(config.integer("tsd.storage.background_jobs"));
  options.open_files_max = static_cast<int>(config.integer("tsd.storage.open_files"));
  HOURCELL_RETURN_IF_ERROR(CheckTimezone(config.text("tsd.core.timezone")));
  HOURCELL_ASSIGN_OR_RETURN(options.query_limits, QueryLimitsOf(config));
  if (const std::string file = config.text("tsd.query.limits.overrides.config"); !file.empty()) {
    HOURCELL_ASSIGN_OR_RETURN(options.query_limit_overrides, LoadQueryLimits(file));
  }
  if (config.boolean("tsd.rollups.enable")) {
    HOURCELL_ASSIGN_OR_RETURN(options.rollups, LoadRollupConfig(config.text("tsd.rollups.config")));
  }
  HOURCELL_ASSIGN_OR_RETURN(options.rollup_rules,
                            ReadMetricRules(config.text("tsd.rollups.rules")));
  options.split_rollups = config.boolean("tsd.rollups.split_query.enable");
  options.aggregate_tagk = config.text("tsd.rollups.agg_tag_key");
  options.raw_aggregate = config.text("tsd.rollups.raw_agg_tag_value");
  options.presplit = config.text("tsd.region.presplit");
  HOURCELL_ASSIGN_OR_RETURN(options.regions, ParseRegionSettings(config.region_values()));
  options.query_memory_bytes = size("tsd.query.memory");
  options.query_threads = size("tsd.query.threads");
  options.query_timeout_ms = config.integer("tsd.query.timeout");
  options.skip_unresolved_tagvs = config.boolean("tsd.query.skip_unresolved_tagvs");
  HOURCELL_RETURN_IF_ERROR(options.Validate());
  return options;
}

}  // namespace hourcell
