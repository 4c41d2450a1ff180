// Transport: the connection as its session sees it: strand, output, input, and the end.
//
// All calls are made on the strand, unless noted. A call may call the session back before it
// returns, for example when bytes are sent at once.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace hourcell {

struct Strand;

class Transport {
 public:
  virtual ~Transport() = default;

  // Thread-safe. Keeps the connection and its session alive, for work in progress elsewhere.
  virtual std::shared_ptr<void> KeepAlive() = 0;
  // Thread-safe. Valid as long as the connection lives.
  virtual const Strand& strand() const = 0;
  // Thread-safe. True once the server stops.
  virtual const std::atomic<bool>& stopping() const = 0;

  // Sends after all earlier output. Does nothing once the connection is closed.
  virtual void Send(std::string bytes) = 0;
  // Like Send, with the end of an answer, in one write. Session::OnAllSent follows; at once if
  // all is sent already. `close`: stops reading, and closes the connection once all is sent,
  // however long that takes.
  virtual void SendEnd(std::string head, std::string body, bool close) = 0;

  // The bytes not yet taken by the client, and how long it has been stalled (socket_writer.h).
  virtual size_t unsent_bytes() const = 0;
  virtual std::chrono::steady_clock::duration stalled_for() const = 0;

  // Continues to read if the session wants input.
  virtual void ReadOn() = 0;
  // Restarts the idle timeout of the client.
  virtual void Touch() = 0;

  // The client's address (socket_peer.h), and whether the client seems to have hung up.
  virtual std::string remote() const = 0;
  virtual bool PeerHasHungUp() const = 0;

  // Closes once all is sent, or after kFlushMs.
  virtual void CloseAfterFlush() = 0;
  // Closes at once, by a reset, if a response that was begun cannot be finished. The client
  // notices: a chunked or compressed response lacks its end, and a client that reads until the
  // connection ends sees the reset.
  virtual void Cut() = 0;
  // Closed, or closing once all is sent: input and output have ended.
  virtual bool is_closing() const = 0;
  virtual bool is_closed() const = 0;
};

}  // namespace hourcell
