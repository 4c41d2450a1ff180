// HttpApi: OpenTSDB's HTTP API on a Tsdb: a request in, a response out. No sockets here.
//
// Routes are OpenTSDB's: the first segments in any case, /api[/v<N>]/<endpoint>[/<sub>]; unknown
// ones are 404, wrong verbs 405, both with OpenTSDB's error JSON. /api/admin/... is ours. What a
// request may not do by its rights is 401 or 403 (http_login.h).
// Thread-safe.

#pragma once

#include <optional>
#include <string>

#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "engine/tsdb.h"
#include "server/admin_handler.h"
#include "server/backup_handler.h"
#include "server/config.h"
#include "server/cors.h"
#include "server/fsck_handler.h"
#include "server/http_message.h"
#include "server/http_router.h"
#include "server/last_handler.h"
#include "server/put_handler.h"
#include "server/query_handler.h"
#include "server/query_registry.h"
#include "server/region_handler.h"
#include "server/salt_handler.h"
#include "server/search_handler.h"
#include "server/stats_text.h"
#include "server/ttl_handler.h"
#include "server/uid_handler.h"

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

  // The same, with the body printed in full.
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
  HttpResponse Dispatch(const HttpRequest& request);
  void FinishResponse(const HttpRequest& request, HttpResponse* response) const;

  HttpResponse Put(const HttpRequest& request) { return put_.Handle(request); }
  HttpResponse Query(const HttpRequest& request) { return query_.Handle(request); }
  HttpResponse QueryPage(const HttpRequest& request);
  HttpResponse QueryStats(const HttpRequest& request) { return query_.HandleList(request); }
  HttpResponse Last(const HttpRequest& request) { return HandleLast(request, tsdb_); }
  HttpResponse Search(const HttpRequest& request) { return HandleSearch(request, tsdb_, clock_); }
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
  HttpResponse Seal(const HttpRequest&) { return admin_.Seal(); }
  HttpResponse Flush(const HttpRequest&) { return admin_.Flush(); }
  HttpResponse Compact(const HttpRequest&) { return admin_.Compact(); }
  HttpResponse Backup(const HttpRequest& request) {
    return HandleBackup(request, config_->text("tsd.storage.backup.directory"), tsdb_, clock_);
  }
  HttpResponse Fsck(const HttpRequest& request) { return HandleFsck(request, tsdb_); }
  HttpResponse Ttl(const HttpRequest& request) { return HandleTtl(request, tsdb_); }
  HttpResponse Salt(const HttpRequest& request) {
    return HandleSalt(request, tsdb_, clock_->NowMs());
  }
  HttpResponse Regions(const HttpRequest& request) { return regions_.List(request); }
  HttpResponse CheckRegions(const HttpRequest& request) { return regions_.Check(request); }
  HttpResponse SplitRegion(const HttpRequest& request) { return regions_.Split(request); }
  HttpResponse MergeRegions(const HttpRequest& request) { return regions_.Merge(request); }
  HttpResponse RollRegions(const HttpRequest& request) { return regions_.Rolling(request); }
  HttpResponse Annotation(const HttpRequest& request);
  HttpResponse Uid(const HttpRequest& request) { return HandleUid(request, tsdb_); }
  HttpResponse Landing(const HttpRequest& request);

  Tsdb* const tsdb_;
  const Config* const config_;
  Clock* const clock_;
  const std::string mode_;  // tsd.mode: rw, ro or wo
  const bool authenticates_;
  const StatOrigin origin_;
  const CorsPolicy cors_;
  PutHandler put_;
  QueryRegistry queries_;
  QueryHandler query_;
  AdminHandler admin_;
  RegionHandler regions_;
};

}  // namespace hourcell
