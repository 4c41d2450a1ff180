// Requests as clients write them, byte for byte, and replies as their libraries read them: chunks
// put together, gzip inflated.

#pragma once

#include <string>
#include <string_view>

#include "tests/http/server_process.h"

namespace hourcell {

// Sends `request` over a connection and reads one reply; the connection may stay open. `headers` of
// the result are lower-case lines. A status of 0: no whole reply.
HttpResult Exchange(TcpClient* client, std::string_view request);

// A request with a body: its length is appended to the head, which is lines with \r\n.
std::string WithBody(std::string_view head, std::string_view body);

// The value of a header line; empty if it is not there. `name` in lower case.
std::string HeaderOf(const HttpResult& result, std::string_view name);

}  // namespace hourcell
