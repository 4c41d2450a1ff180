// HTTP over a connection: requests are taken in (request_reader.h), judged, and answered one at a
// time (http_job.h).
//
// Puts, and what else is quick, are answered right where they are read, small queries too; requests
// that may take long go to a worker pool, and responses keep the order of their requests. After a
// query that its thread has tried, other connections are served before the next request is.
//
// While one is answered nothing is read: pipelining clients wait in their own send buffer. A long
// response goes out in pieces while the pool's thread still prints it (body_stream.h). All the
// while the client is looked at: when it has hung up, or reads nothing for too long, the query that
// prints is cancelled.
//
// A login that has to be checked is checked in a pool of its own, so that those who guess hold up
// each other only.

#pragma once

#include <cstdint>
#include <memory>

#include "server/http/guard/forwarding.h"
#include "server/net/session.h"

namespace hourcell {

class Transport;
struct HttpContext;

// How often a client is looked at whose request is being answered, and how many looks in a row find
// that it has hung up before it is believed.
inline constexpr int64_t kLookMs = 250;
inline constexpr int kLooksToBelieve = 2;

// `transport`, which owns the session, and `context` are borrowed.
std::unique_ptr<Session> StartHttpSession(Transport* transport,
                                          const HttpContext* context,
                                          const ConnectionRights& rights);

}  // namespace hourcell
