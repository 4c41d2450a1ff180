#include "server/api/endpoints.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "server/access/access_rights.h"
#include "server/admin/backup_handler.h"
#include "server/admin/fsck_handler.h"
#include "server/admin/region_json.h"
#include "server/admin/salt_handler.h"
#include "server/admin/ttl_handler.h"
#include "server/admin/undo_handler.h"
#include "server/api/info_handlers.h"
#include "server/api/query_page.h"
#include "server/api/web_page.h"
#include "server/documents/annotation_handler.h"
#include "server/documents/view_handler.h"
#include "server/expressions/virtual_metrics_handler.h"
#include "server/graph/graph_handler.h"
#include "server/http/http_error.h"
#include "server/http/static_file.h"
#include "server/inputs/input_settings.h"
#include "server/lab/lab_handler.h"
#include "server/log/log.h"
#include "server/monitor/logs_handler.h"
#include "server/monitor/process_info.h"
#include "server/names/meta_handler.h"
#include "server/names/metrics_handler.h"
#include "server/names/suggest_handler.h"
#include "server/promql/api_handler.h"
#include "server/promql/metadata_handler.h"
#include "server/promql/promql_handler.h"
#include "server/promql/request_params.h"
#include "server/promql/series_handler.h"
#include "server/rollups/rollup_status.h"
#include "server/trees/branch_handler.h"
#include "server/trees/tree_handler.h"

namespace hourcell {
namespace {

// Groups of jobs: jobs that seal or merge the whole store, and jobs that change its regions.
constexpr std::string_view kStoreJobs = "store";
constexpr std::string_view kRegionJobs = "regions";

StatOrigin OriginOf(const Config& config) {
  StatOrigin origin{.host = HostName(), .port = std::nullopt};
  if (config.boolean("tsd.core.stats_with_port")) {
    origin.port = static_cast<uint16_t>(config.integer("tsd.network.port"));
  }
  return origin;
}

PutHandler::Settings PutSettingsOf(const Config& config, const RollupRules* rollups) {
  PutHandler::Settings settings{
      .tags_max = static_cast<size_t>(config.integer("tsd.storage.max_tags")),
      .tag_header = config.text("tsd.http.header_tag"),
      .rollups = rollups};
  absl::AsciiStrToLower(&settings.tag_header);
  return settings;
}

InputSettings CheckedInputsOf(const Config& config) {
  absl::StatusOr<InputSettings> settings = InputSettingsOf(config);
  HOURCELL_CHECK(settings.ok());
  return *std::move(settings);
}

HistogramCodecs CheckedCodecsOf(const Config& config) {
  absl::StatusOr<HistogramCodecs> codecs =
      ParseHistogramCodecs(config.text("tsd.core.histograms.config"));
  HOURCELL_CHECK(codecs.ok());
  return *codecs;
}

RollupRules CheckedRollupsOf(const Config& config) {
  absl::StatusOr<RollupRules> rules = RollupRulesOf(config);
  HOURCELL_CHECK(rules.ok());
  return *std::move(rules);
}

bool MayRead(const HttpRequest& request) {
  return request.rights.Covers(AccessRights::Read());
}

// Nothing: tsd.forward is off, so the counters do not exist.
std::optional<ForwardState> ForwardStateOf(const Stats& stats) {
  std::optional<ForwardState> state;
  for (const StatSample& sample : stats.Snapshot()) {
    if (!sample.name.starts_with("forward.")) continue;
    if (!state.has_value()) state.emplace();
    if (sample.tags == StatTags{{"type", "dropped"}}) state->dropped = sample.value;
    if (sample.tags == StatTags{{"type", "set_aside"}}) state->set_aside = sample.value;
    if (sample.name == "forward.unsynced") state->unsynced = sample.value;
    if (sample.name == "forward.lag") state->lag_s = sample.value;
    if (sample.name == "forward.spool_bytes") state->spool_bytes = sample.value;
  }
  return state;
}

}  // namespace

Endpoints::Endpoints(Tsdb* tsdb, const Config* config, Clock* clock)
    : tsdb_(tsdb),
      config_(config),
      clock_(clock),
      origin_(OriginOf(*config)),
      started_ms_(clock->NowMs()),
      put_(tsdb, PutSettingsOf(*config, /*rollups=*/nullptr)),
      rollups_(CheckedRollupsOf(*config)),
      put_rollups_(tsdb, PutSettingsOf(*config, &rollups_)),
      histogram_codecs_(CheckedCodecsOf(*config)),
      input_names_(tsdb->layout().names, config->text("tsd.core.tag.allow_specialchars")),
      metadata_(tsdb),
      influx_({.tsdb = tsdb, .names = &input_names_, .clock = clock}, CheckedInputsOf(*config)),
      prom_write_({.tsdb = tsdb, .names = &input_names_, .metadata = &metadata_},
                  CheckedInputsOf(*config)),
      otlp_({.tsdb = tsdb, .names = &input_names_, .metadata = &metadata_},
            CheckedInputsOf(*config)),
      queries_(clock),
      query_({.tsdb = tsdb,
              .clock = clock,
              .registry = &queries_,
              .timezone = config->text("tsd.core.timezone"),
              .allow_delete = config->boolean("tsd.http.query.allow_delete") &&
                              config->text("tsd.mode") != "ro",
              .quick = QuickBoundsOf(config->integer("tsd.query.quick_rows"))}),
      prom_series_(&query_.service(), &input_names_, CheckedInputsOf(*config)),
      prom_read_(&prom_series_),
      admin_(tsdb, clock),
      metrics_(tsdb, clock, {.regions_max = config->integer("tsd.metrics.regions")}),
      health_([tsdb] { return tsdb->maintenance().Health(); },
              {.mode = config->text("tsd.mode"),
               .disk_free_bytes = config->integer("tsd.health.disk_free")}),
      regions_(tsdb),
      jobs_(clock) {
  health_.SetForward([tsdb] { return ForwardStateOf(tsdb->stats()); });
}

HttpResponse Endpoints::StoreBody(const HttpRequest& request,
                                  std::string_view path,
                                  std::function<HttpResponse(BodyWork* work)> write) {
  if (!request.may_wait || request.body.size() <= kSmallBodyBytesMax) return write(nullptr);
  std::string text =
      fmt::format(R"({{"type":"WRITE","path":"{}","bytes":{}}})", path, request.body.size());
  return ListedWork(query_.service(), request, std::move(text),
                    [this, &request, write = std::move(write)](const QueryControl& control) {
                      BodyWork work(&control, clock_, request.deadline_ms);
                      return write(&work);
                    });
}

HttpResponse Endpoints::Put(const HttpRequest& request) {
  return StoreBody(request, "/api/put",
                   [this, &request](BodyWork* work) { return put_.Handle(request, work); });
}

HttpResponse Endpoints::Histogram(const HttpRequest& request) {
  return StoreBody(request, "/api/histogram", [this, &request](BodyWork* work) {
    return HandleHistograms(request, histogram_codecs_, tsdb_, work);
  });
}

HttpResponse Endpoints::Rollup(const HttpRequest& request) {
  return StoreBody(request, "/api/rollup",
                   [this, &request](BodyWork* work) { return put_rollups_.Handle(request, work); });
}

HttpResponse Endpoints::InfluxWrite(const HttpRequest& request) {
  return StoreBody(request, "/write",
                   [this, &request](BodyWork* work) { return influx_.Write(request, work); });
}

HttpResponse Endpoints::OtlpWrite(const HttpRequest& request) {
  return StoreBody(request, "/v1/metrics",
                   [this, &request](BodyWork* work) { return otlp_.Write(request, work); });
}

HttpResponse Endpoints::PromWrite(const HttpRequest& request) {
  return StoreBody(request, "/api/v1/write",
                   [this, &request](BodyWork* work) { return prom_write_.Write(request, work); });
}

HttpResponse Endpoints::Query(const HttpRequest& request) {
  if (IsPromQuery(request)) return HandlePromQuery(request, prom_series_);
  if (const std::optional<PictureForm> picture = PictureOf(request.header("accept"))) {
    return DrawQuery(request, query_.service(), *picture);
  }
  return query_.Handle(request);
}

HttpResponse Endpoints::PromQueryRange(const HttpRequest& request) {
  return HandlePromQueryRange(request, prom_series_);
}

HttpResponse Endpoints::PromSeries(const HttpRequest& request) {
  return HandlePromSeries(request, prom_series_);
}

HttpResponse Endpoints::PromLabelNames(const HttpRequest& request) {
  return HandlePromLabels(request, prom_series_);
}

HttpResponse Endpoints::PromLabelValues(const HttpRequest& request) {
  return HandlePromLabelValues(request, prom_series_);
}

HttpResponse Endpoints::PromFormatQuery(const HttpRequest& request) {
  return HandleFormatQuery(request);
}

HttpResponse Endpoints::PromExemplars(const HttpRequest& request) {
  return HandleQueryExemplars(request);
}

HttpResponse Endpoints::PromMetadata(const HttpRequest& request) {
  return HandlePromMetadata(request, prom_series_, metadata_);
}

HttpResponse Endpoints::PromRules(const HttpRequest&) {
  return NoPromRules();
}

HttpResponse Endpoints::PromAlerts(const HttpRequest&) {
  return NoPromAlerts();
}

HttpResponse Endpoints::PromBuildInfo(const HttpRequest&) {
  return PromBuildInfoResponse();
}

HttpResponse Endpoints::PromTsdb(const HttpRequest& request) {
  return HandlePromTsdb(request, query_.service());
}

HttpResponse Endpoints::QueryPage(const HttpRequest& request) {
  return AnswerQueryPage(request, query_.service());
}

HttpResponse Endpoints::Suggest(const HttpRequest& request) {
  return HandleSuggest(request, query_.service());
}

HttpResponse Endpoints::RankMetrics(const HttpRequest& request) {
  return HandleMetrics(request, query_.service());
}

HttpResponse Endpoints::Aggregators(const HttpRequest&) {
  return AggregatorsInfo();
}

HttpResponse Endpoints::Version(const HttpRequest& request) {
  return VersionInfo(MayRead(request));
}

HttpResponse Endpoints::VersionText(const HttpRequest& request) {
  return request.has_param("json") ? VersionInfo(MayRead(request)) : VersionPage();
}

HttpResponse Endpoints::StatsJson(const HttpRequest&) {
  return StatsInfo(tsdb_->stats(), clock_->NowMs(), origin_);
}

HttpResponse Endpoints::StatsText(const HttpRequest& request) {
  return StatsPage(tsdb_->stats(), clock_->NowMs(), origin_, request.has_param("json"));
}

HttpResponse Endpoints::Threads(const HttpRequest&) {
  return ThreadStats();
}

HttpResponse Endpoints::Jvm(const HttpRequest&) {
  return JvmStats(started_ms_, clock_->NowMs());
}

HttpResponse Endpoints::RegionClients(const HttpRequest&) {
  return RegionClientStats();
}

HttpResponse Endpoints::Logs(const HttpRequest& request) {
  return HandleLogs(request, RecentLog());
}

// Serial: whether a TTL is shorter depends on the one before.
HttpResponse Endpoints::Ttl(const HttpRequest& request) {
  MutexLock lock(&ttl_mutex_);
  return HandleTtl(request, config_->boolean("tsd.http.ttl.allow_shorter"), tsdb_);
}

HttpResponse Endpoints::RollupStatus(const HttpRequest&) {
  return HandleRollupStatus(tsdb_);
}

HttpResponse Endpoints::VirtualMetrics(const HttpRequest& request) {
  return HandleVirtualMetrics(request, tsdb_);
}

HttpResponse Endpoints::ConfigJson(const HttpRequest& request) {
  return request.has_param("help") ? ConfigHelp() : ConfigInfo(*config_);
}

HttpResponse Endpoints::Filters(const HttpRequest&) {
  return FiltersInfo();
}

HttpResponse Endpoints::Serializers(const HttpRequest&) {
  return SerializersInfo();
}

HttpResponse Endpoints::List(const HttpRequest&) {
  return EndpointsInfo();
}

HttpResponse Endpoints::Cluster(const HttpRequest& /*request*/) {
  return ClusterInfo(tsdb_->maintenance().Cluster(),
                     fmt::format("{}:{}", config_->text("tsd.network.bind"),
                                 config_->integer("tsd.network.port")));
}

HttpResponse Endpoints::WhoAmI(const HttpRequest& request) {
  return WhoAmIInfo(request, *config_);
}

HttpResponse Endpoints::DropCaches(const HttpRequest&) {
  if (!config_->boolean("tsd.rpc.allow_dropcaches")) {
    return HttpError(403, "Forbidden",
                     "Dropping caches is not enabled (tsd.rpc.allow_dropcaches=false)");
  }
  tsdb_->maintenance().DropCaches();
  HttpResponse response;
  response.body = "{\"status\":\"200\",\"message\":\"Caches dropped\"}";
  return response;
}

HttpResponse Endpoints::Seal(const HttpRequest& request) {
  return StartJob(request,
                  {.kind = "seal",
                   .group = kStoreJobs,
                   .work = [this](JobWatch* watch) { return admin_.Seal(watch); }},
                  &jobs_);
}

HttpResponse Endpoints::Flush(const HttpRequest& request) {
  return StartJob(request,
                  {.kind = "flush",
                   .group = kStoreJobs,
                   .work = [this](JobWatch* watch) { return admin_.Flush(watch); }},
                  &jobs_);
}

HttpResponse Endpoints::Compact(const HttpRequest& request) {
  return StartJob(request,
                  {.kind = "compact",
                   .group = kStoreJobs,
                   .work = [this](JobWatch* watch) { return admin_.Compact(watch); }},
                  &jobs_);
}

HttpResponse Endpoints::Undo(const HttpRequest& request) {
  return HandleUndo(request, tsdb_, kStoreJobs, &jobs_);
}

HttpResponse Endpoints::Salt(const HttpRequest& request) {
  return HandleSalt(request, tsdb_, clock_->NowMs(), kStoreJobs, &jobs_);
}

HttpResponse Endpoints::Backup(const HttpRequest& request) {
  return HandleBackup(request, config_->text("tsd.storage.backup.directory"), tsdb_, clock_,
                      &jobs_);
}

HttpResponse Endpoints::Fsck(const HttpRequest& request) {
  return HandleFsck(request, tsdb_, clock_, &jobs_);
}

HttpResponse Endpoints::Simulate(const HttpRequest& request) {
  return HandleSimulate(request, tsdb_, clock_, &jobs_);
}

HttpResponse Endpoints::Layouts(const HttpRequest& request) {
  return HandleLayouts(request, &jobs_);
}

HttpResponse Endpoints::SplitRegion(const HttpRequest& request) {
  const absl::StatusOr<SplitBody> parsed = ParseSplitJson(request.body);
  if (auto refusal = RegionHandler::RefuseSplit(request)) return *std::move(refusal);
  return StartJob(
      request,
      {.kind = parsed->is_dry_run ? "plan-split" : "split",
       .group = kRegionJobs,
       .work = [this, request](JobWatch* /*watch*/) { return regions_.Split(request); }},
      &jobs_);
}

HttpResponse Endpoints::MergeRegions(const HttpRequest& request) {
  if (auto refusal = RegionHandler::RefuseMerge(request)) return *std::move(refusal);
  return StartJob(
      request,
      {.kind = "merge",
       .group = kRegionJobs,
       .work = [this, request](JobWatch* /*watch*/) { return regions_.Merge(request); }},
      &jobs_);
}

HttpResponse Endpoints::RollRegions(const HttpRequest& request) {
  const absl::StatusOr<RollingSplitRequest> parsed = ParseRollingJson(request.body);
  if (auto refusal = RegionHandler::RefuseRolling(request)) return *std::move(refusal);
  const auto probe = [this, table = parsed->table] {
    const std::optional<RollingProgress> rolling = regions_.RollingSoFar(table);
    return JobProgress{.phase = "cut",
                       .done = rolling.has_value() ? rolling->made : 0,
                       .total = rolling.has_value() ? rolling->keys : 0,
                       .unit = "regions"};
  };
  return StartJob(
      request,
      {.kind = "rolling-split",
       .group = kRegionJobs,
       .work = [this, request](JobWatch* /*watch*/) { return regions_.Rolling(request); },
       .probe = probe},
      &jobs_);
}

HttpResponse Endpoints::Annotation(const HttpRequest& request) {
  return HandleAnnotation(request, tsdb_, clock_);
}

HttpResponse Endpoints::Views(const HttpRequest& request) {
  return HandleViews(request, tsdb_, clock_);
}

HttpResponse Endpoints::UidMeta(const HttpRequest& request) {
  return HandleUidMeta(request, query_.service());
}

HttpResponse Endpoints::SeriesMeta(const HttpRequest& request) {
  return HandleSeriesMeta(request, query_.service());
}

HttpResponse Endpoints::Tree(const HttpRequest& request) {
  return HandleTree(request, query_.service());
}

HttpResponse Endpoints::TreeRule(const HttpRequest& request) {
  return HandleTreeRule(request, query_.service());
}

HttpResponse Endpoints::TreeRules(const HttpRequest& request) {
  return HandleTreeRules(request, query_.service());
}

HttpResponse Endpoints::TreeBranch(const HttpRequest& request) {
  return HandleTreeBranch(request, query_.service());
}

HttpResponse Endpoints::TreeTest(const HttpRequest& request) {
  return HandleTreeTest(request, query_.service());
}

HttpResponse Endpoints::TreeCollisions(const HttpRequest& request) {
  return HandleTreeCollisions(request, query_.service());
}

HttpResponse Endpoints::TreeNotMatched(const HttpRequest& request) {
  return HandleTreeNotMatched(request, query_.service());
}

HttpResponse Endpoints::WebPage(const HttpRequest& request) {
  return AnswerWebPage(request);
}

HttpResponse Endpoints::Icon(const HttpRequest&) {
  return AnswerIcon();
}

HttpResponse Endpoints::StaticFile(const HttpRequest& request) {
  return AnswerStaticFile(request, config_->text("tsd.http.staticroot"));
}

}  // namespace hourcell
