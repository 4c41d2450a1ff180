#include "server/rollups/rollup_status.h"

#include <vector>

#include <absl/status/statusor.h>

#include "codec/base/json_writer.h"
#include "server/http/http_status.h"

namespace hourcell {

std::string RollupStatusJson(std::span<const RollupProgress> metrics) {
  std::string body;
  JsonWriter json(&body);
  json.OpenObject();
  json.Key("metrics");
  json.OpenArray();
  for (const RollupProgress& one : metrics) {
    json.OpenObject();
    json.Field("metric", one.metric);
    json.Field("levels", one.levels);
    json.Field("until", one.until_s);
    json.Field("changed", one.changed);
    json.CloseObject();
  }
  json.CloseArray();
  json.CloseObject();
  return body;
}

HttpResponse HandleRollupStatus(Tsdb* tsdb) {
  const absl::StatusOr<std::vector<RollupProgress>> metrics = tsdb->retention().Rollups();
  if (!metrics.ok()) return FailureResponse(Failed::kChange, metrics.status());
  HttpResponse response;
  response.body = RollupStatusJson(*metrics);
  return response;
}

}  // namespace hourcell
