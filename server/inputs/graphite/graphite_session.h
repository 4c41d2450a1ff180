// Graphite's plaintext protocol over a connection. It sends no responses.
//
// The reading thread writes lines to the store. If they must wait, a pool writes them; if the store
// is full, a timer retries. Meanwhile the session reads nothing, so that the sender is slowed down.
// If the store is broken, the connection is closed, because the protocol has no other error.

#pragma once

#include <cstdint>
#include <memory>

#include "server/access/access_rights.h"
#include "server/net/session.h"

namespace hourcell {

class GraphiteInput;
class Transport;
struct WorkerPool;

// Shared by all sessions. Both are borrowed, and immutable while sessions exist.
struct GraphiteContext {
  const GraphiteInput* input = nullptr;
  WorkerPool* pool = nullptr;  // writes lines that wait for the store
};

// Pause before writing to a full store again.
inline constexpr int64_t kGraphitePauseMs = 10;

// `transport`, which owns the session, and `context` are borrowed. Closes the connection at its
// first bytes if `rights` do not include writing, or if it speaks pickle: pickle messages begin
// with their size, whose first byte is 0.
std::unique_ptr<Session> StartGraphiteSession(Transport* transport,
                                              const GraphiteContext* context,
                                              AccessRights rights);

}  // namespace hourcell
