// RelayedConnection: a client's connection and the one to the server it is forwarded to, until both
// are closed. It copies bytes both ways, and reads from one side only while the other side accepts
// data.
//
// The server must first prove that it knows the store's secret (relay_proof.h); only then are
// client bytes forwarded. If the server closes before that, the connection is retried.
//
// The client's first bytes are peeked at until the destination is chosen (relay_choice.h): a query
// may go to this process's follower server.
//
// All calls and callbacks are on the relay's one thread.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "server/net/nodes/relay_header.h"
#include "server/net/nodes/relay_proof.h"

namespace hourcell {

struct Socket;

// Interface from a connection to its relay, which outlives it.
class RelayTarget {
 public:
  virtual ~RelayTarget() = default;
  // host:port of the writer; empty: unknown.
  virtual const std::string& writer() const = 0;
  // host:port of this process's follower server; empty: not running.
  virtual const std::string& follower() const = 0;
  // The secrets of the store's nodes.
  virtual const RelayKeys& keys() const = 0;
  // True if the body of a query may request a deletion.
  virtual bool may_delete() const = 0;
  // Called when a query goes to the follower server.
  virtual void OnQuery() = 0;
};

class RelayedConnection {
 public:
  virtual ~RelayedConnection() = default;
  // Call when the writer has changed or is unknown: a connection with nothing forwarded yet goes to
  // the new writer. Others end as with End.
  virtual void Retarget(const std::string& why) = 0;
  // Ends the connection; an HTTP request without an answer gets 503 with `why`. A connection to the
  // follower server continues to the end of its answer.
  virtual void End(const std::string& why) = 0;
  // The client's socket if nothing was read from it yet; the connection is then closed. Otherwise
  // -1.
  virtual int Release() = 0;
};

// Begins to forward `client`; each attempt sets a nonce in `header`. Calls `on_closed` once.
std::shared_ptr<RelayedConnection> StartRelayedConnection(Socket client,
                                                          RelayHeader header,
                                                          RelayTarget* target,
                                                          std::function<void()> on_closed);

}  // namespace hourcell
