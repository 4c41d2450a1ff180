#include "server/config/ignored_settings.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

namespace hourcell {
namespace {

constexpr std::string_view kIgnoredKeys[] = {
    "tsd.core.authentication.enable",
    "tsd.core.authentication.plugin",
    "tsd.core.bulk.allow_out_of_order_timestamps",
    "tsd.core.config_path",
    "tsd.core.enable_api",
    "tsd.core.enable_ui",
    "tsd.core.meta.cache.enable",
    "tsd.core.meta.cache.plugin",
    "tsd.core.meta.enable_realtime_ts",
    "tsd.core.meta.enable_realtime_uid",
    "tsd.core.meta.enable_tsuid_incrementing",
    "tsd.core.meta.enable_tsuid_tracking",
    "tsd.core.plugin_path",
    "tsd.core.preload_uid_cache",
    "tsd.core.preload_uid_cache.max_entries",
    "tsd.core.storage_exception_handler.enable",
    "tsd.core.storage_exception_handler.plugin",
    "tsd.core.tree.enable_processing",
    "tsd.gnuplot.options.allowlist",
    "tsd.http.cachedir",
    "tsd.http.request.enable_chunked",
    "tsd.http.request.max_chunk",
    "tsd.http.rpc.plugins",
    "tsd.http.show_stack_trace",
    "tsd.network.async_io",
    "tsd.no_diediedie",
    "tsd.query.allow_simultaneous_duplicates",
    "tsd.query.enable_fuzzy_filter",
    "tsd.query.filter.expansion_limit",
    "tsd.query.limits.bytes.allow_override",
    "tsd.query.limits.data_points.allow_override",
    "tsd.query.limits.overrides.interval",
    "tsd.query.multi_get.batch_size",
    "tsd.query.multi_get.concurrent",
    "tsd.query.multi_get.enable",
    "tsd.query.multi_get.get_all_salts",
    "tsd.query.multi_get.limit",
    "tsd.rpc.plugins",
    "tsd.rtpublisher.enable",
    "tsd.rtpublisher.plugin",
    "tsd.search.enable",
    "tsd.search.plugin",
    "tsd.startup.enable",
    "tsd.startup.plugin",
    "tsd.stats.canonical",
    "tsd.storage.compaction.flush_interval",
    "tsd.storage.compaction.flush_speed",
    "tsd.storage.compaction.max_concurrent_flushes",
    "tsd.storage.compaction.min_flush_threshold",
    "tsd.storage.enable_appends",
    "tsd.storage.enable_compaction",
    "tsd.storage.fix_duplicates",
    "tsd.storage.flush_interval",
    "tsd.storage.get_date_tiered_compaction_start",
    "tsd.storage.repair_appends",
    "tsd.storage.use_max_value",
    "tsd.storage.use_otsdb_timestamp",
    "tsd.timeseriesfilter.enable",
    "tsd.timeseriesfilter.plugin",
    "tsd.uid.lru.enable",
    "tsd.uid.lru.id.size",
    "tsd.uid.use_mode",
    "tsd.uidfilter.enable",
    "tsd.uidfilter.plugin",
};

constexpr std::string_view kIgnoredPrefixes[] = {"tsd.storage.hbase.", "hbase."};

}  // namespace

bool IsIgnoredSetting(std::string_view key) {
  return std::ranges::find(kIgnoredKeys, key) != std::end(kIgnoredKeys) ||
         std::ranges::any_of(kIgnoredPrefixes,
                             [&](std::string_view prefix) { return key.starts_with(prefix); });
}

std::span<const std::string_view> IgnoredSettingKeys() {
  return kIgnoredKeys;
}

}  // namespace hourcell
