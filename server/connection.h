// Connection: one accepted socket until it is closed. The first byte decides its protocol for good:
// 'A' to 'Z' is HTTP, anything else the line protocol.
//
// Everything of a connection runs on its strand, one step at a time. Lines and puts are done right
// there; HTTP requests that may take long go to the worker pool, one at a time a connection, so
// that responses keep the order of their requests. While one is answered nothing is read:
// pipelining clients wait in their own send buffer. A long response goes out in pieces while the
// pool's thread still prints it (body_stream.h). All the while the socket is looked at: when the
// client has hung up, or reads nothing for too long, the query that prints is cancelled.
//
// A line session that has to wait for a commit does so in a pool, too, and one whose store asks for
// patience is tried again by a timer. Nothing is read meanwhile, so that the sender feels it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "engine/stats.h"
#include "engine/tsdb.h"
#include "server/http_api.h"
#include "server/http_message.h"
#include "server/telnet_session.h"

namespace hourcell {

struct Socket;
struct WorkerPool;

// Bytes taken from a socket at once; the buffer is a thread's, so that idle connections stay small.
inline constexpr size_t kReadBytesMax = 256 * 1024;
// After how long commits that nobody waited for are settled: their points counted, their failures
// told.
inline constexpr int64_t kSettleMs = 100;
// How long to leave a store alone that asks for patience.
inline constexpr int64_t kThrottlePauseMs = 10;
// How long a client may take to read its last replies before its connection is closed all the same.
inline constexpr int64_t kFlushMs = 10'000;
// How long the client's further bytes are read and dropped after the last reply: closing at once
// would reset the connection, and the reply might be lost with it.
inline constexpr int64_t kLingerMs = 2'000;
inline constexpr int64_t kStopLingerMs = 200;  // when the server stops
// How often a client is looked at whose request is being answered, and how many looks in a row find
// that it has hung up before it is believed.
inline constexpr int64_t kLookMs = 250;
inline constexpr int kLooksToBelieve = 2;

// Counters of connections; borrowed from the registry.
struct ConnectionCounters {
  explicit ConnectionCounters(Stats* stats);

  Counter* total;  // connectionmgr.connections type=...
  Counter* rejected;
  Counter* timed_out;
  Counter* accept_errors;   // connectionmgr.exceptions type=accept
  Counter* http_requests;   // rpc.received type=http
  Counter* http_malformed;  // rpc.errors type=http_malformed
  Counter* bytes_in;        // connectionmgr.bytes type=in
  Counter* bytes_out;       // connectionmgr.bytes type=out
};

// What all connections of a server share. Pointers are borrowed; immutable while connections live.
struct ConnectionContext {
  Tsdb* tsdb = nullptr;
  HttpApi* http_api = nullptr;
  WorkerPool* pool = nullptr;
  WorkerPool* commit_pool = nullptr;  // where commits are waited for; null = `pool`
  const TelnetSettings* telnet = nullptr;
  const TelnetCounters* telnet_counters = nullptr;
  const ConnectionCounters* counters = nullptr;
  size_t body_bytes_max = 0;
  int64_t idle_timeout_s = 0;  // 0 = none
  int64_t send_timeout_ms =
      0;  // until a client that takes nothing of a response is dropped; 0 = none
  // Answers requests that may take long; null = AnswerRequest with the members above.
  std::function<HttpResponse(HttpRequest* request)> answer = {};
};

// Thread-safe.
class Connection {
 public:
  virtual ~Connection() = default;

  // Answers what was read, then closes.
  virtual void Stop() = 0;

  // Closes at once.
  virtual void Abort() = 0;
};

// Serves `socket`, whose executor is a strand. `on_closed` is called once, when it is closed.
std::shared_ptr<Connection> StartConnection(Socket socket,
                                            const ConnectionContext* context,
                                            std::function<void()> on_closed);

}  // namespace hourcell
