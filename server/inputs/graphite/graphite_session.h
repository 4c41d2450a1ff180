// Graphite's plaintext protocol over a connection. It answers nothing, whatever is sent.
//
// The thread that reads lines writes them to the store. Where they have to wait they do so in a
// pool; if the store is full, a timer tries them again. The session reads nothing meanwhile, so
// that the sender feels it. A broken store ends the connection: the sender learns no other way.

#pragma once

#include <cstdint>
#include <memory>

#include "server/access/access_rights.h"
#include "server/net/session.h"

namespace hourcell {

class GraphiteInput;
class Transport;
struct WorkerPool;

// What all sessions share. Both are borrowed; immutable while sessions live.
struct GraphiteContext {
  const GraphiteInput* input = nullptr;
  WorkerPool* pool = nullptr;  // where lines wait for the store
};

// How long to leave a store alone that is full.
inline constexpr int64_t kGraphitePauseMs = 10;

// `transport`, which owns the session, and `context` are borrowed. A connection whose `rights` do
// not allow to write is closed with its first bytes, and so is one that speaks pickle: its messages
// begin with their size, of which the first byte is 0.
std::unique_ptr<Session> StartGraphiteSession(Transport* transport,
                                              const GraphiteContext* context,
                                              AccessRights rights);

}  // namespace hourcell
