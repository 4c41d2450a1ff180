// The line protocol over a connection: a LineProtocol whose needs are met.
//
// The thread that reads a line runs it. A session that must wait for a commit waits in a pool. If
// the store is full, a timer tries the session again. Logins are checked in a pool of their own, so
// that password guessing delays only other logins. The session reads nothing meanwhile.

#pragma once

#include <cstdint>
#include <memory>

#include "server/access/access_rights.h"
#include "server/api/login_queue.h"
#include "server/net/session.h"

namespace hourcell {

class Transport;
class Tsdb;
struct TelnetCounters;
struct TelnetSettings;
struct WorkerPool;

// What all telnet sessions of a server share. Pointers are borrowed; immutable while they live.
struct TelnetContext {
  Tsdb* tsdb = nullptr;
  const TelnetSettings* settings = nullptr;
  const TelnetCounters* counters = nullptr;
  WorkerPool* commit_pool = nullptr;  // where commits are waited for
  LoginQueue logins = {};             // the authenticator is that of the settings
};

// After how long commits that nobody waited for are settled: their points counted, their failures
// told.
inline constexpr int64_t kSettleMs = 100;
// How long to leave a store alone that asks for patience.
inline constexpr int64_t kThrottlePauseMs = 10;

// `transport`, which owns the session, and `context` are borrowed. `rights`: of the
// connection, before any login.
std::unique_ptr<Session> StartTelnetSession(Transport* transport,
                                            const TelnetContext* context,
                                            AccessRights rights);

}  // namespace hourcell
