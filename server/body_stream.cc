#include "server/body_stream.h"

#include <utility>

#include "codec/base/check.h"

namespace hourcell {

BodyStream::BodyStream(const HttpRequest& request,
                       const HttpResponse& response,
                       StreamTarget target)
    : request_(request), response_(response), target_(std::move(target)) {}

void BodyStream::Bind(std::shared_ptr<QueryControl> control) {
  target_.window->Bind(std::move(control));
}

absl::Status BodyStream::Take(std::string* piece) {
  std::string bytes;
  if (!encoder_.has_value()) {
    StreamHead head = FormatStreamHead(request_, response_);
    close_ = head.close;
    encoder_.emplace(head.gzip, head.chunked);
    bytes = std::move(head.text);
  }
  encoder_->Encode(*piece, &bytes);
  piece->clear();
  if (!bytes.empty()) {
    target_.window->Add(bytes.size());
    target_.send(std::move(bytes));
  }
  if (target_.window->WaitForRoom()) return absl::OkStatus();
  return absl::CancelledError("The client is gone, or its query was cancelled");
}

HttpWire BodyStream::Finish() {
  HOURCELL_CHECK(encoder_.has_value());
  HttpWire rest{.head = {}, .body = {}, .close = close_};
  encoder_->End(buffer(), &rest.body);
  return rest;
}

HttpWire SendBody(const HttpRequest& request, HttpResponse response, StreamTarget target) {
  if (response.produce == nullptr) return FormatResponse(request, std::move(response));
  BodyStream stream(request, response, std::move(target));
  HttpResponse failure;
  const bool printed = response.produce(&stream, &failure);
  if (stream.started()) {
    if (printed) return stream.Finish();
    return {.head = {}, .body = {}, .close = true, .cut = true};
  }
  failure.close |= response.close;
  HttpResponse& whole = printed ? response : failure;
  whole.produce = nullptr;
  if (printed) whole.body = std::move(stream.buffer());
  return FormatResponse(request, std::move(whole));
}

}  // namespace hourcell
