// The kinds of work that budgets are for. Each sends the same bytes in every run.

#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hourcell {

class TcpClient;

// Lines `put` of 1,000 series, ten seconds apart, from step `first` on; `points` is a multiple of
// 1,000.
std::string PutLines(size_t first, size_t points);

// Sends lines and a `version` after them, and waits for its answer: the points are acknowledged.
void PutByTelnet(uint16_t port, std::string_view lines);

// Sends lines while the server is stopped, lets it go on, and waits for the answer to a `version`
// after them: the server finds all of them at once. The lines fit into the buffers of a socket.
void PutAhead(TcpClient* client, pid_t server, std::string_view lines);

// The points of PutLines as bodies of 50 points, each acknowledged before the next.
void PutByHttp(uint16_t port, size_t first, size_t points);

// Sends the same request `times` times on one connection; every answer has this status.
void Ask(uint16_t port, std::string_view target, int status, size_t times);

}  // namespace hourcell
