#include "server/api/route_rights.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace hourcell {
namespace {

struct RouteRights {
  std::string_view base;  // as BaseRoute has it
  std::string_view sub;   // "*": any, and none
  AccessRights get;       // GET
  AccessRights post;      // POST and PUT
  AccessRights del;       // DELETE
};

constexpr AccessRights kAny;
constexpr AccessRights kRead = AccessRights::Read();
constexpr AccessRights kWrite = AccessRights::Write();
constexpr AccessRights kAdmin = AccessRights::Admin();

// The first that fits counts.
constexpr RouteRights kRoutes[] = {
    {"api/put", "", kWrite, kWrite, kAdmin},
    {"api/query", "", kRead, kRead, kAdmin},
    {"api/query", "last", kRead, kRead, kAdmin},
    {"api/search", "*", kRead, kRead, kAdmin},
    {"api/suggest", "", kRead, kRead, kAdmin},
    {"api/aggregators", "", kAny, kAny, kAdmin},
    {"api/version", "", kAny, kAny, kAdmin},
    {"api/serializers", "", kAny, kAny, kAdmin},
    {"api/config", "filters", kAny, kAny, kAdmin},
    {"api/stats", "", kRead, kRead, kAdmin},
    {"api/stats", "query", kRead, kRead, kAdmin},
    {"api/annotation", "", kRead, kWrite, kWrite},
    {"api/annotation", "bulk", kRead, kWrite, kAdmin},
    {"api/annotations", "", kRead, kWrite, kAdmin},
    {"api/uid", "assign", kWrite, kWrite, kAdmin},
    {"", "", kAny, kAny, kAdmin},
    {"q", "", kRead, kRead, kAdmin},
    {"suggest", "", kRead, kRead, kAdmin},
    {"aggregators", "", kAny, kAny, kAdmin},
    {"version", "", kAny, kAny, kAdmin},
    {"stats", "", kRead, kRead, kAdmin},
};

constexpr std::string_view kGetsThatChange[] = {"api/dropcaches", "api/uid"};

}  // namespace

AccessRights RightsFor(const Route& route, HttpMethod method) {
  const std::string base = BaseRoute(route);
  for (const RouteRights& known : kRoutes) {
    if (known.base != base || (known.sub != route.sub && known.sub != "*")) continue;
    if (method == HttpMethod::kDelete) return known.del;
    return method == HttpMethod::kPost || method == HttpMethod::kPut ? known.post : known.get;
  }
  return kAdmin;
}

bool Changes(const Route& route, HttpMethod method) {
  const std::string base = BaseRoute(route);
  if (base == "api/put" || kRead.Covers(RightsFor(route, method))) return false;
  return method != HttpMethod::kGet ||
         std::ranges::find(kGetsThatChange, base) != std::end(kGetsThatChange);
}

}  // namespace hourcell
