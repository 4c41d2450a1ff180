// Decodes request targets, path and query, as real clients send them.
//
// Lenient: `{ } | * " , < >` and bytes above 0x7F may be unencoded. No I/O.

#pragma once

#include <absl/status/status.h>

#include "server/http/http_message.h"

namespace hourcell {

// Fills request->path and request->params from request->target. Decodes %XX everywhere, and '+' as
// a blank in the query only. Parameters are separated by '&'; empty ones are skipped; "flag" means
// "flag=". In an absolute form, "http://host:port/path", as proxies get it, the host replaces the
// header Host (RFC 9112, 3.2.2).
//
// kInvalidArgument: the target has neither this form nor a leading '/', or a '%' lacks its two hex
// digits (the error has its offset). Path and parameters are then empty.
absl::Status ParseTarget(HttpRequest* request);

}  // namespace hourcell
