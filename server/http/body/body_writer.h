// BodyWriter: where a handler prints the body of a response, piece by piece, while the first pieces
// are on their way to the client.
//
//   body->buffer() += ...;                              // as often as wanted
//   HOURCELL_RETURN_IF_ERROR(body->Offer());            // now and then
//
// A body that is done before kBodyPieceBytes are printed is sent whole, with its length; so is the
// response that takes its place if printing fails by then. Thread-compatible.

#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include <absl/status/status.h>

#include "engine/query.h"
#include "server/http/http_message.h"

namespace hourcell {

// How much is printed before it is sent.
inline constexpr size_t kBodyPieceBytes = 64 * 1024;

class BodyWriter {
 public:
  virtual ~BodyWriter() = default;

  // What is to be sent next; append to it.
  std::string& buffer() { return buffer_; }

  // Sends the buffer and empties it, if it is worth it. May block until the client has read.
  // kCancelled: the client is gone, or the query bound is cancelled; print no more.
  absl::Status Offer() {
    if (buffer_.size() < kBodyPieceBytes) return absl::OkStatus();
    started_ = true;
    return Take(&buffer_);
  }

  // True once something was sent: the status is told, and an error can only cut the body.
  bool started() const { return started_; }

  // Ties the query that prints to its client: it is cancelled when the client goes, and once it is
  // cancelled its writer waits for the client no longer.
  virtual void Bind(std::shared_ptr<QueryControl> /*control*/) {}  // NOLINT: others keep it

 protected:
  // Sends and clears `*piece`.
  virtual absl::Status Take(std::string* piece) = 0;

 private:
  std::string buffer_;
  bool started_ = false;
};

// The response with its body printed in full, for those who take no pieces. Blocks as the producer
// does.
HttpResponse CompleteBody(HttpResponse response);

}  // namespace hourcell
