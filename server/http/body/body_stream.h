// BodyStream: a BodyWriter that sends its pieces over a connection, as chunked HTTP.
//
// Thread-compatible; the connection may be on another thread.

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

// The destination. `send` takes the bytes in order and does not block; the connection reports bytes
// sent, or a failure, to the window.
struct StreamTarget {
  std::shared_ptr<SendWindow> window;
  std::function<void(std::string bytes)> send;
};

class BodyStream : public BodyWriter {
 public:
  // `request` and `response` are borrowed; only the head of `response` is used.
  BodyStream(const HttpRequest& request, const HttpResponse& response, StreamTarget target);

  void Bind(std::shared_ptr<QueryControl> control) override;

  // The rest of the response, to be sent after all earlier bytes. Does not wait for room in the
  // window. REQUIRES: started(). The stream must not be used afterwards.
  HttpWire Finish();

 private:
  absl::Status Take(std::string* piece) override;

  const HttpRequest& request_;
  const HttpResponse& response_;
  const StreamTarget target_;
  bool close_ = false;
  std::optional<BodyEncoder> encoder_;  // set once the head is sent
};

// Produces the response to `request` and sends all but the rest, which it returns; a short response
// is returned whole. For HEAD, returns the head and produces the body only for its length. Blocks
// while the producer blocks and while the client does not read.
HttpWire SendBody(const HttpRequest& request, HttpResponse response, StreamTarget target);

}  // namespace hourcell
