// Endpoints: the handlers of the table of routes (route_table.h), a method each, and their shared
// state: the store, the settings, the queries and the jobs.
//
// Handlers get only requests whose verb, mode and rights their row admits. Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "engine/tsdb.h"
#include "server/admin/admin_handler.h"
#include "server/admin/dump_handler.h"
#include "server/admin/job_handler.h"
#include "server/admin/job_registry.h"
#include "server/admin/region_handler.h"
#include "server/changes/change_handler.h"
#include "server/config/config.h"
#include "server/expressions/exp_handler.h"
#include "server/expressions/gexp_handler.h"
#include "server/histograms/histogram_codecs.h"
#include "server/histograms/histogram_handler.h"
#include "server/http/http_message.h"
#include "server/inputs/foreign_doors.h"
#include "server/inputs/influx/influx_handler.h"
#include "server/inputs/metric_metadata.h"
#include "server/inputs/name_rule.h"
#include "server/inputs/otlp/otlp_handler.h"
#include "server/inputs/prometheus/prom_read_handler.h"
#include "server/inputs/prometheus/prom_series_reader.h"
#include "server/inputs/prometheus/prom_write_handler.h"
#include "server/monitor/health_handler.h"
#include "server/monitor/metrics_handler.h"
#include "server/names/search_handler.h"
#include "server/names/uid_handler.h"
#include "server/put/body_work.h"
#include "server/put/put_handler.h"
#include "server/query/last_handler.h"
#include "server/query/query_handler.h"
#include "server/query/query_registry.h"
#include "server/rollups/rollup_rules.h"
#include "server/text/stats_text.h"

namespace hourcell {

class Endpoints {
 public:
  // All are borrowed and outlive the object. Counts into tsdb->stats().
  // REQUIRES: InputSettingsOf(*config), RollupRulesOf(*config) and ParseHistogramCodecs of its
  // setting are OK.
  Endpoints(Tsdb* tsdb, const Config* config, Clock* clock);

  // Starts no more jobs and cancels the running ones; StopJobs waits until they have ended.
  void CancelJobs() {
    health_.SetStopping();
    jobs_.CancelAll();
  }
  void StopJobs() { jobs_.Stop(); }

  HealthHandler* health() { return &health_; }
  const RollupRules& rollups() const { return rollups_; }

  HttpResponse Put(const HttpRequest& request);
  HttpResponse Histogram(const HttpRequest& request);
  HttpResponse Rollup(const HttpRequest& request);
  HttpResponse InfluxWrite(const HttpRequest& request);
  HttpResponse InfluxQuery(const HttpRequest& request) { return influx_.Query(request); }
  HttpResponse InfluxHealth(const HttpRequest& request) { return health_.HandleInflux(request); }
  HttpResponse Influx2(const HttpRequest&) { return RefuseInflux2(); }
  HttpResponse InfluxPing(const HttpRequest& request) { return InfluxHandler::Ping(request); }
  HttpResponse OtlpWrite(const HttpRequest& request);
  HttpResponse PromWrite(const HttpRequest& request);
  HttpResponse PromRead(const HttpRequest& request) { return prom_read_.Read(request); }
  HttpResponse PromQueryRange(const HttpRequest& request);
  HttpResponse PromSeries(const HttpRequest& request);
  HttpResponse PromLabelNames(const HttpRequest& request);
  HttpResponse PromLabelValues(const HttpRequest& request);
  HttpResponse PromFormatQuery(const HttpRequest& request);
  HttpResponse PromExemplars(const HttpRequest& request);
  HttpResponse PromMetadata(const HttpRequest& request);
  HttpResponse PromRules(const HttpRequest& request);
  HttpResponse PromAlerts(const HttpRequest& request);
  HttpResponse PromBuildInfo(const HttpRequest& request);
  HttpResponse PromTsdb(const HttpRequest& request);
  HttpResponse Query(const HttpRequest& request);
  HttpResponse Exp(const HttpRequest& request) { return HandleExp(request, query_.service()); }
  HttpResponse Gexp(const HttpRequest& request) { return HandleGexp(request, &query_); }
  HttpResponse Changes(const HttpRequest& request) {
    return HandleChanges(request, query_.service());
  }
  HttpResponse Churn(const HttpRequest& request) { return HandleChurn(request, query_.service()); }
  HttpResponse QueryPage(const HttpRequest& request);
  HttpResponse QueryStats(const HttpRequest& request) { return query_.HandleList(request); }
  HttpResponse Last(const HttpRequest& request) { return HandleLast(request, query_.service()); }
  HttpResponse Search(const HttpRequest& request) {
    return HandleSearch(request, query_.service());
  }
  HttpResponse Suggest(const HttpRequest& request);
  HttpResponse RankMetrics(const HttpRequest& request);
  HttpResponse Annotation(const HttpRequest& request);
  HttpResponse Views(const HttpRequest& request);
  HttpResponse UidMeta(const HttpRequest& request);
  HttpResponse SeriesMeta(const HttpRequest& request);
  HttpResponse Tree(const HttpRequest& request);
  HttpResponse TreeRule(const HttpRequest& request);
  HttpResponse TreeRules(const HttpRequest& request);
  HttpResponse TreeBranch(const HttpRequest& request);
  HttpResponse TreeTest(const HttpRequest& request);
  HttpResponse TreeCollisions(const HttpRequest& request);
  HttpResponse TreeNotMatched(const HttpRequest& request);
  HttpResponse Uid(const HttpRequest& request) { return HandleUid(request, tsdb_); }

  HttpResponse Aggregators(const HttpRequest& request);
  HttpResponse Version(const HttpRequest& request);
  HttpResponse VersionText(const HttpRequest& request);
  HttpResponse StatsJson(const HttpRequest& request);
  HttpResponse StatsText(const HttpRequest& request);
  HttpResponse Threads(const HttpRequest& request);
  HttpResponse Jvm(const HttpRequest& request);
  HttpResponse RegionClients(const HttpRequest& request);
  HttpResponse Logs(const HttpRequest& request);
  HttpResponse Metrics(const HttpRequest& request) { return metrics_.Handle(request); }
  HttpResponse Health(const HttpRequest& request) { return health_.HandleHealth(request); }
  HttpResponse Ready(const HttpRequest& request) { return health_.HandleReady(request); }
  HttpResponse Status(const HttpRequest&) { return health_.HandleStatus(); }
  HttpResponse ConfigJson(const HttpRequest& request);
  HttpResponse Filters(const HttpRequest& request);
  HttpResponse Serializers(const HttpRequest& request);
  HttpResponse List(const HttpRequest& request);
  HttpResponse Cluster(const HttpRequest& request);
  HttpResponse WhoAmI(const HttpRequest& request);
  HttpResponse WebPage(const HttpRequest& request);
  HttpResponse Icon(const HttpRequest& request);
  HttpResponse StaticFile(const HttpRequest& request);

  HttpResponse DropCaches(const HttpRequest& request);
  HttpResponse Seal(const HttpRequest& request);
  HttpResponse Flush(const HttpRequest& request);
  HttpResponse Compact(const HttpRequest& request);
  HttpResponse Backup(const HttpRequest& request);
  HttpResponse Fsck(const HttpRequest& request);
  HttpResponse Scan(const HttpRequest& request) { return HandleScan(request, query_.service()); }
  HttpResponse Names(const HttpRequest& request) { return HandleNames(request, query_.service()); }
  HttpResponse Jobs(const HttpRequest& request) { return HandleJobs(request, &jobs_); }
  HttpResponse Ttl(const HttpRequest& request);
  HttpResponse RollupStatus(const HttpRequest& request);
  HttpResponse VirtualMetrics(const HttpRequest& request);
  HttpResponse Undo(const HttpRequest& request);
  HttpResponse Salt(const HttpRequest& request);
  HttpResponse Simulate(const HttpRequest& request);
  HttpResponse Layouts(const HttpRequest& request);
  HttpResponse Regions(const HttpRequest& request) { return regions_.List(request); }
  HttpResponse RegionLoads(const HttpRequest& request) { return regions_.Loads(request); }
  HttpResponse CheckRegions(const HttpRequest& request) { return regions_.Check(request); }
  HttpResponse SplitRegion(const HttpRequest& request);
  HttpResponse MergeRegions(const HttpRequest& request);
  HttpResponse RollRegions(const HttpRequest& request);

 private:
  // The answer of `write`, which stores a body of points; lists a large body as `path`.
  HttpResponse StoreBody(const HttpRequest& request,
                         std::string_view path,
                         std::function<HttpResponse(BodyWork* work)> write);

  Tsdb* const tsdb_;
  const Config* const config_;
  Clock* const clock_;
  const StatOrigin origin_;
  const int64_t started_ms_;
  PutHandler put_;
  const RollupRules rollups_;
  PutHandler put_rollups_;
  const HistogramCodecs histogram_codecs_;
  const NameRule input_names_;
  MetadataKeeper metadata_;
  InfluxHandler influx_;
  PromWriteHandler prom_write_;
  const OtlpHandler otlp_;
  QueryRegistry queries_;
  QueryHandler query_;
  const PromSeriesReader prom_series_;
  const PromReadHandler prom_read_;
  AdminHandler admin_;
  MetricsHandler metrics_;
  HealthHandler health_;
  RegionHandler regions_;
  Mutex ttl_mutex_;
  JobRegistry jobs_;  // last: its threads use the others
};

}  // namespace hourcell
