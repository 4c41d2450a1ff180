#include "server/config.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "engine/query/query_time.h"
#include "server/ascii.h"
#include "server/properties.h"
#include "server/query_limits_file.h"

namespace hourcell {
namespace {

using Type = Config::Setting::Type;

constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

// A setting and what its value may be.
struct Row {
  Config::Setting setting;
  int64_t min = 0;  // of integers
  int64_t max = kUnbounded;
  std::string_view choices = {};  // of text: words separated by '|'; empty = anything
};

constexpr Row Text(std::string_view key,
                   std::string_view value,
                   std::string_view help,
                   std::string_view choices = {}) {
  return {.setting = {key, Type::kText, value, help}, .choices = choices};
}
constexpr Row Bool(std::string_view key, std::string_view value, std::string_view help) {
  return {.setting = {key, Type::kBool, value, help}};
}
constexpr Row Integer(std::string_view key,
                      std::string_view value,
                      std::string_view help,
                      int64_t min = 0,
                      int64_t max = kUnbounded) {
  return {.setting = {key, Type::kInteger, value, help}, .min = min, .max = max};
}

constexpr std::string_view kCorsHeadersDefault =
    "Authorization, Content-Type, Accept, Origin, User-Agent, DNT, Cache-Control, X-Mx-ReqToken, "
    "Keep-Alive, X-Requested-With, If-Modified-Since";
constexpr int64_t kUidWidth = static_cast<int64_t>(kUidWidthMax);
constexpr int64_t kBodyMax = static_cast<int64_t>(kBodyBytesMax);
constexpr int64_t kInt32Max = std::numeric_limits<int32_t>::max();
constexpr int64_t kBytesMax = int64_t{1} << 50;  // of memory or disk; more is a slip
constexpr int64_t kSegmentMin = 4096;

// Limits of layout and engine that need several settings at once are checked by Options::Validate.
constexpr auto kRows = std::to_array<Row>({
    Integer("tsd.network.port", "4242", "port to listen on; 0 = any free one", 0, 65535),
    Text("tsd.network.bind", "127.0.0.1", "address to listen on; 0.0.0.0 or :: = all"),
    Text("tsd.network.listeners",
         "",
         "more addresses, each with what clients without credentials may do there: "
         "10.0.0.1:4243=write, [::1]:4244=admin"),
    Text("tsd.network.role",
         "",
         "what clients without credentials may do on the first address; empty = none if "
         "tsd.auth.file is set, else admin",
         "|none|read|write|read+write|admin"),
    Bool("tsd.network.allow_open",
         "false",
         "let anybody do anything on addresses that other machines reach"),
    Text("tsd.auth.file", "", "users, their roles and hashed secrets; see hourcell help user"),
    Text("tsd.auth.allow",
         "",
         "what clients may do by their addresses, without credentials: 10.0.0.0/8=write, "
         "192.168.1.7=read"),
    Text("tsd.tls.certificate", "", "file of the certificate and its chain, PEM; empty = no TLS"),
    Text("tsd.tls.key", "", "file of its key, PEM, without a passphrase"),
    Bool("tsd.tls.required", "false", "refuse connections without TLS"),
    Integer("tsd.network.worker_threads", "0", "threads for sockets; 0 = one a core", 0, 1024),
    Integer("tsd.network.backlog", "3072", "connections waiting to be accepted", 1, kInt32Max),
    Bool("tsd.network.tcp_no_delay", "true", "send small replies at once (TCP_NODELAY)"),
    Bool("tsd.network.keep_alive", "true", "let TCP find dead peers (SO_KEEPALIVE)"),
    Bool("tsd.network.reuse_address", "true", "bind a port just given up (SO_REUSEADDR)"),
    Integer("tsd.core.connections.limit",
            "0",
            "connections open at once; 0 = three quarters of the file descriptors"),
    Integer("tsd.network.connections.per_listener",
            "0",
            "of them on each address listened on; 0 = no limit"),
    Integer("tsd.network.connections.per_address",
            "0",
            "of them from each client address, or IPv6 network of 64 bits; 0 = no limit"),
    Integer("tsd.network.drain_timeout",
            "30",
            "seconds a stop waits for what is being answered; a second signal ends them",
            0,
            86'400),
    Integer("tsd.core.socket.timeout",
            "0",
            "seconds until an idle connection is closed; 0 = never",
            0,
            kInt32Max),
    Text("tsd.core.timezone", "UTC", "zone of dates and calendars where a query names none"),
    Text("tsd.mode", "rw", "rw, ro (no puts) or wo (no queries)", "rw|ro|wo"),

    Bool("tsd.core.auto_create_metrics", "true", "a put may create a metric (OpenTSDB: false)"),
    Bool("tsd.core.auto_create_tagks", "true", "a put may create a tag key"),
    Bool("tsd.core.auto_create_tagvs", "true", "a put may create a tag value"),
    Bool("tsd.core.uid.random_metrics", "false", "metric UIDs at random instead of in order"),
    Text("tsd.core.tag.allow_specialchars", "", "characters allowed in names besides the usual"),
    Bool("tsd.core.stats_with_port", "false", "add a port tag to the server's own statistics"),
    Integer("tsd.uid.lru.name.size", "1000000", "names cached per kind and direction", 1),

    Integer("tsd.storage.uid.width.metric",
            "3",
            "bytes of a metric UID; fixed at creation",
            1,
            kUidWidth),
    Integer("tsd.storage.uid.width.tagk",
            "3",
            "bytes of a tag key UID; fixed at creation",
            1,
            kUidWidth),
    Integer("tsd.storage.uid.width.tagv",
            "3",
            "bytes of a tag value UID; fixed at creation",
            1,
            kUidWidth),
    Integer("tsd.storage.salt.width",
            "0",
            "bytes of salt; 0 = none; fixed at creation",
            0,
            static_cast<int64_t>(kSaltWidthMax)),
    Integer("tsd.storage.salt.buckets",
            "20",
            "salt buckets of a new store; see hourcell store salt",
            1,
            kInt32Max),
    Integer("tsd.storage.max_tags",
            "16",
            "tags of one point (OpenTSDB: 8)",
            1,
            static_cast<int64_t>(kTagsMax)),
    Text("tsd.storage.names",
         "latin1",
         "how names are stored: latin1 (as OpenTSDB) or utf8",
         "latin1|utf8"),
    Text("tsd.storage.directory", "./hourcell-data", "where the store is"),
    Text("tsd.storage.backup.directory",
         "",
         "where POST /api/admin/backup makes backups, outside of the store; empty = it does not"),
    Text("tsd.storage.sync",
         "interval",
         "what an acknowledged point survives besides kill -9: always = power loss; interval = "
         "power loss but for the last sync_interval; never = nothing else",
         "interval|always|never"),
    Integer("tsd.storage.sync_interval", "1000", "milliseconds between syncs", 1, kInt32Max),
    Integer("tsd.storage.open_hours",
            "536870912",
            "bytes of memory for points that are not in cells yet; from 3/4 of it on hours are "
            "sealed early, beyond it puts wait or are answered 503",
            64 << 10,
            kBytesMax),
    Integer("tsd.storage.journal",
            "1073741824",
            "bytes of journal; from 4/5 of it on hours are sealed early, beyond it puts wait or "
            "are answered 503; bounds the time of an open after kill -9",
            4 * kSegmentMin,
            kBytesMax),
    Integer("tsd.storage.journal.segment",
            "67108864",
            "bytes of a file of the journal; a quarter of the journal at most",
            kSegmentMin,
            1 << 30),
    Integer("tsd.storage.journal.age",
            "10800",
            "seconds until an hour that needs the journal is sealed early",
            1,
            kInt32Max),
    Integer("tsd.storage.seal_grace",
            "600",
            "seconds an hour is over and untouched before it becomes a cell",
            0,
            kInt32Max),
    Integer("tsd.storage.ttl",
            "0",
            "seconds points are kept, by their own time; 0 = for ever; a metric may have its own, "
            "see hourcell store ttl",
            0,
            kTimestampMsMax / 1000),
    Text("tsd.region.presplit",
         "",
         "regions of a new store: hex:16, decimal:10, uniform:8, keys:a,b, file:PATH, salt, "
         "partition:20; empty = one"),
    Text("tsd.storage.cell",
         "packed",
         "how new cells are stored: packed (smallest) or opentsdb (its bytes); both may mix",
         "packed|opentsdb"),
    Integer("tsd.storage.series_cache",
            "536870912",
            "bytes of cache for series by their tags as sent",
            0,
            kBytesMax),
    Integer("tsd.storage.block_cache", "268435456", "bytes of cache for stored blocks"),

    Integer(
        "tsd.http.request.max_body", "67108864", "bytes of a request body, inflated", 1, kBodyMax),
    Integer("tsd.http.request.memory",
            "268435456",
            "bytes of large request bodies held at once, beyond it 503; 0 = no limit",
            0,
            kBytesMax),
    Integer("tsd.http.request.timeout",
            "30",
            "seconds until a request that was begun must be here, and one more for each KiB of its "
            "body; also until a TLS handshake is done; 0 = no limit",
            0,
            86'400),
    Text("tsd.http.request.cors_domains", "", "origins answered with CORS headers: * or a list"),
    Text("tsd.http.request.cors_headers", kCorsHeadersDefault, "headers CORS requests may have"),
    Text("tsd.http.header_tag",
         "",
         "request header whose value, tagk=tagv, is added as a tag to every point of a put"),
    Bool("tsd.http.query.allow_delete", "false", "requests may delete points (DELETE /api/query)"),
    Bool("tsd.rpc.telnet.return_errors", "true", "answer refused put lines with the reason"),
    Integer("tsd.query.concurrent",
            "0",
            "queries over HTTP that run at once; 0 = as many as tsd.network.worker_threads",
            0,
            1024),
    Integer("tsd.query.queue", "1000", "queries that wait for others, beyond it 503", 0, kInt32Max),
    Integer("tsd.query.timeout",
            "0",
            "milliseconds a query may take, over HTTP with its wait for others; 0 = no limit"),
    Integer("tsd.query.send_timeout",
            "60000",
            "milliseconds until a client that takes less than 64 KiB of its response meanwhile is "
            "dropped; 0 = never"),
    Integer(
        "tsd.query.limits.data_points.default", "0", "points a sub query may read; 0 = no limit"),
    Integer("tsd.query.limits.bytes.default",
            "0",
            "bytes of stored points a sub query may read; 0 = no limit"),
    Integer(
        "tsd.query.limits.rows.default", "0", "rows a sub query may read or skip; 0 = no limit"),
    Integer("tsd.query.limits.series.default", "0", "series a sub query may select; 0 = no limit"),
    Text("tsd.query.limits.range.default",
         "0",
         "how long a query's range may be, as 30d or 12h; 0 = no limit"),
    Text("tsd.query.limits.overrides.config",
         "",
         "JSON file with limits for metrics by their names, read at the start"),
    Integer("tsd.query.memory",
            "1073741824",
            "bytes that all queries together may hold; 0 = no limit",
            0,
            kBytesMax),
    Integer("tsd.query.threads", "0", "threads that work for one query; 0 = one a core", 0, 1024),
    Bool("tsd.query.skip_unresolved_tagvs", "false", "ignore unknown tag values in filters"),
    Integer("tsd.stats.self_interval",
            "0",
            "seconds between puts of the server's own statistics as tsd.*; 0 = off",
            0,
            kInt32Max),
});

// OpenTSDB's settings that change nothing here.
constexpr std::string_view kIgnoredKeys[] = {
    "tsd.core.authentication.enable",
    "tsd.core.authentication.plugin",
    "tsd.core.bulk.allow_out_of_order_timestamps",
    "tsd.core.config_path",
    "tsd.core.enable_api",
    "tsd.core.enable_ui",
    "tsd.core.histograms.config",
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
    "tsd.http.staticroot",
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
    "tsd.rollups.agg_tag_key",
    "tsd.rollups.block_derived",
    "tsd.rollups.config",
    "tsd.rollups.enable",
    "tsd.rollups.raw_agg_tag_value",
    "tsd.rollups.split_query.enable",
    "tsd.rollups.tag_raw",
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

// Settings of HBase and its client come in any number.
constexpr std::string_view kIgnoredPrefixes[] = {"tsd.storage.hbase.", "hbase."};

const Row* FindRow(std::string_view key) {
  const auto it =
      std::ranges::find_if(kRows, [&](const Row& row) { return row.setting.key == key; });
  return it == kRows.end() ? nullptr : &*it;
}

bool IsIgnored(std::string_view key) {
  return std::ranges::find(kIgnoredKeys, key) != std::end(kIgnoredKeys) ||
         std::ranges::any_of(kIgnoredPrefixes,
                             [&](std::string_view prefix) { return key.starts_with(prefix); });
}

// Those of the data table, HBase's of a site among them; not the attributes that HBase gives to
// single tables.
bool IsRegionSetting(std::string_view key) {
  return (key.starts_with("tsd.") || key.starts_with("hbase.")) &&
         RegionSettingNames().contains(key);
}

// Levenshtein's distance, O(a * b).
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

std::string_view NearestKey(std::string_view key) {
  key = key.substr(0, 128);  // no key is longer; the distance to a whole garbage file takes long
  std::string_view nearest;
  size_t distance_min = std::numeric_limits<size_t>::max();
  const auto consider = [&](std::string_view candidate) {
    // The distance is at least that of their lengths.
    if (std::max(key.size(), candidate.size()) - std::min(key.size(), candidate.size()) >=
        distance_min) {
      return;
    }
    const size_t distance = EditDistance(key, candidate);
    if (distance >= distance_min) return;
    distance_min = distance;
    nearest = candidate;
  };
  for (const Row& row : kRows)
    consider(row.setting.key);
  for (const std::string_view ignored : kIgnoredKeys)
    consider(ignored);
  for (const std::string& name : RegionSettingNames()) {
    if (IsRegionSetting(name)) consider(name);
  }
  return nearest;
}

std::optional<bool> ParseBool(std::string_view text) {
  const std::string lower = LowerCase(text);
  if (lower == "1" || lower == "true" || lower == "yes") return true;
  if (lower == "0" || lower == "false" || lower == "no" || lower.empty()) return false;
  return std::nullopt;
}

std::optional<int64_t> ParseInteger(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool IsChoice(std::string_view value, std::string_view choices) {
  while (true) {
    const size_t bar = choices.find('|');
    if (choices.substr(0, bar) == value) return true;
    if (bar == std::string_view::npos) return false;
    choices.remove_prefix(bar + 1);
  }
}

absl::Status WantError(const Row& row, std::string_view value, const std::string& want) {
  return absl::InvalidArgumentError(
      fmt::format("{}: got {}; want {}", row.setting.key, QuoteForMessage(value), want));
}

absl::Status CheckValue(const Row& row, std::string_view value) {
  switch (row.setting.type) {
    case Type::kText:
      if (row.choices.empty() || IsChoice(value, row.choices)) return absl::OkStatus();
      return WantError(row, value, fmt::format("one of {}", row.choices));
    case Type::kBool:
      if (ParseBool(value).has_value()) return absl::OkStatus();
      return WantError(row, value, "true or false");
    case Type::kInteger:
      break;
  }
  const std::optional<int64_t> number = ParseInteger(value);
  if (number.has_value() && *number >= row.min && *number <= row.max) return absl::OkStatus();
  if (row.max == kUnbounded)
    return WantError(row, value, fmt::format("an integer from {}", row.min));
  return WantError(row, value, fmt::format("an integer from {} to {}", row.min, row.max));
}

// REQUIRES: `key` is known and of that type.
const Row& RowOf(std::string_view key, Type type) {
  const Row* const row = FindRow(key);
  HOURCELL_CHECK(row != nullptr);
  HOURCELL_CHECK(row->setting.type == type);
  return *row;
}

Durability DurabilityOf(std::string_view sync) {
  if (sync == "always") return Durability::kAlways;
  return sync == "never" ? Durability::kNever : Durability::kInterval;
}

absl::Status CheckCorsDomains(std::string_view domains) {
  if (domains.find('*') == std::string_view::npos || domains == "*") return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("tsd.http.request.cors_domains: got {}; want either * or a list of domains",
                  QuoteForMessage(domains)));
}

absl::Status CheckJournal(int64_t journal, int64_t segment) {
  if (journal / 4 >= segment) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("tsd.storage.journal: got {}; want at least {}, four times "
                  "tsd.storage.journal.segment",
                  journal, 4 * segment));
}

absl::Status CheckTimezone(const std::string& name) {
  if (ParseTimezone(name).ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("tsd.core.timezone: got {}; want a zone of the IANA database such as "
                  "Europe/Vienna",
                  QuoteForMessage(name)));
}

absl::StatusOr<int64_t> ParseRangeLimit(const std::string& text) {
  if (text == "0" || text.empty()) return 0;
  const absl::StatusOr<int64_t> range_ms = ParseDuration(text);
  if (range_ms.ok()) return range_ms;
  return absl::InvalidArgumentError(
      fmt::format("tsd.query.limits.range.default: got {}; want a duration such as 30d, or 0",
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

const std::vector<Config::Setting>& Config::settings() {
  static const std::vector<Setting> settings = [] {
    std::vector<Setting> all;
    for (const Row& row : kRows)
      all.push_back(row.setting);
    return all;
  }();
  return settings;
}

absl::Status Config::LoadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::NotFoundError(
        fmt::format("{}: cannot be read: {}", path, std::generic_category().message(errno)));
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return LoadText(text, path);
}

absl::Status Config::LoadText(std::string_view text, std::string_view source_name) {
  PropertiesReader reader(text);
  while (const std::optional<Property> property = reader.Next()) {
    if (const absl::Status status = Set(property->key, property->value); !status.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("{}:{}: {}", source_name, property->line,
                      std::string_view(status.message().data(), status.message().size())));
    }
  }
  return absl::OkStatus();
}

absl::Status Config::Set(std::string_view key, std::string_view value) {
  const Row* const row = FindRow(key);
  if (row != nullptr) {
    HOURCELL_RETURN_IF_ERROR(CheckValue(*row, value));
    values_.insert_or_assign(std::string(key), std::string(value));
    return absl::OkStatus();
  }
  if (IsRegionSetting(key)) {
    region_values_.insert_or_assign(std::string(key), std::string(value));
    return absl::OkStatus();
  }
  if (!IsIgnored(key)) {
    return absl::InvalidArgumentError(fmt::format("{}: no such setting; the nearest is {}",
                                                  QuoteForMessage(key), NearestKey(key)));
  }
  if (std::ranges::find(ignored_, key) == ignored_.end()) ignored_.emplace_back(key);
  return absl::OkStatus();
}

std::string Config::text(std::string_view key) const {
  const Row& row = RowOf(key, Type::kText);
  const auto it = values_.find(key);
  return it == values_.end() ? std::string(row.setting.default_value) : it->second;
}

bool Config::boolean(std::string_view key) const {
  const Row& row = RowOf(key, Type::kBool);
  const auto it = values_.find(key);
  const std::optional<bool> value =
      ParseBool(it == values_.end() ? row.setting.default_value : it->second);
  HOURCELL_CHECK(value.has_value());  // Set checked it
  return *value;
}

int64_t Config::integer(std::string_view key) const {
  const Row& row = RowOf(key, Type::kInteger);
  const auto it = values_.find(key);
  const std::optional<int64_t> value =
      ParseInteger(it == values_.end() ? row.setting.default_value : it->second);
  HOURCELL_CHECK(value.has_value());  // Set checked it
  return *value;
}

std::map<std::string, std::string> Config::Describe() const {
  std::map<std::string, std::string> described;
  for (const Row& row : kRows) {
    described.emplace(row.setting.key, row.setting.default_value);
  }
  for (const SettingMap* const values : {&values_, &region_values_}) {
    for (const auto& [key, value] : *values)
      described[key] = value;
  }
  for (auto& [key, value] : described) {
    if (LowerCase(key).find("pass") != std::string::npos) value = "********";
  }
  return described;
}

absl::StatusOr<Options> Config::ToOptions() const {
  HOURCELL_RETURN_IF_ERROR(CheckCorsDomains(text("tsd.http.request.cors_domains")));
  HOURCELL_RETURN_IF_ERROR(
      CheckJournal(integer("tsd.storage.journal"), integer("tsd.storage.journal.segment")));
  const auto size = [this](std::string_view key) { return static_cast<size_t>(integer(key)); };

  Options options;
  options.path = text("tsd.storage.directory");
  options.layout.metric_width = size("tsd.storage.uid.width.metric");
  options.layout.tagk_width = size("tsd.storage.uid.width.tagk");
  options.layout.tagv_width = size("tsd.storage.uid.width.tagv");
  options.layout.salt_width = size("tsd.storage.salt.width");
  options.layout.salt_buckets = static_cast<uint32_t>(integer("tsd.storage.salt.buckets"));
  options.layout.names =
      text("tsd.storage.names") == "utf8" ? NameEncoding::kUtf8 : NameEncoding::kLatin1;
  options.sync = DurabilityOf(text("tsd.storage.sync"));
  options.sync_interval_ms = integer("tsd.storage.sync_interval");
  options.auto_create_metrics = boolean("tsd.core.auto_create_metrics");
  options.auto_create_tagks = boolean("tsd.core.auto_create_tagks");
  options.auto_create_tagvs = boolean("tsd.core.auto_create_tagvs");
  options.random_metric_uids = boolean("tsd.core.uid.random_metrics");
  options.extra_name_chars = text("tsd.core.tag.allow_specialchars");
  options.tags_max = size("tsd.storage.max_tags");
  options.uid_cache_names_max = size("tsd.uid.lru.name.size");
  options.series_cache_bytes = size("tsd.storage.series_cache");
  options.open_hours_bytes = size("tsd.storage.open_hours");
  options.journal_bytes = size("tsd.storage.journal");
  options.journal_segment_bytes = size("tsd.storage.journal.segment");
  options.journal_age_s = integer("tsd.storage.journal.age");
  options.seal_grace_s = integer("tsd.storage.seal_grace");
  options.cell_encoding =
      text("tsd.storage.cell") == "opentsdb" ? CellEncoding::kOpenTsdb : CellEncoding::kPacked;
  options.ttl_s = integer("tsd.storage.ttl");
  options.block_cache_bytes = size("tsd.storage.block_cache");
  HOURCELL_RETURN_IF_ERROR(CheckTimezone(text("tsd.core.timezone")));
  HOURCELL_ASSIGN_OR_RETURN(options.query_limits, QueryLimitsOf(*this));
  if (const std::string file = text("tsd.query.limits.overrides.config"); !file.empty()) {
    HOURCELL_ASSIGN_OR_RETURN(options.query_limit_overrides, LoadQueryLimits(file));
  }
  options.presplit = text("tsd.region.presplit");
  HOURCELL_ASSIGN_OR_RETURN(options.regions, ParseRegionSettings(region_values_));
  options.query_memory_bytes = size("tsd.query.memory");
  options.query_threads = size("tsd.query.threads");
  options.query_timeout_ms = integer("tsd.query.timeout");
  options.skip_unresolved_tagvs = boolean("tsd.query.skip_unresolved_tagvs");
  HOURCELL_RETURN_IF_ERROR(options.Validate());
  return options;
}

}  // namespace hourcell
