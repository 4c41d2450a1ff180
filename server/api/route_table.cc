#include "server/api/route_table.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "server/api/endpoints.h"
#include "server/text/ascii.h"

namespace hourcell {
namespace {

constexpr std::string_view kPages = "/";
constexpr std::string_view kApi = "/api/";
constexpr std::string_view kApi2 = "/api/v2/";
constexpr std::string_view kAnything = "/*";

constexpr std::string_view kReadOnly = "ro";
constexpr std::string_view kWriteOnly = "wo";

constexpr VerbRow Reads(Right right, std::string_view absent_in = {}) {
  return {.offered = true, .right = right, .effect = Effect::kReads, .absent_in = absent_in};
}
constexpr VerbRow Changes(Right right, std::string_view absent_in = {}) {
  return {.offered = true, .right = right, .effect = Effect::kChanges, .absent_in = absent_in};
}
// Clients of OpenTSDB post points with the Content-Type of their library, `curl -d` with that of a
// form: a put cannot require more than OpenTSDB does. The Origin header keeps web pages out.
constexpr VerbRow TakesAnyForm(Right right, std::string_view absent_in) {
  return {.offered = true, .right = right, .effect = Effect::kTakesAnyForm, .absent_in = absent_in};
}

// Probes come without a login. The threads that they check answer them.
constexpr RouteRow Probe(std::string_view path,
                         decltype(RouteRow::handler) handler,
                         std::string_view doc) {
  return {.path = path,
          .get = Reads(Right::kNone),
          .answered_on = AnsweredOn::kSocketThread,
          .handler = handler,
          .doc = doc};
}

// The most frequent first, because each put looks up its row.
constexpr RouteRow kRouteRows[] = {
    {.path = "/api/put",
     .post = TakesAnyForm(Right::kWrite, kReadOnly),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::Put,
     .doc = "write points"},
    {.path = "/api/histogram",
     .post = TakesAnyForm(Right::kWrite, kReadOnly),
     .handler = &Endpoints::Histogram,
     .doc = "write histograms"},
    {.path = "/api/rollup",
     .post = TakesAnyForm(Right::kWrite, kReadOnly),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::Rollup,
     .doc = "write rollups and pre-aggregated points"},
    {.path = "/write",
     .post = TakesAnyForm(Right::kWrite, kReadOnly),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::InfluxWrite,
     .doc = "write points in InfluxDB's line protocol"},
    {.path = "/api/v2/write",
     .post = TakesAnyForm(Right::kWrite, kReadOnly),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::InfluxWrite,
     .doc = "the same, as clients of InfluxDB 2 send it"},
    {.path = "/api/write",
     .post = TakesAnyForm(Right::kWrite, kReadOnly),
     .answered_on = AnsweredOn::kSocketThread,
     .refuse_head = &PromWriteHandler::RefuseHead,
     .guesses_snappy = true,
     .handler = &Endpoints::PromWrite,
     .doc = "write points by Prometheus' remote write, 1.0 and 2.0, as /api/v1/write"},
    {.path = "/v1/metrics",
     .post = TakesAnyForm(Right::kWrite, kReadOnly),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::OtlpWrite,
     .doc = "write data points by OpenTelemetry's protocol, OTLP/HTTP"},
    {.path = "/api/read",
     .post = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .handler = &Endpoints::PromRead,
     .doc = "query samples by Prometheus' remote read, as /api/v1/read"},
    {.path = "/ping",
     .get = Reads(Right::kAny),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::InfluxPing,
     .doc = "answers 204, as InfluxDB does"},
    // This route never changes state.
    {.path = "/query",
     .get = Reads(Right::kWrite, kReadOnly),
     .post = Reads(Right::kWrite, kReadOnly),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::InfluxQuery,
     .doc = "answers InfluxDB's CREATE DATABASE and SHOW DATABASES, which agents send before they "
            "write"},
    {.path = "/health",
     .get = Reads(Right::kNone),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::InfluxHealth,
     .doc = "as /healthz, in the form of InfluxDB 2"},
    {.path = "/api/v2/query",
     .post = Reads(Right::kAny),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::Influx2,
     .doc = "answered 404: of InfluxDB 2 only the write is offered"},
    {.path = "/api/v2/buckets",
     .get = Reads(Right::kAny),
     .post = Reads(Right::kAny),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::Influx2,
     .doc = "the same"},
    {.path = "/api/v2/orgs",
     .get = Reads(Right::kAny),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::Influx2,
     .doc = "the same"},
    {.path = "/api/query",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Reads(Right::kRead, kWriteOnly),
     .del = Changes(Right::kAdmin, kWriteOnly),
     .answered_on = AnsweredOn::kQuickOrQueryThreads,
     .follower_may_answer = true,
     .handler = &Endpoints::Query,
     .doc = "query points, answered as JSON or, by the header Accept, as a graph; with query=, by "
            "PromQL; DELETE removes what it finds, if tsd.http.query.allow_delete is set"},
    {.path = "/api/query/exp",
     .post = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .follower_may_answer = true,
     .handler = &Endpoints::Exp,
     .doc = "calculate formulas of queried points"},
    {.path = "/api/query/gexp",
     .get = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQuickOrQueryThreads,
     .follower_may_answer = true,
     .handler = &Endpoints::Gexp,
     .doc = "query points, and apply functions to them"},
    {.path = "/api/query/changes",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .follower_may_answer = true,
     .handler = &Endpoints::Changes,
     .doc = "find the metrics of a tag that moved most in a range against the range before"},
    {.path = "/api/query/churn",
     .get = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .follower_may_answer = true,
     .handler = &Endpoints::Churn,
     .doc = "list the series of a metric that started or ended in a range"},
    {.path = "/api/query_range",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .follower_may_answer = true,
     .handler = &Endpoints::PromQueryRange,
     .doc = "evaluate an expression of PromQL at each step of a range, as /api/v1/query_range"},
    {.path = "/api/series",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .handler = &Endpoints::PromSeries,
     .doc = "list the series that match, in the form of Prometheus"},
    {.path = "/api/labels",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .handler = &Endpoints::PromLabelNames,
     .doc = "list the names of labels, in the form of Prometheus"},
    {.path = "/api/label/*",
     .get = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .handler = &Endpoints::PromLabelValues,
     .doc = "/api/label/NAME/values: list the values of a label, in the form of Prometheus"},
    {.path = "/api/metadata",
     .get = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .handler = &Endpoints::PromMetadata,
     .doc = "list types, help texts and units of metrics, in the form of Prometheus"},
    {.path = "/api/query_exemplars",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::PromExemplars,
     .doc = "an empty list: exemplars are not stored"},
    {.path = "/api/format_query",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::PromFormatQuery,
     .doc = "print an expression of PromQL in its usual form"},
    {.path = "/api/rules",
     .get = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::PromRules,
     .doc = "an empty list: the server does not have rules of Prometheus"},
    {.path = "/api/alerts",
     .get = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::PromAlerts,
     .doc = "the same for alerts"},
    {.path = "/api/status/buildinfo",
     .get = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::PromBuildInfo,
     .doc = "the version of Prometheus whose API this is, and the version of the server"},
    {.path = "/api/status/tsdb",
     .get = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .handler = &Endpoints::PromTsdb,
     .doc = "the number of series, and the metrics with the most series, as Prometheus has them"},
    {.path = "/api/query/last",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .follower_may_answer = true,
     .handler = &Endpoints::Last,
     .doc = "the last point of each series"},
    {.path = "/api/search/lookup",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .handler = &Endpoints::Search,
     .doc = "list the series of a metric or of tags"},
    {.path = "/api/search/*",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .handler = &Endpoints::Search,
     .doc =
         "search UIDs, series and annotations by words (uidmeta, tsmeta, tsmeta_summary, tsuids, "
         "annotation)"},
    {.path = "/api/suggest",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .handler = &Endpoints::Suggest,
     .doc = "complete a name of a metric, a tag key or a tag value"},
    {.path = "/api/metrics",
     .get = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .handler = &Endpoints::RankMetrics,
     .doc =
         "list metrics by a part of their name, by name, size or age, with their number of series"},
    {.path = "/api/aggregators",
     .get = Reads(Right::kAny),
     .post = Reads(Right::kAny),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::Aggregators,
     .doc = "list the aggregators"},
    {.path = "/api/version",
     .get = Reads(Right::kAny),
     .post = Reads(Right::kAny),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::Version,
     .doc = "the version of the server"},
    {.path = "/api/stats",
     .get = Reads(Right::kRead),
     .post = Reads(Right::kRead),
     .handler = &Endpoints::StatsJson,
     .doc = "the counters and gauges of the server"},
    {.path = "/api/stats/threads",
     .get = Reads(Right::kRead),
     .post = Reads(Right::kRead),
     .handler = &Endpoints::Threads,
     .doc = "the threads of the server"},
    {.path = "/api/stats/jvm",
     .get = Reads(Right::kRead),
     .post = Reads(Right::kRead),
     .handler = &Endpoints::Jvm,
     .doc = "memory, uptime and load, in the form of OpenTSDB's Java machine"},
    {.path = "/api/stats/region_clients",
     .get = Reads(Right::kRead),
     .post = Reads(Right::kRead),
     .handler = &Endpoints::RegionClients,
     .doc = "an empty list: the server does not use clients of HBase"},
    {.path = "/api/stats/query",
     .get = Reads(Right::kRead),
     .del = Changes(Right::kAdmin),
     .answered_on = AnsweredOn::kSocketThread,  // must answer while queries hold all other threads
     .handler = &Endpoints::QueryStats,
     .doc = "list the queries that run or ran; DELETE cancels one"},
    {.path = "/api/config",
     .get = Reads(Right::kAdmin),
     .post = Reads(Right::kAdmin),
     .handler = &Endpoints::ConfigJson,
     .doc = "the settings of the server; with ?help the meaning, type, unit and default of each"},
    {.path = "/api/config/filters",
     .get = Reads(Right::kAny),
     .post = Reads(Right::kAny),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::Filters,
     .doc = "describe the tag filters"},
    {.path = "/api/serializers",
     .get = Reads(Right::kAny),
     .post = Reads(Right::kAny),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::Serializers,
     .doc = "describe the serializers"},
    {.path = "/api/endpoints",
     .get = Reads(Right::kAny),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::List,
     .doc = "list the endpoints, with their verbs and rights"},
    {.path = "/api/cluster",
     .get = Reads(Right::kAdmin),
     .handler = &Endpoints::Cluster,
     .doc = "the processes that share the store, and what its journal holds"},
    // A page needs it to decide whether to show a login.
    {.path = "/api/whoami",
     .get = Reads(Right::kNone),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::WhoAmI,
     .doc = "the user, the role and the mode of the server, as they are for the client"},
    {.path = "/api/dropcaches",
     .get = Changes(Right::kAdmin),
     .del = Changes(Right::kAdmin),
     .enabled_by = "tsd.rpc.allow_dropcaches",
     .handler = &Endpoints::DropCaches,
     .doc = "drop the caches of names, if tsd.rpc.allow_dropcaches is set"},
    {.path = "/api/annotation",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Changes(Right::kWrite, kReadOnly),
     .put = Changes(Right::kWrite, kReadOnly),
     .del = Changes(Right::kWrite, kReadOnly),
     .handler = &Endpoints::Annotation,
     .doc = "read, write or delete an annotation"},
    {.path = "/api/annotation/bulk",
     .post = Changes(Right::kWrite, kReadOnly),
     .put = Changes(Right::kWrite, kReadOnly),
     .del = Changes(Right::kAdmin, kReadOnly),
     .get_is_override = true,
     .handler = &Endpoints::Annotation,
     .doc = "write a list of annotations, or delete a range of them"},
    {.path = "/api/annotations",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Changes(Right::kWrite, kReadOnly),
     .put = Changes(Right::kWrite, kReadOnly),
     .del = Changes(Right::kAdmin, kReadOnly),
     .handler = &Endpoints::Annotation,
     .doc = "list the global annotations of a time range"},
    {.path = "/api/views/*",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Changes(Right::kWrite, kReadOnly),
     .put = Changes(Right::kWrite, kReadOnly),
     .del = Changes(Right::kWrite, kReadOnly),
     .handler = &Endpoints::Views,
     .doc = "list the saved views; below it, by name, read, write or delete one"},
    {.path = "/api/tree",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Changes(Right::kWrite, kReadOnly),
     .put = Changes(Right::kWrite, kReadOnly),
     .del = Changes(Right::kWrite, kReadOnly),
     .handler = &Endpoints::Tree,
     .doc = "list the trees, or read, write or delete one"},
    {.path = "/api/tree/rule",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Changes(Right::kWrite, kReadOnly),
     .put = Changes(Right::kWrite, kReadOnly),
     .del = Changes(Right::kWrite, kReadOnly),
     .handler = &Endpoints::TreeRule,
     .doc = "read, write or delete a rule of a tree"},
    {.path = "/api/tree/rules",
     .post = Changes(Right::kWrite, kReadOnly),
     .put = Changes(Right::kWrite, kReadOnly),
     .del = Changes(Right::kWrite, kReadOnly),
     .get_is_override = true,
     .handler = &Endpoints::TreeRules,
     .doc = "write several rules of a tree, or delete all"},
    {.path = "/api/tree/branch",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .handler = &Endpoints::TreeBranch,
     .doc = "the branches and leaves of a branch of a tree"},
    {.path = "/api/tree/test",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Reads(Right::kRead, kWriteOnly),
     .put = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .handler = &Endpoints::TreeTest,
     .doc = "the places of series by the rules of a tree, step by step"},
    {.path = "/api/tree/collisions",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Reads(Right::kRead, kWriteOnly),
     .put = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .handler = &Endpoints::TreeCollisions,
     .doc = "the series whose place in a tree another series has"},
    {.path = "/api/tree/notmatched",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Reads(Right::kRead, kWriteOnly),
     .put = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .handler = &Endpoints::TreeNotMatched,
     .doc = "the series that a tree leaves out"},
    {.path = "/api/uid/assign",
     .get = Changes(Right::kWrite, kReadOnly),
     .post = Changes(Right::kWrite, kReadOnly),
     .handler = &Endpoints::Uid,
     .doc = "assign UIDs to names"},
    {.path = "/api/uid/rename",
     .get = Changes(Right::kAdmin, kReadOnly),
     .post = Changes(Right::kAdmin, kReadOnly),
     .handler = &Endpoints::Uid,
     .doc = "rename a metric, a tag key or a tag value"},
    {.path = "/api/uid/uidmeta",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Changes(Right::kWrite, kReadOnly),
     .put = Changes(Right::kWrite, kReadOnly),
     .del = Changes(Right::kWrite, kReadOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .handler = &Endpoints::UidMeta,
     .doc = "read, write or delete the texts of a UID"},
    {.path = "/api/uid/tsmeta",
     .get = Reads(Right::kRead, kWriteOnly),
     .post = Changes(Right::kWrite, kReadOnly),
     .put = Changes(Right::kWrite, kReadOnly),
     .del = Changes(Right::kWrite, kReadOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .handler = &Endpoints::SeriesMeta,
     .doc = "read, write or delete the texts of a series"},
    {.path = "/api/uid/*",
     .get = Changes(Right::kAdmin, kReadOnly),
     .post = Changes(Right::kAdmin, kReadOnly),
     .put = Changes(Right::kAdmin, kReadOnly),
     .del = Changes(Right::kAdmin, kReadOnly),
     .handler = &Endpoints::Uid,
     .doc = "answered 501: not implemented"},
    {.path = "/api/admin/seal",
     .post = Changes(Right::kAdmin, kReadOnly),
     .handler = &Endpoints::Seal,
     .doc = "seal all open hours"},
    {.path = "/api/admin/flush",
     .post = Changes(Right::kAdmin, kReadOnly),
     .handler = &Endpoints::Flush,
     .doc = "write the memory tables to files"},
    {.path = "/api/admin/compact",
     .post = Changes(Right::kAdmin, kReadOnly),
     .handler = &Endpoints::Compact,
     .doc = "merge the files of the store"},
    {.path = "/api/admin/backup",
     .get = Reads(Right::kAdmin, kReadOnly),
     .post = Changes(Right::kAdmin, kReadOnly),
     .handler = &Endpoints::Backup,
     .doc = "list the backups, or make one"},
    {.path = "/api/admin/fsck",
     .get = Reads(Right::kAdmin),
     .post = Changes(Right::kAdmin),
     .del = Changes(Right::kAdmin),
     .handler = &Endpoints::Fsck,
     .doc = "check the store; GET shows the last check, DELETE ends it"},
    {.path = "/api/admin/scan",
     .get = Reads(Right::kAdmin),
     .answered_on = AnsweredOn::kQueryThreads,
     .handler = &Endpoints::Scan,
     .doc = "the stored rows, as lines of JSON, or with aggregate= their totals"},
    {.path = "/api/admin/uid",
     .get = Reads(Right::kAdmin),
     .del = Changes(Right::kAdmin, kReadOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .handler = &Endpoints::Names,
     .doc = "find mappings of names and UIDs, as lines of JSON; DELETE removes one"},
    {.path = "/api/admin/jobs",
     .get = Reads(Right::kAdmin),
     .del = Changes(Right::kAdmin),
     .handler = &Endpoints::Jobs,
     .doc = "list the jobs; DELETE ends one"},
    {.path = "/api/admin/ttl",
     .get = Reads(Right::kAdmin, kReadOnly),
     .post = Changes(Right::kAdmin, kReadOnly),
     .handler = &Endpoints::Ttl,
     .doc = "show or set how long points are kept"},
    {.path = "/api/admin/rollups",
     .get = Reads(Right::kAdmin),
     .handler = &Endpoints::RollupStatus,
     .doc = "how far the rollups of tsd.rollups.rules are computed"},
    {.path = "/api/admin/metrics",
     .get = Reads(Right::kAdmin, kReadOnly),
     .post = Changes(Right::kAdmin, kReadOnly),
     .del = Changes(Right::kAdmin, kReadOnly),
     .handler = &Endpoints::VirtualMetrics,
     .doc = "list or define virtual metrics; DELETE drops one"},
    {.path = "/api/admin/undo",
     .get = Reads(Right::kAdmin, kReadOnly),
     .post = Changes(Right::kAdmin, kReadOnly),
     .handler = &Endpoints::Undo,
     .doc = "list the changes that can be undone, or undo one"},
    {.path = "/api/admin/salt",
     .get = Reads(Right::kAdmin, kReadOnly),
     .post = Changes(Right::kAdmin, kReadOnly),
     .handler = &Endpoints::Salt,
     .doc = "show or set the number of salt buckets"},
    {.path = "/api/admin/simulate",
     .get = Reads(Right::kAdmin),
     .post = Changes(Right::kAdmin),
     .handler = &Endpoints::Simulate,
     .doc = "list what designs are made of, or simulate some"},
    {.path = "/api/admin/layouts",
     .post = Changes(Right::kAdmin, kReadOnly),
     .handler = &Endpoints::Layouts,
     .doc = "measure row-key layouts in temporary stores"},
    {.path = "/api/admin/regions",
     .get = Reads(Right::kAdmin),
     .handler = &Endpoints::Regions,
     .doc = "list the regions"},
    {.path = "/api/admin/regions/loads",
     .get = Reads(Right::kAdmin),
     .handler = &Endpoints::RegionLoads,
     .doc = "what the regions took over time, and their splits and merges"},
    {.path = "/api/admin/regions/check",
     .get = Reads(Right::kAdmin),
     .handler = &Endpoints::CheckRegions,
     .doc = "check that the regions cover each table once"},
    {.path = "/api/admin/regions/split",
     .post = Changes(Right::kAdmin, kReadOnly),
     .handler = &Endpoints::SplitRegion,
     .doc = "split a region"},
    {.path = "/api/admin/regions/merge",
     .post = Changes(Right::kAdmin, kReadOnly),
     .handler = &Endpoints::MergeRegions,
     .doc = "merge two regions"},
    {.path = "/api/admin/regions/rolling",
     .post = Changes(Right::kAdmin, kReadOnly),
     .handler = &Endpoints::RollRegions,
     .doc = "split many regions one after the other"},
    // The Explorer. Its files are public, because they contain the login form; its data needs the
    // rights of the rows above.
    {.path = "/",
     .get = Reads(Right::kNone),
     .handler = &Endpoints::WebPage,
     .doc = "the Explorer, a page that draws and browses metrics"},
    {.path = "/assets/*",
     .get = Reads(Right::kNone),
     .handler = &Endpoints::WebPage,
     .doc = "the files of the Explorer"},
    {.path = "/q",
     .get = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .follower_may_answer = true,
     .handler = &Endpoints::QueryPage,
     .doc = "query points, answered as text, as a graph (png, svg) or as a page"},
    {.path = "/suggest",
     .get = Reads(Right::kRead, kWriteOnly),
     .answered_on = AnsweredOn::kQueryThreads,
     .handler = &Endpoints::Suggest,
     .doc = "as /api/suggest"},
    {.path = "/aggregators",
     .get = Reads(Right::kAny),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::Aggregators,
     .doc = "as /api/aggregators"},
    {.path = "/version",
     .get = Reads(Right::kAny),
     .answered_on = AnsweredOn::kSocketThread,
     .handler = &Endpoints::VersionText,
     .doc = "the version of the server, as text"},
    {.path = "/stats",
     .get = Reads(Right::kRead),
     .handler = &Endpoints::StatsText,
     .doc = "the counters and gauges of the server, as lines"},
    {.path = "/metrics",
     .get = Reads(Right::kRead),
     .handler = &Endpoints::Metrics,
     .doc = "counters, gauges and histograms as Prometheus and OpenMetrics read them"},
    {.path = "/logs",
     .get = Reads(Right::kAdmin),
     .handler = &Endpoints::Logs,
     .doc = "the newest lines of the server's log"},
    {.path = "/s/*",
     .get = Reads(Right::kAny),
     .handler = &Endpoints::StaticFile,
     .doc = "the files of tsd.http.staticroot"},
    {.path = "/favicon.ico",
     .get = Reads(Right::kNone),
     .handler = &Endpoints::Icon,
     .doc = "the icon of the server's pages"},
    Probe("/healthz",
          &Endpoints::Health,
          "whether the server works, or only a new start helps (503)"),
    Probe("/readyz",
          &Endpoints::Ready,
          "whether the server can take points and queries now, or why not (503)"),
    Probe("/-/healthy", &Endpoints::Health, "as /healthz, where clients of Prometheus ask"),
    Probe("/-/ready", &Endpoints::Ready, "as /readyz, where clients of Prometheus ask"),
    Probe("/api/status",
          &Endpoints::Status,
          "the state of the server in one word, as OpenTSDB 2.5 answers it"),
};

// A row as a look-up compares it.
struct RouteKey {
  explicit RouteKey(const RouteRow& of)
      : row(&of), is_api(of.path.starts_with(kApi)), names_version(of.NamesItsVersion()) {
    const std::string_view space = names_version ? kApi2 : is_api ? kApi : kPages;
    name = of.path.substr(space.size());
    takes_anything = name.ends_with(kAnything);
    if (takes_anything) name.remove_suffix(kAnything.size());
  }

  bool MayHaveSize(size_t rest_bytes) const {
    return takes_anything ? rest_bytes >= name.size() : rest_bytes == name.size();
  }

  // REQUIRES: MayHaveSize(path.rest.size()).
  bool Fits(const RoutePath& path) const {
    if (names_version ? path.api_version != 2 : is_api != (path.api_version > 0)) return false;
    if (path.rest.size() > name.size() && path.rest[name.size()] != '/') return false;
    return EqualsIgnoringCase(path.rest.substr(0, name.size()), name);
  }

  const RouteRow* row;
  bool is_api;
  bool names_version;     // below /api/v2/
  std::string_view name;  // the rest of the path after one of the three, without "/*"
  bool takes_anything;
};

// The rows that a path may have, by the bytes of its rest; the last list is of all longer paths.
// Each list is in the order of the table.
using RouteIndex = std::vector<std::vector<RouteKey>>;

RouteIndex MakeRouteIndex() {
  size_t longest = 0;
  for (const RouteRow& row : kRouteRows)
    longest = std::max(longest, row.path.size());
  RouteIndex index(longest + 1);
  for (size_t bytes = 0; bytes < index.size(); ++bytes) {
    for (const RouteRow& row : kRouteRows)
      if (const RouteKey key(row); key.MayHaveSize(bytes)) index[bytes].push_back(key);
  }
  return index;
}

}  // namespace

std::string_view RightName(Right right) {
  constexpr std::string_view kNames[] = {"none", "any", "read", "write", "admin"};
  return kNames[static_cast<size_t>(right)];
}

AccessRights RightsOf(Right right) {
  if (right == Right::kNone || right == Right::kAny) return {};
  if (right == Right::kRead) return AccessRights::Read();
  return right == Right::kWrite ? AccessRights::Write() : AccessRights::Admin();
}

const VerbRow& RouteRow::Of(HttpMethod method) const {
  static constexpr VerbRow kNotOffered;
  if (method == HttpMethod::kGet) return get;
  if (method == HttpMethod::kPost) return post;
  if (method == HttpMethod::kPut) return put;
  return method == HttpMethod::kDelete ? del : kNotOffered;
}

bool RouteRow::IsOfferedIn(std::string_view mode) const {
  for (const VerbRow* const verb : {&get, &post, &put, &del}) {
    if (verb->offered && verb->absent_in != mode) return true;
  }
  return false;
}

std::span<const RouteRow> RouteTable() {
  return kRouteRows;
}

const RouteRow* FindRoute(const RoutePath& path) {
  static const RouteIndex index = MakeRouteIndex();
  for (const RouteKey& key : index[std::min(path.rest.size(), index.size() - 1)])
    if (key.Fits(path)) return key.row;
  return nullptr;
}

std::string AllowedVerbs(const RouteRow& row, std::string_view mode) {
  std::string verbs;
  const auto add = [&](const VerbRow& verb, std::string_view names) {
    if (!verb.offered || verb.absent_in == mode) return;
    verbs.append(verbs.empty() ? "" : ", ").append(names);
  };
  add(row.get, row.get.effect == Effect::kReads ? "GET, HEAD" : "GET");
  add(row.post, "POST");
  add(row.put, "PUT");
  add(row.del, "DELETE");
  return verbs;
}

const RouteRow* FindRoute(std::string_view path) {
  const absl::StatusOr<RoutePath> route = ParseRoutePath(path);
  return route.ok() ? FindRoute(*route) : nullptr;
}

AnsweredOn ThreadsFor(const RouteRow* row) {
  return row == nullptr ? AnsweredOn::kWorkers : row->answered_on;
}

}  // namespace hourcell
