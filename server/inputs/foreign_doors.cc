#include "server/inputs/foreign_doors.h"

#include <string_view>

#include "codec/base/json_writer.h"

namespace hourcell {

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
