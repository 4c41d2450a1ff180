// The body every HTTP error has: {"error":{"code":400,"message":"...","details":"..."}}.
//
// Pure; thread-safe.

#pragma once

#include <string_view>

#include <absl/status/status.h>

#include "server/http/http_message.h"

namespace hourcell {

// The response for an error. `details` is left out when empty. Texts may hold any bytes. With 503
// it asks the client to come again in a second (Retry-After).
HttpResponse HttpError(int status, std::string_view message, std::string_view details = {});
// The same with what `error` says. REQUIRES: it is not OK.
HttpResponse HttpError(int status, const absl::Status& error);

}  // namespace hourcell
