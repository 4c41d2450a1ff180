// Session: one protocol over a connection, from its first byte until the close. It does not use
// a socket: the connection passes input to it, and it answers through its Transport.
//
// Everything runs on the transport's strand. Long work runs in a pool; meanwhile the session wants
// no input.

#pragma once

#include <cstddef>
#include <string_view>

namespace hourcell {

class Session {
 public:
  virtual ~Session() = default;

  // Takes bytes of the client as they arrive. REQUIRES: wants_input().
  virtual void Take(std::string_view bytes) = 0;
  // The client sends no more.
  virtual void EndInput() = 0;
  // The server stops: answers the input already read, then closes the connection.
  virtual void Stop() = 0;

  // The system took `bytes` bytes, counted as framed on the wire.
  virtual void OnSent(size_t bytes) = 0;
  // All output is sent.
  virtual void OnAllSent() = 0;
  // The connection is closed. Once.
  virtual void OnClosed() = 0;

  virtual bool wants_input() const = 0;
  // The server is busy with this session: the client does not count as idle.
  virtual bool is_working() const = 0;
};

}  // namespace hourcell
