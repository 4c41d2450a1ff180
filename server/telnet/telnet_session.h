// The line protocol over a connection: runs a LineProtocol and meets its needs.
//
// The thread that reads a line runs it. A session that must wait for a commit waits in a pool. If
// the store is full, a timer tries the session again. Logins have their own pool, so that password
// guessing delays only other logins. The session reads nothing meanwhile.

#pragma once

#include <cstdint>
#include <memory>

#include "server/access/access_rights.h"
#include "server/api/login_queue.h"
#include "server/net/session.h"

namespace hourcell {

class ClientAllowances;
class Transport;
class Tsdb;
struct TelnetCounters;
struct TelnetSettings;
struct WorkerPool;

// State shared by all telnet sessions of a server. Pointers are borrowed; immutable while they
// live.
struct TelnetContext {
  Tsdb* tsdb = nullptr;
  const TelnetSettings* settings = nullptr;
  const TelnetCounters* counters = nullptr;
  WorkerPool* commit_pool = nullptr;       // waits for commits
  LoginQueue logins = {};                  // the authenticator is that of the settings
  ClientAllowances* new_series = nullptr;  // of clients without a login; null = no limit
};

// Delay after which commits that a session has not waited for are settled: points counted, failures
// reported.
inline constexpr int64_t kSettleMs = 100;
// Pause before the next attempt at a full store.
inline constexpr int64_t kThrottlePauseMs = 10;

// `transport`, which owns the session, and `context` are borrowed. `rights`: of the
// connection, before any login. `is_local`: the client is on this machine, so its new series
// are not limited.
std::unique_ptr<Session> StartTelnetSession(Transport* transport,
                                            const TelnetContext* context,
                                            AccessRights rights,
                                            bool is_local);

}  // namespace hourcell
