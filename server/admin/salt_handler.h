// /api/admin/salt: how many salt buckets rows are spread over, by time. Thread-safe.
//
//   GET    {"epochs":[{"from":<seconds>,"buckets":<count>},...]}, ascending, the first from 0
//   POST   {"buckets":<count>,"from":<seconds, or a time as queries take it>}; without `from` as
//          soon as can be. A job "salt" (job_handler.h), as all open hours are sealed first; it
//          cannot be ended. Its answer is GET's, once the change has been written
//
// 400: a body that says something else, buckets that the salt cannot number; 409: not a store of
// salted rows, or there are rows of that time already.

#pragma once

#include <cstdint>
#include <string_view>

#include "engine/tsdb.h"
#include "server/admin/job_registry.h"
#include "server/http/http_message.h"

namespace hourcell {

// `group`: of which one job runs at a time. The rest is borrowed; a job uses `tsdb` to its end.
HttpResponse HandleSalt(const HttpRequest& request,
                        Tsdb* tsdb,
                        int64_t now_ms,
                        std::string_view group,
                        JobRegistry* jobs);

}  // namespace hourcell
