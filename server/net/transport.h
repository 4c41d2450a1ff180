// Transport: what a session knows of the connection it is held over: its strand, the way its
// bytes go out, when they are read, and the end.
//
// All calls are made on the strand, unless they say otherwise. One may call the session back
// before it returns: what is sent at once is told at once.

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

  // Thread-safe. What keeps the connection alive, and with it the session: for work under way
  // elsewhere.
  virtual std::shared_ptr<void> KeepAlive() = 0;
  // Thread-safe. As long as it lives.
  virtual const Strand& strand() const = 0;
  // Thread-safe. The server stops.
  virtual const std::atomic<bool>& stopping() const = 0;

  // Sends after all that was sent before. Nothing, once it is closed.
  virtual void Send(std::string bytes) = 0;
  // The same with the end of an answer, both in one write. Session::OnAllSent follows; at once
  // if there is nothing to send. `close`: nothing more is read, and once all is sent, however long
  // that takes, the connection is closed.
  virtual void SendEnd(std::string head, std::string body, bool close) = 0;

  // What the client has not taken yet, and for how long it has taken nothing worth the name
  // (socket_writer.h).
  virtual size_t unsent_bytes() const = 0;
  virtual std::chrono::steady_clock::duration stalled_for() const = 0;

  // Reads on: the session wants input again, if it does.
  virtual void ReadOn() = 0;
  // The time until now was no silence of the client's.
  virtual void Touch() = 0;

  // The client's address (socket_peer.h), and whether it seems to have hung up.
  virtual std::string remote() const = 0;
  virtual bool PeerHasHungUp() const = 0;

  // Closes once all is sent, or the client has taken kFlushMs for it.
  virtual void CloseAfterFlush() = 0;
  // Closes at once, by a reset: a response that was begun cannot be finished. In chunks, or
  // compressed, it shows that its end is missing; clients that read until the connection ends see
  // the reset.
  virtual void Cut() = 0;
  // Closed, or about to be once all is sent: nothing more is taken.
  virtual bool is_closing() const = 0;
  virtual bool is_closed() const = 0;
};

}  // namespace hourcell
