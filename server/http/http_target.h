// Request targets as real clients send them: path and query, decoded.
//
// Lenient where clients are sloppy: `{ } | * " , < >` and bytes above 0x7F may stand unencoded.
// Pure.

#pragma once

#include <absl/status/status.h>

#include "server/http/http_message.h"

namespace hourcell {

// Fills request->path and request->params from request->target. %XX is decoded everywhere, '+' is a
// blank in the query only. Parameters are separated by '&'; empty ones are skipped; "flag" is
// "flag=". Of an absolute form, "http://host:port/path", as a proxy is sent it, the host replaces
// the header Host (RFC 9112, 3.2.2).
//
// Errors: kInvalidArgument: the target is neither such a form nor starts with '/', or a '%' is not
// followed by two hex digits (its offset is given). Path and parameters are then empty.
absl::Status ParseTarget(HttpRequest* request);

}  // namespace hourcell
