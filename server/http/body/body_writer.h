// BodyWriter: a handler writes a response body to it piece by piece, while earlier pieces are
// already being sent.
//
//   body->buffer() += ...;                              // any number of times
//   HOURCELL_RETURN_IF_ERROR(body->Offer());            // now and then
//
// A body shorter than kBodyPieceBytes is sent whole, with its length. So is the error response if
// the handler fails before that. Thread-compatible.

#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <absl/status/status.h>

#include "engine/query.h"
#include "server/http/http_message.h"

namespace hourcell {

// The buffered bytes at which a piece is sent.
inline constexpr size_t kBodyPieceBytes = 64 * 1024;

class BodyWriter {
 public:
  virtual ~BodyWriter() = default;

  // The next bytes to send; append to it.
  std::string& buffer() { return buffer_; }

  // Sends and clears the buffer if it is large enough. May block until the client has read.
  // kCancelled: the client has disconnected or the bound query is cancelled; stop writing.
  absl::Status Offer() {
    if (buffer_.size() < kBodyPieceBytes) return absl::OkStatus();
    started_ = true;
    return Take(&buffer_);
  }

  // True once bytes were sent: the status is fixed, and an error can only truncate the body.
  bool started() const { return started_; }

  // Binds the query to its client: when the client disconnects, the query is cancelled; once it is
  // cancelled, the writer stops waiting for the client.
  virtual void Bind(std::shared_ptr<QueryControl> /*control*/) {}  // NOLINT: others keep it

 protected:
  // Sends and clears `*piece`.
  virtual absl::Status Take(std::string* piece) = 0;

 private:
  std::string buffer_;
  bool started_ = false;
};

// Returns the response with its whole body, for callers without streaming. Blocks as the producer
// does.
HttpResponse CompleteBody(HttpResponse response);

}  // namespace hourcell
