// Requests that begin jobs, and /api/admin/jobs, which shows and ends them (job_registry.h).
//
//   POST of a job          begins it. ?async, or the header Prefer: respond-async: answers at once
//                          with 202, the job and its Location. ?wait: answers as the job does, once
//                          it has ended; the job goes on if the client leaves. This keeps a thread
//                          that answers requests. Without either, what is usual for the kind.
//                          ?key=<text>: the client's name for the job. A second POST with this key
//                          answers with the same job
//   GET  jobs              {"jobs":[<job>,...]}, ascending by id: those that run, and of each kind
//                          the last that have ended
//   GET  jobs?id=<n>       <job>
//   DELETE jobs?id=<n>     asks it to end; answers with the job. One that cannot goes on
//
// A job is an object as AppendJob prints it. 400: an id or a key that is none; 404: no such job, or
// none any more; 409: another job of the group runs, which the text names. 503: the server stops.
// Thread-safe.

#pragma once

#include <cstdint>
#include <string_view>

#include "server/admin/job_registry.h"
#include "server/http/http_message.h"

namespace hourcell {

// Bytes of a key.
inline constexpr size_t kJobKeyBytesMax = 64;

// When a POST of a job is answered: once the job has ended, or at once.
enum class JobReply : uint8_t { kAtEnd, kAtOnce };

// Begins the job that `request` asks for; the key of `spec` is the request's. `usual`: when it is
// answered if the request does not say.
HttpResponse StartJob(const HttpRequest& request,
                      JobSpec spec,
                      JobRegistry* jobs,
                      JobReply usual = JobReply::kAtEnd);

// Answers GET and DELETE of /api/admin/jobs.
HttpResponse HandleJobs(const HttpRequest& request, JobRegistry* jobs);

}  // namespace hourcell
