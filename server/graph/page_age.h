// The time for which clients may cache a response of /q.

#pragma once

#include <cstdint>

#include "engine/query/query_spec.h"
#include "server/http/http_message.h"

namespace hourcell {

// Seconds: none if the range ends in the future or the request has "nocache"; a day if the range is
// absolute and ended over an hour ago; else 1/1024 of the range. Pure; thread-safe.
int64_t PageMaxAgeS(const HttpRequest& request, const QuerySpec& spec, int64_t now_ms);

}  // namespace hourcell
