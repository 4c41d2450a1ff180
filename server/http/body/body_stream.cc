#include "server/http/body/body_stream.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "codec/base/check.h"

namespace hourcell {
namespace {

// Counts the body bytes for HEAD.
class BodyCounter : public BodyWriter {
 public:
  explicit BodyCounter(std::shared_ptr<SendWindow> window) : window_(std::move(window)) {}

  void Bind(std::shared_ptr<QueryControl> control) override { window_->Bind(std::move(control)); }
  uint64_t Finish() { return bytes_ + buffer().size(); }

 private:
  absl::Status Take(std::string* piece) override {
    bytes_ += piece->size();
    piece->clear();
    return absl::OkStatus();
  }

  const std::shared_ptr<SendWindow> window_;
  uint64_t bytes_ = 0;
};

HttpWire AnswerHead(const HttpRequest& request, const HttpResponse& response, StreamTarget target) {
  BodyCounter counter(std::move(target.window));
  HttpResponse failure;
  if (response.produce(&counter, &failure)) {
    return FormatHeadAnswer(request, response, counter.Finish());
  }
  failure.close |= response.close;
  return FormatResponse(request, std::move(failure));
}

}  // namespace

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
  if (request.method == "HEAD") return AnswerHead(request, response, std::move(target));
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
