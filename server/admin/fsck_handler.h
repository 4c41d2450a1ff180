// /api/admin/fsck: checks of the store while it is in use. Nothing is repaired.
//
//   POST    begins one as a job (job_handler.h), ?examples=<n> findings kept of each kind (10;
//           10,000 at most). Its answer is the report, as server/admin/fsck_json.h has it
//   GET     the last job of these; 404: there was none
//   DELETE  asks the one that runs to end, and answers as GET
//
// 400: examples that are no such number. The job's answer is 500 if the store cannot be read, 503
// if it was ended. Thread-safe.

#pragma once

#include "engine/tsdb.h"
#include "server/admin/job_registry.h"
#include "server/http/http_message.h"

namespace hourcell {

HttpResponse HandleFsck(const HttpRequest& request, Tsdb* tsdb, Clock* clock, JobRegistry* jobs);

}  // namespace hourcell
