// The system calls of a running server.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace hourcell {

// System calls by name while `work` runs, as strace counts them; nothing if strace is not here or
// may not attach.
std::optional<std::map<std::string, int64_t>> CountSystemCalls(pid_t server,
                                                               const std::function<void()>& work);

// How often the threads of a process gave up their processor to wait, so far.
int64_t VoluntarySwitches(pid_t server);

}  // namespace hourcell
