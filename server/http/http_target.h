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
// "flag=".
//
// Errors: kInvalidArgument: the target does not start with '/', or a '%' is not followed by two hex
// digits (its offset is given). Path and parameters are then empty.
absl::Status ParseTarget(HttpRequest* request);

}  // namespace hourcell
