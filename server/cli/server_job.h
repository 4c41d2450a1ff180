// Jobs of a running server (server/admin/job_handler.h), as tools see them: begun, waited for with
// progress on the terminal, and found again when a connection was lost. The server goes on with a
// job whatever becomes of the tool.
//
// Progress: one line that overwrites itself on a terminal, else a line now and then. Ctrl-C and
// SIGTERM end the tool and say how to look at the job again. Thread-compatible; one wait in the
// process at a time.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "server/cli/http_client.h"
#include "server/cli/terminal.h"

namespace hourcell {

// How long a tool waits for a server that does not answer.
struct JobPatience {
  int64_t reply_timeout_ms = 30'000;  // of one request
  int tries = 20;                     // requests in turn without an answer
  int64_t poll_ms_min = 5;            // soon at first: a small store is done at once
  int64_t poll_ms_max = 500;
  int64_t retry_ms = 1'000;  // between two tries
};

// Begins the job of a POST to `target` and waits for its end. The reply is the job's answer, with
// its status; or the refusal to begin it. kUnavailable: the server answers no longer, or knows the
// job no more.
absl::StatusOr<HttpReply> RunServerJob(const HttpUrl& url,
                                       std::string_view target,
                                       std::string_view body,
                                       Terminal& terminal,
                                       const JobPatience& patience = {});

// Waits for a job that was begun before. kNotFound: the server has no such job, or none any more.
absl::StatusOr<HttpReply> WaitForServerJob(const HttpUrl& url,
                                           uint64_t id,
                                           Terminal& terminal,
                                           const JobPatience& patience = {});

}  // namespace hourcell
