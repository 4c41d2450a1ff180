// BodyStream: a BodyWriter whose pieces go out over a connection, as chunked HTTP.
//
// Thread-compatible; the connection's side may be another thread's.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <absl/status/status.h>

#include "server/http/body/body_encoder.h"
#include "server/http/body/body_writer.h"
#include "server/http/body/send_window.h"
#include "server/http/http_message.h"
#include "server/http/http_response.h"

namespace hourcell {

// Where the bytes go. `send` takes them in order and does not block; what it sent, or could not, is
// told to the window.
struct StreamTarget {
  std::shared_ptr<SendWindow> window;
  std::function<void(std::string bytes)> send;
};

class BodyStream : public BodyWriter {
 public:
  // `request` and `response`, of which only the head counts, are borrowed.
  BodyStream(const HttpRequest& request, const HttpResponse& response, StreamTarget target);

  void Bind(std::shared_ptr<QueryControl> control) override;

  // What is to be sent after everything sent so far; nothing of it waits for room.
  // REQUIRES: started(). The stream is not used any more.
  HttpWire Finish();

 private:
  absl::Status Take(std::string* piece) override;

  const HttpRequest& request_;
  const HttpResponse& response_;
  const StreamTarget target_;
  bool close_ = false;
  std::optional<BodyEncoder> encoder_;  // once the head is sent
};

// Prints a response to `request` and sends it, but for the rest, which is returned: all of a short
// one. Of HEAD that is the head; the body is printed for its length only. Blocks as the producer
// does, and while the client does not read.
HttpWire SendBody(const HttpRequest& request, HttpResponse response, StreamTarget target);

}  // namespace hourcell
