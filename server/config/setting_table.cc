#include "server/config/setting_table.h"

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
#include "server/config/ignored_settings.h"
#include "server/text/nearest_name.h"

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
constexpr Setting Number(Setting::Unit unit,
                         std::string_view key,
                         std::string_view value,
                         std::string_view help,
                         int64_t min,
                         int64_t max) {
  return {key, Setting::Type::kInteger, value, help, min, max, {}, unit};
}
constexpr Setting Count(std::string_view key,
                        std::string_view value,
                        std::string_view help,
                        int64_t min = 0,
                        int64_t max = Setting::kUnbounded) {
  return Number(Setting::Unit::kCount, key, value, help, min, max);
}
constexpr Setting Seconds(std::string_view key,
                          std::string_view value,
                          std::string_view help,
                          int64_t min = 0,
                          int64_t max = Setting::kUnbounded) {
  return Number(Setting::Unit::kSeconds, key, value, help, min, max);
}
constexpr Setting Milliseconds(std::string_view key,
                               std::string_view value,
                               std::string_view help,
                               int64_t min = 0,
                               int64_t max = Setting::kUnbounded) {
  return Number(Setting::Unit::kMilliseconds, key, value, help, min, max);
}
constexpr Setting Bytes(std::string_view key,
                        std::string_view value,
                        std::string_view help,
                        int64_t min = 0,
                        int64_t max = Setting::kUnbounded) {
  return Number(Setting::Unit::kBytes, key, value, help, min, max);
}

constexpr std::string_view kCorsHeadersDefault =
    "Authorization, Content-Type, Accept, Origin, User-Agent, DNT, Cache-Control, X-Mx-ReqToken, "
    "Keep-Alive, X-Requested-With, If-Modified-Since";
constexpr int64_t kUidWidth = static_cast<int64_t>(kUidWidthMax);
constexpr int64_t kBodyMax = static_cast<int64_t>(kBodyBytesMax);
constexpr int64_t kInt32Max = std::numeric_limits<int32_t>::max();
constexpr int64_t kBytesMax = int64_t{1} << 50;  // of memory or disk; more is a mistake
constexpr int64_t kSegmentMin = 4096;

// Options::Validate checks the limits of layout and engine that depend on several settings.
constexpr auto kRows = std::to_array<Setting>({
    Count("tsd.network.port", "4242", "port to listen on; 0 = any free port", 0, 65535),
    Text("tsd.network.bind", "127.0.0.1", "address to listen on; 0.0.0.0 or :: = all addresses"),
    Text("tsd.network.advertise",
         "",
         "host or host:port at which other nodes of the store reach this one; empty = "
         "tsd.network.bind, or this machine's name if that is all addresses"),
    Text("tsd.network.listeners",
         "",
         "additional addresses, each with the role of clients without credentials: "
         "10.0.0.1:4243=write, [::1]:4244=admin"),
    Text("tsd.network.role",
         "",
         "role of clients without credentials on the first address; empty = none if tsd.auth.file "
         "is set, else admin",
         "|none|read|write|read+write|admin"),
    Bool(
        "tsd.network.allow_open",
        "false",
        "allow clients without credentials to be admin on addresses that other machines can reach"),
    Text("tsd.auth.file",
         "",
         "file of users, their roles and hashed secrets; see hourcell help user"),
    Text("tsd.auth.allow",
         "",
         "roles of clients without credentials, by their address: 10.0.0.0/8=write, "
         "192.168.1.7=read"),
    Text("tsd.tls.certificate", "", "PEM file of the certificate and its chain; empty = no TLS"),
    Text("tsd.tls.key", "", "PEM file of the certificate's key, without a passphrase"),
    Bool("tsd.tls.required", "false", "refuse connections without TLS"),
    Count("tsd.network.worker_threads", "0", "threads for sockets; 0 = one per core", 0, 1024),
    Count("tsd.network.backlog",
          "3072",
          "maximum number of connections waiting to be accepted",
          1,
          kInt32Max),
    Bool("tsd.network.tcp_no_delay", "true", "send small replies immediately (TCP_NODELAY)"),
    Bool("tsd.network.keep_alive", "true", "let TCP detect dead peers (SO_KEEPALIVE)"),
    Bool("tsd.network.reuse_address",
         "true",
         "bind to a port that was just released (SO_REUSEADDR)"),
    Count("tsd.core.connections.limit",
          "0",
          "maximum number of open connections; 0 = three quarters of the file descriptors"),
    Count("tsd.network.connections.per_listener",
          "0",
          "maximum number of open connections on each listening address; 0 = no limit"),
    Count("tsd.network.connections.per_address",
          "0",
          "maximum number of open connections from each client address, or IPv6 network of 64 "
          "bits; 0 = no limit"),
    Seconds("tsd.network.drain_timeout",
            "30",
            "shutdown grace period for unfinished responses, in seconds; a second signal ends it",
            0,
            86'400),
    Seconds("tsd.core.socket.timeout",
            "0",
            "seconds after which an idle connection is closed; 0 = never",
            0,
            kInt32Max),
    Text("tsd.core.timezone", "UTC", "default time zone of dates and calendars in queries"),
    Text("tsd.mode", "rw", "rw (reads and writes), ro (no puts) or wo (no queries)", "rw|ro|wo"),

    Bool("tsd.core.auto_create_metrics", "true", "allow puts to create metrics (OpenTSDB: false)"),
    Bool("tsd.core.auto_create_tagks", "true", "allow puts to create tag keys"),
    Bool("tsd.core.auto_create_tagvs", "true", "allow puts to create tag values"),
    Bool(
        "tsd.core.uid.random_metrics", "false", "assign metric UIDs at random instead of in order"),
    Text("tsd.core.tag.allow_specialchars", "", "additional characters that names may contain"),
    Bool("tsd.core.put_any_names",
         "false",
         "let telnet puts and /api/put write every name that a store with names=any takes"),
    Text("tsd.core.histograms.config",
         "",
         "OpenTSDB's codecs of histograms and their IDs, as JSON or the path of a .json file; "
         "empty: histograms are refused"),
    Bool("tsd.core.stats_with_port", "false", "add a port tag to the server's own statistics"),
    Count("tsd.uid.lru.name.size",
          "1000000",
          "maximum number of cached names per kind and direction",
          1),

    Bytes("tsd.storage.uid.width.metric",
          "3",
          "bytes of a metric UID; fixed when the store is created",
          1,
          kUidWidth),
    Bytes("tsd.storage.uid.width.tagk",
          "3",
          "bytes of a tag key UID; fixed when the store is created",
          1,
          kUidWidth),
    Bytes("tsd.storage.uid.width.tagv",
          "3",
          "bytes of a tag value UID; fixed when the store is created",
          1,
          kUidWidth),
    Bytes("tsd.storage.salt.width",
          "0",
          "bytes of salt; 0 = no salt; fixed when the store is created",
          0,
          static_cast<int64_t>(kSaltWidthMax)),
    Count("tsd.storage.salt.buckets",
          "20",
          "number of salt buckets of a new store; to change it later, see hourcell store salt",
          1,
          kInt32Max),
    Count("tsd.storage.max_tags",
          "64",
          "maximum number of tags of a point (OpenTSDB: 8)",
          1,
          static_cast<int64_t>(kTagsMax)),
    Text("tsd.storage.names",
         "any",
         "names that a new store takes: any (UTF-8 without control characters), or the letters of "
         "OpenTSDB's rule in latin1 or utf8; fixed when the store is created",
         "any|latin1|utf8"),
    Text("tsd.storage.directory", "./hourcell-data", "directory of the store"),
    Text("tsd.storage.engine",
         "rocksdb",
         "where the store is: rocksdb (in tsd.storage.directory) or bigtable (in tables of Cloud "
         "Bigtable, if the program was built with it)",
         "rocksdb|bigtable"),
    Text("tsd.storage.bigtable.project", "", "project of the Bigtable instance"),
    Text("tsd.storage.bigtable.instance", "", "the Bigtable instance"),
    Text("tsd.storage.bigtable.app_profile",
         "",
         "app profile of the calls to Bigtable; empty = the default of the instance"),
    Text("tsd.storage.bigtable.credentials",
         "",
         "file with the JSON key of a service account for Bigtable; empty = Application Default "
         "Credentials; not read with BIGTABLE_EMULATOR_HOST"),
    Text("tsd.storage.bigtable.endpoint",
         "bigtable.googleapis.com:443",
         "host:port of Bigtable's data API, always with TLS; BIGTABLE_EMULATOR_HOST overrides it, "
         "without TLS"),
    Text("tsd.storage.bigtable.admin_endpoint",
         "bigtableadmin.googleapis.com:443",
         "host:port of Bigtable's admin API, which creates the tables"),
    Milliseconds("tsd.storage.bigtable.timeout",
                 "60000",
                 "total time for a call to Bigtable and its retries, in milliseconds",
                 100,
                 3'600'000),
    Text("tsd.storage.bigtable.tables",
         "hourcell",
         "prefix of the store's table names: hourcell-data, hourcell-uid and others"),
    Text("tsd.storage.bigtable.data_table",
         "",
         "data table of an OpenTSDB that the store shares after hourcell opentsdb adopt; empty = "
         "the store has a separate data table"),
    Text("tsd.storage.bigtable.uid_table",
         "tsdb-uid",
         "table of names of that OpenTSDB, for hourcell opentsdb"),
    Milliseconds(
        "tsd.storage.bigtable.lease",
        "10000",
        "failover timeout, in milliseconds: a writer without heartbeats for this long is replaced",
        100,
        3'600'000),
    Text("tsd.storage.backup.directory",
         "",
         "directory for backups by POST /api/admin/backup, outside of the store; empty = no "
         "backups over HTTP"),
    Text("tsd.storage.sync",
         "interval",
         "when points reach the disk: always = before they are acknowledged; interval = every "
         "sync_interval, so a power loss takes at most the points since then; never = when the "
         "system writes them. An acknowledged point always survives kill -9",
         "interval|always|never"),
    Milliseconds("tsd.storage.sync_interval", "1000", "milliseconds between syncs", 1, kInt32Max),
    Bytes("tsd.storage.open_hours",
          "536870912",
          "bytes of memory for points that are not yet in cells; hours are sealed early above 3/4 "
          "of the limit; at the limit, puts wait or get 503",
          64 << 10,
          kBytesMax),
    Bytes("tsd.storage.journal",
          "1073741824",
          "bytes of journal on disk; hours are sealed early above 4/5 of the limit; at the limit, "
          "puts wait or get 503; a smaller journal shortens the start after kill -9",
          4 * kSegmentMin,
          kBytesMax),
    Bytes("tsd.storage.journal.segment",
          "67108864",
          "bytes of one journal file; at most a quarter of the journal",
          kSegmentMin,
          1 << 30),
    Seconds("tsd.storage.journal.age",
            "10800",
            "seconds after which an hour that still needs the journal is sealed early",
            1,
            kInt32Max),
    Seconds("tsd.storage.seal_grace",
            "600",
            "seconds after an hour's end (and its last write) before it is sealed into a cell",
            0,
            kInt32Max),
    Seconds("tsd.storage.ttl",
            "0",
            "seconds to keep points, counted from their timestamp; 0 = forever; the store "
            "remembers the last value that was set, and uses it when none is set; for the TTL of "
            "one metric, see hourcell store ttl",
            0,
            kTimestampMsMax / 1000),
    Seconds("tsd.storage.undo",
            "604800",
            "seconds for which a delete of points, a shortened TTL or a rename can be undone, see "
            "hourcell undo; until then the points take space on disk; 0 = deletes remove points at "
            "once",
            0,
            kTimestampMsMax / 1000),
    Bool("tsd.storage.drop_empty_series",
         "true",
         "drop series from the index when all their points have expired; their names stay"),
    Text("tsd.region.presplit",
         "",
         "regions of a new store: hex:16, decimal:10, uniform:8, keys:a,b, file:PATH, salt, "
         "partition:20; empty = one region"),
    Text("tsd.storage.cell",
         "packed",
         "format of new cells: packed (smallest) or opentsdb (OpenTSDB's bytes); a store may "
         "hold both",
         "packed|opentsdb"),
    Count("tsd.storage.day_row_points",
          "250",
          "hours with fewer points than this share one row a day, which takes less space; 0 = "
          "each hour has a row; not with tsd.storage.cell = opentsdb",
          0,
          100'000),
    Bytes("tsd.storage.series_cache",
          "536870912",
          "bytes of the cache that maps names and tags, as clients send them, to series",
          0,
          kBytesMax),
    Bytes(
        "tsd.storage.block_cache",
        "536870912",
        "bytes of cache for blocks of stored files, and for the indexes and filters of open files"),
    Bytes("tsd.storage.write_buffer",
          "67108864",
          "bytes of one table's rows in memory before they are written to a file; all tables "
          "together use at most four times as much",
          64 << 10,
          1 << 30),
    Count("tsd.storage.background_jobs", "2", "threads that write and merge SST files", 1, 1024),
    Count("tsd.storage.open_files",
          "512",
          "maximum number of open SST files; opening one takes about a millisecond",
          20,
          1'000'000),

    Bytes("tsd.http.request.max_body",
          "67108864",
          "maximum bytes of a request body after decompression",
          1,
          kBodyMax),
    Bytes("tsd.http.request.memory",
          "268435456",
          "bytes of memory for all large request bodies together; a body beyond the limit gets "
          "503; 0 = no limit",
          0,
          kBytesMax),
    Seconds("tsd.http.request.timeout",
            "30",
            "seconds for a request to arrive after its first byte, plus one for each KiB "
            "of its body that has arrived; also the limit for a TLS handshake; 0 = no limit",
            0,
            86'400),
    Milliseconds("tsd.http.request.work_timeout",
                 "120000",
                 "milliseconds for a body of more than 64 KiB, including its wait for a thread; "
                 "then it gets 503; 0 = no limit",
                 0,
                 86'400'000),
    Text("tsd.http.request.cors_domains", "", "origins that get CORS headers: * or a list"),
    Text("tsd.http.request.cors_headers",
         kCorsHeadersDefault,
         "headers that CORS requests may have"),
    Text("tsd.http.hosts",
         "",
         "host names that clients without credentials may use for the server, in addition to IP "
         "addresses, localhost and this machine's name: a list, or * for any"),
    Bool("tsd.http.jsonp",
         "false",
         "answer requests with ?jsonp=NAME as a script, so that any web page can read the "
         "responses"),
    Text("tsd.http.staticroot",
         "",
         "directory whose files are served at /s/, for pages of your own; empty = none"),
    Text("tsd.http.trusted_proxies",
         "",
         "addresses of proxies whose X-Forwarded-For header is trusted: 127.0.0.1, 10.0.0.0/24"),
    Text("tsd.http.header_tag",
         "",
         "request header whose value, tagk=tagv, is added as a tag to every point of a put"),
    Text("tsd.inputs.default_tag",
         "host=unknown",
         "tag, as tagk=tagv, for points without tags from other formats (docs/inputs.md)"),
    Text("tsd.inputs.exponential_histograms",
         "whole",
         "OpenTelemetry's exponential histograms and Prometheus' native ones: whole (stored as "
         "histograms, for percentiles in queries) or buckets (OpenTelemetry's become series of "
         "buckets at powers of two, Prometheus' are refused)",
         "whole|buckets"),
    Count("tsd.inputs.new_series",
          "100000",
          "maximum number of new series per hour from Graphite and StatsD together (neither has "
          "logins), and from each address of another machine whose telnet and HTTP clients do not "
          "log in; points of further series are refused; 0 = no limit",
          0,
          kInt32Max),
    Text("tsd.prometheus.names",
         "legacy",
         "names in the responses of remote read and of PromQL: legacy (valid in Prometheus before "
         "version 3) or utf8 (as stored)",
         "legacy|utf8"),
    Text("tsd.influx.separator",
         "_",
         "separator between the measurement and the field in the metric of an InfluxDB line"),
    Count("tsd.graphite.port",
          "-1",
          "port of Graphite's plaintext protocol, on tsd.network.bind; -1 = none, 0 = any free "
          "port",
          -1,
          65535),
    Count("tsd.statsd.port",
          "-1",
          "UDP port of StatsD, on tsd.network.bind; -1 = none, 0 = any free port",
          -1,
          65535),
    Seconds("tsd.statsd.flush",
            "10",
            "StatsD flush interval, in seconds: each series gets one point per interval",
            1,
            3600),
    Count("tsd.statsd.series",
          "100000",
          "maximum number of StatsD series in memory; samples of further series are counted and "
          "dropped",
          1,
          10'000'000),
    Bytes("tsd.statsd.memory",
          "134217728",
          "maximum bytes of StatsD series and values in memory; samples beyond the limit are "
          "counted and dropped",
          1 << 20,
          int64_t{1} << 40),
    Text("tsd.statsd.percentiles", "50, 90, 99", "percentiles of StatsD timers, such as 99.9"),
    Text("tsd.statsd.prefix", "", "prefix of StatsD metrics, such as stats."),
    Text("tsd.otlp.resource_attributes",
         "service.name, service.namespace, service.instance.id, host.name, "
         "deployment.environment.name, k8s.namespace.name, k8s.pod.name",
         "attributes of an OpenTelemetry resource that become tags of its points"),
    Bool("tsd.http.query.allow_delete",
         "false",
         "allow requests to delete points (DELETE /api/query)"),
    Bool("tsd.http.ttl.allow_shorter",
         "false",
         "allow requests to shorten a metric's TTL, which removes its older points"),
    Bool("tsd.rpc.allow_dropcaches",
         "false",
         "allow admins to drop the caches (GET /api/dropcaches, telnet dropcaches)"),
    Bool("tsd.rpc.telnet.return_errors", "true", "answer a refused put line with the reason"),
    Count("tsd.query.concurrent",
          "0",
          "maximum number of HTTP queries that run at once; 0 = tsd.network.worker_threads",
          0,
          1024),
    Count("tsd.query.queue",
          "1000",
          "maximum number of waiting queries; further queries get 503",
          0,
          kInt32Max),
    Count("tsd.query.quick_rows",
          "128",
          "queries of at most this many rows (a series, an hour) that need no disk read are "
          "answered on the I/O thread; 0 = query threads answer all queries",
          0,
          4096),
    Milliseconds("tsd.query.timeout",
                 "0",
                 "maximum duration of a query, in milliseconds; over HTTP including its wait in "
                 "the queue; 0 = no limit"),
    Milliseconds(
        "tsd.query.send_timeout",
        "60000",
        "milliseconds after which a client is disconnected if it took less than 64 KiB of its "
        "response in that time; 0 = never"),
    Count("tsd.query.limits.data_points.default",
          "0",
          "maximum number of points that a sub query may read; 0 = no limit"),
    Bytes("tsd.query.limits.bytes.default",
          "0",
          "maximum bytes of stored points that a sub query may read; 0 = no limit"),
    Count("tsd.query.limits.rows.default",
          "0",
          "maximum number of rows that a sub query may read or skip; 0 = no limit"),
    Count("tsd.query.limits.series.default",
          "0",
          "maximum number of series that a sub query may select; 0 = no limit"),
    Text("tsd.query.limits.range.default",
         "0",
         "maximum time range of a query, such as 30d or 12h; 0 = no limit"),
    Text("tsd.query.limits.overrides.config",
         "",
         "JSON file with limits for metrics by name; read only when the server starts"),
    Bool("tsd.rollups.enable",
         "false",
         "accept rollups, and answer queries from them, as tsd.rollups.config says"),
    Text("tsd.rollups.config",
         "",
         "aggregates and intervals of the rollups: JSON, or the path of a file ending in .json"),
    Text(
        "tsd.rollups.rules",
        "",
        "rollups that the store computes, and how long it keeps them and the points, such as * raw "
        "for 30d, 1m for 1y, 1h; empty = none"),
    Bool("tsd.rollups.split_query.enable",
         "false",
         "answer the time after the delaySla of an interval from the points"),
    Text("tsd.rollups.agg_tag_key", "_aggregate", "tag key of pre-aggregated series"),
    Text("tsd.rollups.raw_agg_tag_value",
         "RAW",
         "value of that tag for series that are not pre-aggregated"),
    Bool("tsd.rollups.tag_raw", "false", "give rollups that are not pre-aggregated that tag"),
    Bool("tsd.rollups.block_derived",
         "true",
         "refuse rollups by avg and dev, which are computed from sum and count"),
    Bytes("tsd.query.memory",
          "1073741824",
          "bytes of memory for all queries together; 0 = no limit",
          0,
          kBytesMax),
    Count("tsd.query.threads", "0", "threads for one query; 0 = one per core", 0, 1024),
    Bool("tsd.query.skip_unresolved_tagvs", "false", "ignore unknown tag values in filters"),
    Text("tsd.forward",
         "",
         "URL of an OpenTSDB or Hourcell server that also gets every acknowledged point, such as "
         "http://tsdb:4242; empty = none. The environment variable HOURCELL_FORWARD_TOKEN has its "
         "token"),
    Text("tsd.forward.directory",
         "",
         "directory of the spool for tsd.forward; empty = forward in the store's directory"),
    Bytes("tsd.forward.max_bytes",
          "1073741824",
          "maximum bytes of the spool; beyond the limit the oldest points are dropped and counted",
          65536,
          kBytesMax),
    Text("tsd.forward.ca_file",
         "",
         "certificates in PEM to trust for an https URL of tsd.forward; empty = the system's"),
    Seconds("tsd.stats.self_interval",
            "0",
            "seconds between puts of the server's own statistics as tsd.* metrics; 0 = off",
            0,
            kInt32Max),
    Text("tsd.log.format",
         "text",
         "format of the log on stderr: lines of text, or a JSON object per line",
         "text|json"),
    Count("tsd.metrics.regions",
          "100",
          "maximum number of regions of a table for which /metrics lists each region; 0 = none",
          0,
          kInt32Max),
    Bytes("tsd.health.disk_free",
          "268435456",
          "bytes of free disk space below which /readyz answers 503; 0 = not checked",
          0,
          kBytesMax),
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
