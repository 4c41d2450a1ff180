// Client side of the jobs of a running server (server/admin/job_handler.h): begins a job, waits for
// it with progress on the terminal, and finds it again after a lost connection. The server
// continues a job if the tool ends.
//
// Progress: one line that overwrites itself on a terminal, else a line every 10 s. SIGINT and
// SIGTERM end the tool, which then prints the command that waits for the job again.
// Thread-compatible; one wait in the process at a time.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "server/cli/terminal.h"
#include "server/http/http_client.h"

namespace hourcell {

// Timeouts and retries for a server that does not answer.
struct JobPatience {
  int64_t reply_timeout_ms = 30'000;  // of one request
  int tries = 20;                     // consecutive requests without an answer
  int64_t poll_ms_min = 5;            // short at first: a small store takes milliseconds
  int64_t poll_ms_max = 500;
  int64_t retry_ms = 1'000;  // between two tries
};

// Begins the job of a POST to `target` and waits for its end. Returns the job's answer with its
// status, or the server's error reply. kUnavailable: the server no longer answers, or has restarted
// and another job has the id.
absl::StatusOr<HttpReply> RunServerJob(const HttpUrl& url,
                                       std::string_view target,
                                       std::string_view body,
                                       Terminal& terminal,
                                       const JobPatience& patience = {});

// Waits for a job that was begun before. kNotFound: the server does not know the job, or has
// forgotten it.
absl::StatusOr<HttpReply> WaitForServerJob(const HttpUrl& url,
                                           uint64_t id,
                                           Terminal& terminal,
                                           const JobPatience& patience = {});

}  // namespace hourcell
