// What a server answers of a job, for tests of the tools that begin and watch jobs.

#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "server/cli/server_job.h"

namespace hourcell {

// Waits for nothing between tries.
inline constexpr JobPatience kShort = {
    .reply_timeout_ms = 500, .tries = 3, .poll_ms_min = 0, .poll_ms_max = 0, .retry_ms = 0};

inline std::string RunningJob(int done, int64_t started_ms = 5) {
  return fmt::format(R"({{"id":3,"kind":"backup","state":"running","started_ms":{},"ms":1,)"
                     R"("phase":"copy","done":{},"total":200,"unit":"bytes"}})",
                     started_ms, done);
}

inline std::string EndedJob(int status, const std::string& answer) {
  return fmt::format(R"({{"id":3,"kind":"backup","state":"{}","started_ms":5,"ms":1,"phase":"",)"
                     R"("done":0,"total":0,"unit":"","status":{},"answer":{}}})",
                     status == 200 ? "done" : "failed", status, answer);
}

}  // namespace hourcell
