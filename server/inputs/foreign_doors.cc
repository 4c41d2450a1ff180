#include "server/inputs/foreign_doors.h"

#include <string_view>

#include "codec/base/json_writer.h"
#include "codec/base/strings.h"

namespace hourcell {

bool IsPromQuery(const HttpRequest& request) {
  for (const std::string_view needed : {"start", "m", "tsuids", "tsuid"}) {
    if (request.has_param(needed)) return false;
  }
  if (request.has_param("query")) return true;
  // Grafana and promtool post a form. OpenTSDB's body is JSON, whatever its Content-Type.
  const std::string_view body = request.body;
  const bool has_query = body.starts_with("query=") || body.find("&query=") != body.npos;
  return has_query &&
         LowerCase(request.header("content-type")).starts_with("application/x-www-form-urlencoded");
}

HttpResponse RefusePromQuery() {
  HttpResponse response;
  response.status = 400;
  JsonWriter json(&response.body);
  json.OpenObject();
  json.Field("status", "error");
  json.Field("errorType", "bad_data");
  json.Field("error",
             "PromQL is not answered here: query a Prometheus that reads this server by "
             "remote_read (/api/v1/read), or use OpenTSDB's /api/query");
  json.CloseObject();
  return response;
}

HttpResponse RefuseInflux2() {
  constexpr std::string_view kText =
      "of InfluxDB 2 only /api/v2/write and /health are answered; points are queried by /api/query";
  HttpResponse response;
  response.status = 404;
  JsonWriter json(&response.body);
  json.OpenObject();
  json.Field("code", "not found");
  json.Field("message", kText);
  json.CloseObject();
  return response;
}

}  // namespace hourcell
