// HttpApi: OpenTSDB's HTTP API on a Tsdb: a request in, a response out. No sockets here.
//
// Routes are OpenTSDB's: the first segments in any case, /api[/v<N>]/<endpoint>[/<sub>]; unknown
// ones are 404, wrong verbs 405, both with OpenTSDB's error JSON. /api/admin/... is ours. What a
// request may not do by its rights is 401 or 403 (http_login.h), what a foreign web page sent, or
// may have sent, 403 (web_guard.h).
// Thread-safe.

#pragma once

#include <optional>
#include <string>

#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "engine/tsdb.h"
#include "server/admin/admin_handler.h"
#include "server/admin/backup_handler.h"
#include "server/admin/fsck_handler.h"
#include "server/admin/job_handler.h"
#include "server/admin/job_registry.h"
#include "server/admin/region_handler.h"
#include "server/admin/salt_handler.h"
#include "server/admin/ttl_handler.h"
#include "server/config/config.h"
#include "server/http/guard/cors.h"
#include "server/http/guard/web_guard.h"
#include "server/http/http_message.h"
#include "server/http/http_router.h"
#include "server/names/search_handler.h"
#include "server/names/uid_handler.h"
#include "server/put/put_handler.h"
#include "server/query/last_handler.h"
#include "server/query/query_handler.h"
#include "server/query/query_registry.h"
#include "server/text/stats_text.h"

namespace hourcell {

class HttpApi {
 public:
  // kInvalidArgument: settings of the API that do not go together (CORS). Checked before the start.
  static absl::Status CheckConfig(const Config& config);

  // All are borrowed and outlive the object. Counts into tsdb->stats().
  // REQUIRES: CheckConfig(*config) is OK.
  HttpApi(Tsdb* tsdb, const Config* config, Clock* clock = Clock::System());

  // Answers one request whose target was parsed (ParseTarget). Never throws; every request gets a
  // response. May block on storage. The response may have a producer, which borrows `request` and
  // this object.
  HttpResponse Begin(const HttpRequest& request);

  // Begins no job any more and asks those that run to end; StopJobs waits until they have.
  void CancelJobs() { jobs_.CancelAll(); }
  void StopJobs() { jobs_.Stop(); }

  // The same as Begin, with the body printed in full.
  HttpResponse Handle(const HttpRequest& request);

  // The answer to a request that is refused whatever its body is: because of its route, its method,
  // or the rights of its client; nothing for others. `head` is a request without its body and with
  // its target not parsed. Quick.
  std::optional<HttpResponse> RefuseUnread(HttpRequest head) const;

 private:
  struct Endpoint;
  static const Endpoint kEndpoints[];

  const Endpoint* Find(const Route& route) const;
  std::optional<HttpResponse> Refuse(const HttpRequest& request, const Endpoint** endpoint) const;
  std::optional<HttpResponse> RefuseRoute(const HttpRequest& request,
                                          const Route& route,
                                          const Endpoint& endpoint) const;
  HttpResponse Dispatch(const HttpRequest& request);
  void FinishResponse(const HttpRequest& request, HttpResponse* response) const;

  HttpResponse Put(const HttpRequest& request) { return put_.Handle(request); }
  HttpResponse Query(const HttpRequest& request) { return query_.Handle(request); }
  HttpResponse QueryPage(const HttpRequest& request);
  HttpResponse QueryStats(const HttpRequest& request) { return query_.HandleList(request); }
  HttpResponse Last(const HttpRequest& request) { return HandleLast(request, query_.service()); }
  HttpResponse Search(const HttpRequest& request) {
    return HandleSearch(request, query_.service());
  }
  HttpResponse Suggest(const HttpRequest& request);
  HttpResponse Aggregators(const HttpRequest& request);
  HttpResponse Version(const HttpRequest& request);
  HttpResponse VersionText(const HttpRequest& request);
  HttpResponse StatsJson(const HttpRequest& request);
  HttpResponse StatsText(const HttpRequest& request);
  HttpResponse ConfigJson(const HttpRequest& request);
  HttpResponse Filters(const HttpRequest& request);
  HttpResponse Serializers(const HttpRequest& request);
  HttpResponse DropCaches(const HttpRequest& request);
  HttpResponse Seal(const HttpRequest& request);
  HttpResponse Flush(const HttpRequest& request);
  HttpResponse Compact(const HttpRequest& request);
  HttpResponse Backup(const HttpRequest& request);
  HttpResponse Fsck(const HttpRequest& request);
  HttpResponse Jobs(const HttpRequest& request) { return HandleJobs(request, &jobs_); }
  HttpResponse Ttl(const HttpRequest& request);
  HttpResponse Salt(const HttpRequest& request);
  HttpResponse Regions(const HttpRequest& request) { return regions_.List(request); }
  HttpResponse CheckRegions(const HttpRequest& request) { return regions_.Check(request); }
  HttpResponse SplitRegion(const HttpRequest& request);
  HttpResponse MergeRegions(const HttpRequest& request);
  HttpResponse RollRegions(const HttpRequest& request);
  HttpResponse Annotation(const HttpRequest& request);
  HttpResponse Uid(const HttpRequest& request) { return HandleUid(request, tsdb_); }
  HttpResponse WebPage(const HttpRequest& request);

  Tsdb* const tsdb_;
  const Config* const config_;
  Clock* const clock_;
  const std::string mode_;  // tsd.mode: rw, ro or wo
  const bool authenticates_;
  const StatOrigin origin_;
  const CorsPolicy cors_;
  const WebGuard guard_;
  const bool jsonp_;  // tsd.http.jsonp
  PutHandler put_;
  QueryRegistry queries_;
  QueryHandler query_;
  AdminHandler admin_;
  RegionHandler regions_;
  Mutex ttl_mutex_;
  JobRegistry jobs_;  // the last: its threads use the others
};

}  // namespace hourcell
