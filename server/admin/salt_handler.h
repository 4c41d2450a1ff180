// /api/admin/salt: the number of salt buckets, by time. Thread-safe.
//
//   GET    {"epochs":[{"from":<seconds>,"buckets":<count>},...]}, ascending, the first from 0
//   POST   {"buckets":<count>,"from":<seconds, or a time in the syntax of queries>}; without `from`
//          as soon as possible. A job "salt" (job_handler.h), as all open hours are sealed first;
//          it cannot be cancelled. Once the change is stored, the job's answer is as GET's
//
// 400: an invalid body, or more buckets than the salt can number; 409: the store does not salt its
// rows, or already has rows of that time.

#pragma once

#include <cstdint>
#include <string_view>

#include "engine/tsdb.h"
#include "server/admin/job_registry.h"
#include "server/http/http_message.h"

namespace hourcell {

// `group`: as JobSpec::group. Pointers are borrowed; a job uses `tsdb` to its end.
HttpResponse HandleSalt(const HttpRequest& request,
                        Tsdb* tsdb,
                        int64_t now_ms,
                        std::string_view group,
                        JobRegistry* jobs);

}  // namespace hourcell
