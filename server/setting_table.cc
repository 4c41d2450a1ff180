#include "server/setting_table.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/limits.h"
#include "engine/options.h"
#include "server/ignored_settings.h"
#include "server/nearest_name.h"

namespace hourcell {
namespace {

constexpr Setting Text(std::string_view key,
                       std::string_view value,
                       std::string_view help,
                       std::string_view choices = {}) {
  return {key, Setting::Type::kText, value, help, 0, Setting::kUnbounded, choices};
}
constexpr Setting Bool(std::string_view key, std::string_view value, std::string_view help) {
  return {key, Setting::Type::kBool, value, help};
}
constexpr Setting Integer(std::string_view key,
                          std::string_view value,
                          std::string_view help,
                          int64_t min = 0,
                          int64_t max = Setting::kUnbounded) {
  return {key, Setting::Type::kInteger, value, help, min, max};
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
constexpr auto kRows = std::to_array<Setting>({
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

}  // namespace

std::span<const Setting> SettingTable() {
  return kRows;
}

const Setting* FindSetting(std::string_view key) {
  const auto it = std::ranges::find(kRows, key, &Setting::key);
  return it == kRows.end() ? nullptr : &*it;
}

bool IsRegionSetting(std::string_view key) {
  return (key.starts_with("tsd.") || key.starts_with("hbase.")) &&
         RegionSettingNames().contains(key);
}

std::string_view NearestSetting(std::string_view key) {
  std::vector<std::string_view> keys;
  for (const Setting& setting : kRows)
    keys.push_back(setting.key);
  for (const std::string_view ignored : IgnoredSettingKeys())
    keys.push_back(ignored);
  for (const std::string& name : RegionSettingNames()) {
    if (IsRegionSetting(name)) keys.push_back(name);
  }
  return NearestName(key, keys);
}

}  // namespace hourcell
