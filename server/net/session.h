// Session: what is said over a connection in one protocol, from the first byte until the
// connection is closed. It has no socket: it is handed what was read, and answers by its Transport.
//
// Everything runs on the transport's strand. Work that may take long is done in a pool; while it
// is, the session wants no input.

#pragma once

#include <cstddef>
#include <string_view>

namespace hourcell {

class Session {
 public:
  virtual ~Session() = default;

  // Bytes of the client, as they came. REQUIRES: wants_input().
  virtual void Take(std::string_view bytes) = 0;
  // The client sends no more.
  virtual void EndInput() = 0;
  // The server stops: what was read is answered, then the connection closed.
  virtual void Stop() = 0;

  // So many bytes, framed as they are on the wire, were handed to the system.
  virtual void OnSent(size_t bytes) = 0;
  // Nothing is left to be sent.
  virtual void OnAllSent() = 0;
  // The connection is closed. Once.
  virtual void OnClosed() = 0;

  virtual bool wants_input() const = 0;
  // It is we who take our time: the client's silence is none.
  virtual bool is_working() const = 0;
};

}  // namespace hourcell
