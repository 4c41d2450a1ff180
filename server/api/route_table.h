// The table of routes: one row for each path that the server answers. What the server does with a
// request before its handler sees it follows from the row:
//
//   404              no row has the path, or tsd.mode does not offer it
//   405, Allow       the row does not have the verb (HEAD: it has no GET, or its GET changes state)
//   401, 403         the client does not have the right of the verb
//   403              the verb changes state, and any web page could have sent the request
//   preflight        the verbs of the row are the allowed methods
//   threads          which of them answer
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

// What a client needs. kNone: nothing, so that whoever reaches the port is answered; kAny: any
// right at all. A verb for which nobody chose needs admin.
enum class Right : uint8_t { kNone, kAny, kRead, kWrite, kAdmin };

// "none", "any", "read", "write", "admin".
std::string_view RightName(Right right);
// Of kNone and kAny: no right in particular.
AccessRights RightsOf(Right right);

// What a verb does to the state of the server.
enum class Effect : uint8_t {
  kReads,         // nothing
  kChanges,       // a request that any web page could have sent is refused (web_guard.h)
  kTakesAnyForm,  // changes state and is taken as any client sends it
};

// Which threads answer.
enum class AnsweredOn : uint8_t {
  kSocketThread,  // the thread that read the request: nothing here waits for the store
  kWorkers,       // what may take long
  kQueryThreads,  // what reads the store for a client: it needs a place and has a deadline
  // The same, but first the thread that read the request tries whether it is quick.
  kQuickOrQueryThreads,
};

// What a route does with one verb.
struct VerbRow {
  bool offered = false;
  Right right = Right::kAdmin;
  Effect effect = Effect::kChanges;
  std::string_view absent_in = {};  // the tsd.mode that does not offer it
};

struct RouteRow {
  std::string_view path;  // in lower case; "/*" at its end: with anything after it, or nothing
  VerbRow get = {};       // HEAD is answered as GET is
  VerbRow post = {};
  VerbRow put = {};
  VerbRow del = {};
  // A GET is taken where method_override makes it another verb, though there is no GET itself.
  bool get_is_override = false;
  // A setting without which the handler only says that it is off; empty: none.
  std::string_view enabled_by = {};
  AnsweredOn answered_on = AnsweredOn::kWorkers;
  // Refuses a POST by its head alone, before its body is read or inflated; null: nothing is.
  std::optional<HttpResponse> (*refuse_head)(const HttpRequest& head) = nullptr;
  // A body without a Content-Encoding that is a block of snappy is one.
  bool guesses_snappy = false;
  HttpResponse (Endpoints::*handler)(const HttpRequest& request) = nullptr;
  std::string_view doc;  // what it is for, as a phrase

  // Another system's /api/v2/..., which is no version of OpenTSDB's.
  bool NamesItsVersion() const { return path.starts_with("/api/v2/"); }
  const VerbRow& Of(HttpMethod method) const;
  bool IsOfferedIn(std::string_view mode) const;
};

// In the order in which they are looked at: the first that fits counts.
std::span<const RouteRow> RouteTable();

// Null: no row has the path.
const RouteRow* FindRoute(const RoutePath& path);

// The value of Allow: "GET, HEAD, POST", as far as `mode` offers them.
std::string AllowedVerbs(const RouteRow& row, std::string_view mode);

// The row of a decoded path; null: no row has it.
const RouteRow* FindRoute(std::string_view path);

// Where a request is answered; without a row: by the workers.
AnsweredOn ThreadsFor(const RouteRow* row);
inline AnsweredOn ThreadsFor(std::string_view path) {
  return ThreadsFor(FindRoute(path));
}

}  // namespace hourcell
