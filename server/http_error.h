// The body every HTTP error has: {"error":{"code":400,"message":"...","details":"..."}}.
//
// Pure; thread-safe.

#pragma once

#include <string_view>

#include "server/http_message.h"

namespace hourcell {

// The response for an error. `details` is left out when empty. Texts may hold any bytes.
HttpResponse HttpError(int status, std::string_view message, std::string_view details = {});

}  // namespace hourcell
