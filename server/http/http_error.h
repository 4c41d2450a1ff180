// The body of every HTTP error: {"error":{"code":400,"message":"...","details":"..."}}.
//
// No I/O; thread-safe.

#pragma once

#include <string_view>

#include <absl/status/status.h>

#include "server/http/http_message.h"

namespace hourcell {

// The response for an error. Omits `details` when empty. Texts may contain any bytes. A 503 has
// Retry-After: 1 second.
HttpResponse HttpError(int status, std::string_view message, std::string_view details = {});
// The same with the message of `error`. REQUIRES: `error` is not OK.
HttpResponse HttpError(int status, const absl::Status& error);

}  // namespace hourcell
