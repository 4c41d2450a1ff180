// The threads and the memory of this process, in the shapes of OpenTSDB's endpoints under
// /api/stats, which its clients decode.
//
// Thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "server/http/http_message.h"

namespace hourcell {

// A thread, from its file /proc/self/task/<id>/stat.
struct ProcessThread {
  int64_t id = 0;
  std::string name;
  char state = 0;    // Linux' letter: R, S, D, ...
  int64_t nice = 0;  // -20 (preferred) to 19
};

// Nothing for a text that is not a thread's stat file.
std::optional<ProcessThread> ParseThreadStat(std::string_view text);

// The resident memory of this process; 0 if /proc cannot be read.
int64_t ResidentBytes();

// /api/stats/threads: an array with the threads of this process by id, each with the fields of
// Java's: state RUNNABLE, BLOCKED (it waits for a disk) or WAITING, priority 1 to 10 (5: usual),
// and an empty stack.
HttpResponse ThreadStats();

// /api/stats/jvm: `started_ms` is when the server started. The heap is the resident memory, its
// maximum the memory of the machine. The objects `gc` and `pools` are empty.
HttpResponse JvmStats(int64_t started_ms, int64_t now_ms);

// /api/stats/region_clients: an empty array, because the server does not talk to HBase.
HttpResponse RegionClientStats();

}  // namespace hourcell
