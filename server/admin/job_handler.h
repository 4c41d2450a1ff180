// Requests that begin jobs, and /api/admin/jobs, which shows and cancels them (job_registry.h).
//
//   POST of a job          begins it. ?async, or the header Prefer: respond-async: answers at once
//                          with 202, the job and its Location. ?wait: answers with the job's answer
//                          after its end; the job continues if the client hangs up. This occupies
//                          a thread for requests. Without either, the kind has a default.
//                          ?key=<text>: the client's name for the job. A second POST with this key
//                          answers with the same job
//   GET  jobs              {"jobs":[<job>,...]}, ascending by id: the running jobs, and the last
//                          ended jobs of each kind
//   GET  jobs?id=<n>       <job>
//   DELETE jobs?id=<n>     cancels the job and answers with it. Some kinds continue to their end
//
// AppendJob prints <job>. 400: a malformed id or key; 404: no such job, or it was dropped from the
// list; 409: another job of the group runs, which the text names. 503: the server stops.
// Thread-safe.

#pragma once

#include <cstdint>
#include <string_view>

#include "server/admin/job_registry.h"
#include "server/http/http_message.h"

namespace hourcell {

// The maximum size of a key in bytes.
inline constexpr size_t kJobKeyBytesMax = 64;

// The time of the answer to a POST of a job: after the job's end, or at once.
enum class JobReply : uint8_t { kAtEnd, kAtOnce };

// Begins the job `spec` for `request`, with the key of the request. `usual`: the time of the answer
// without ?wait, ?async and Prefer.
HttpResponse StartJob(const HttpRequest& request,
                      JobSpec spec,
                      JobRegistry* jobs,
                      JobReply usual = JobReply::kAtEnd);

// Answers GET and DELETE of /api/admin/jobs.
HttpResponse HandleJobs(const HttpRequest& request, JobRegistry* jobs);

}  // namespace hourcell
