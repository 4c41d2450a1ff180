// The table of routes: one row for each path that the server answers. The row decides how the
// server treats a request before its handler runs:
//
//   404              no row has the path, or tsd.mode does not offer it
//   405, Allow       the row does not have the verb (HEAD: GET is missing, or changes state)
//   401, 403         the client does not have the right of the verb
//   403              the verb changes state, and any web page could have sent the request
//   preflight        the verbs of the row are the allowed methods
//   threads          the threads that answer
//   /api/endpoints, docs/endpoints.md    describe the rows
//
// To add an endpoint, see README.md. Pure; thread-safe; finding a row allocates nothing.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "server/access/access_rights.h"
#include "server/http/http_message.h"
#include "server/http/http_router.h"

namespace hourcell {

class Endpoints;

// The right that a client needs. kNone: none, so every client is answered; kAny: any right at all.
// The default is admin.
enum class Right : uint8_t { kNone, kAny, kRead, kWrite, kAdmin };

// "none", "any", "read", "write", "admin".
std::string_view RightName(Right right);
// Empty for kNone and kAny.
AccessRights RightsOf(Right right);

// The effect of a verb on the state of the server.
enum class Effect : uint8_t {
  kReads,         // does not change state
  kChanges,       // a request that any web page could have sent is refused (web_guard.h)
  kTakesAnyForm,  // changes state; accepts requests in any form
};

// The threads that answer.
enum class AnsweredOn : uint8_t {
  kSocketThread,  // the thread that read the request; must not wait for the store
  kWorkers,       // for requests that may take long
  kQueryThreads,  // for reads of the store, each with a place among the queries and a deadline
  // Like kQueryThreads, but the thread that read the request first tries whether it is quick.
  kQuickOrQueryThreads,
};

// How a route handles one verb.
struct VerbRow {
  bool offered = false;
  Right right = Right::kAdmin;
  Effect effect = Effect::kChanges;
  std::string_view absent_in = {};  // the tsd.mode that does not offer it
};

struct RouteRow {
  std::string_view path;  // in lower case; "/*" at its end: with anything after it, or nothing
  VerbRow get = {};       // answers HEAD, too
  VerbRow post = {};
  VerbRow put = {};
  VerbRow del = {};
  // Accepts a GET that method_override changes to another verb, even if GET itself is not offered.
  bool get_is_override = false;
  // The setting that turns the handler on; empty: always on.
  std::string_view enabled_by = {};
  AnsweredOn answered_on = AnsweredOn::kWorkers;
  // A standby answers GET and POST from its follower, which has every acknowledged point. Not its
  // POST if the row also has DELETE and deletions are on: the body may ask for one
  // (server/cluster/relay_choice.h).
  bool follower_may_answer = false;
  // Refuses a POST by its head alone, before its body is read or inflated; null: no such check.
  std::optional<HttpResponse> (*refuse_head)(const HttpRequest& head) = nullptr;
  // Accepts a block of snappy without a Content-Encoding.
  bool guesses_snappy = false;
  HttpResponse (Endpoints::*handler)(const HttpRequest& request) = nullptr;
  std::string_view doc;  // its purpose, as a phrase

  // True for another system's /api/v2/..., where v2 is not a version of OpenTSDB's API.
  bool NamesItsVersion() const { return path.starts_with("/api/v2/"); }
  const VerbRow& Of(HttpMethod method) const;
  bool IsOfferedIn(std::string_view mode) const;
};

// In lookup order: the first match counts.
std::span<const RouteRow> RouteTable();

// Null: the path is not in the table.
const RouteRow* FindRoute(const RoutePath& path);

// The value of Allow: "GET, HEAD, POST", as far as `mode` offers them.
std::string AllowedVerbs(const RouteRow& row, std::string_view mode);

// The row of a decoded path; null: the path is not in the table.
const RouteRow* FindRoute(std::string_view path);

// The threads that answer a request; without a row: the workers.
AnsweredOn ThreadsFor(const RouteRow* row);
inline AnsweredOn ThreadsFor(std::string_view path) {
  return ThreadsFor(FindRoute(path));
}

}  // namespace hourcell
