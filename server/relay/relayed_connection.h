// RelayedConnection: a client's connection, and the one to the process that writes, until both are
// closed. What one side sends the other gets; nothing is read from a side while the other takes
// nothing.
//
// Nothing of the client is passed on before the other process has proved that it knows the store's
// secret (relay_proof.h). One that ends the connection before that is tried again.
//
// The first bytes of the client are looked at, and not read, before it is known where they go
// (relay_choice.h): a query may go to this process' own server of queries instead.
//
// All calls, and all that it does, are of the relay's one thread.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "server/relay/relay_header.h"
#include "server/relay/relay_proof.h"

namespace hourcell {

struct Socket;

// What connections ask of the relay they belong to, which outlives them.
class RelayTarget {
 public:
  virtual ~RelayTarget() = default;
  // host:port of the process that writes; empty: it is not known.
  virtual const std::string& writer() const = 0;
  // host:port of this process' own server of queries; empty: there is none right now.
  virtual const std::string& follower() const = 0;
  // What the processes on the store know.
  virtual const RelayKeys& keys() const = 0;
  // Whether the body of a query may ask for a deletion.
  virtual bool may_delete() const = 0;
  // A query goes to this process' own server.
  virtual void OnQuery() = 0;
};

class RelayedConnection {
 public:
  virtual ~RelayedConnection() = default;
  // Another process writes, or it is not known which: a connection of which nothing was passed on
  // yet goes to the other. Any other ends as by End.
  virtual void Retarget(const std::string& why) = 0;
  // The connection ends, and an HTTP request without an answer is answered with 503 and `why`. One
  // that this process answers itself goes on to the end of its answer.
  virtual void End(const std::string& why) = 0;
  // The client's socket, if nothing was read from it yet; the connection is then closed. Else -1.
  virtual int Release() = 0;
};

// Begins to pass on `client`; each attempt gives `header` a nonce. `on_closed` is called once.
std::shared_ptr<RelayedConnection> StartRelayedConnection(Socket client,
                                                          RelayHeader header,
                                                          RelayTarget* target,
                                                          std::function<void()> on_closed);

}  // namespace hourcell
