// /api/admin/fsck: checks of the store while it is in use, without repairs.
//
//   POST    begins a check as a job (job_handler.h), ?examples=<n> findings kept of each kind (10;
//           10,000 at most). The job's answer is the report (fsck_json.h)
//   GET     the last check job; 404: none is in the list of jobs
//   DELETE  cancels the running check, and answers as GET
//
// 400: invalid `examples`. The job's answer is 500 if the store cannot be read, 503 if the job was
// cancelled. Thread-safe.

#pragma once

#include "engine/tsdb.h"
#include "server/admin/job_registry.h"
#include "server/http/http_message.h"

namespace hourcell {

HttpResponse HandleFsck(const HttpRequest& request,
                        Tsdb* tsdb,
                        MonotonicClock* clock,
                        JobRegistry* jobs);

}  // namespace hourcell
