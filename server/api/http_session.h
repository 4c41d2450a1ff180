// HTTP over a connection: reads requests (request_reader.h), checks them, and answers them one at a
// time (http_job.h).
//
// The thread that reads a request answers puts, small queries and other quick requests; requests
// that may take long go to a worker pool. Responses keep the order of their requests. After a query
// that the thread has tried, it serves other connections before the next request.
//
// The session does not read while it answers: input of pipelining clients stays in their send
// buffers. A long response is sent in pieces while the pool's thread still prints it
// (body_stream.h). Meanwhile the session checks the client: if it has hung up, or stalls for too
// long, the query is cancelled.
//
// Logins have their own pool, so that clients that guess delay only other logins.

#pragma once

#include <cstdint>
#include <memory>

#include "server/http/guard/forwarding.h"
#include "server/net/session.h"

namespace hourcell {

class Transport;
struct HttpContext;

// Interval of the checks of a client that waits for its response, and the checks in a row that must
// find that it has hung up.
inline constexpr int64_t kLookMs = 250;
inline constexpr int kLooksToBelieve = 2;

// `transport`, which owns the session, and `context` are borrowed.
std::unique_ptr<Session> StartHttpSession(Transport* transport,
                                          const HttpContext* context,
                                          const ConnectionRights& rights);

}  // namespace hourcell
