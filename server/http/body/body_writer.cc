#include "server/http/body/body_writer.h"

#include <utility>

namespace hourcell {
namespace {

class WholeBody : public BodyWriter {
 public:
  std::string Finish() {
    if (body_.empty()) return std::move(buffer());  // most bodies are one piece
    body_ += buffer();
    return std::move(body_);
  }

 private:
  absl::Status Take(std::string* piece) override {
    body_ += *piece;
    piece->clear();
    return absl::OkStatus();
  }

  std::string body_;
};

}  // namespace

HttpResponse CompleteBody(HttpResponse response) {
  if (response.produce == nullptr) return response;
  WholeBody body;
  HttpResponse failure;
  if (!response.produce(&body, &failure)) {
    failure.close |= response.close;
    return failure;
  }
  response.produce = nullptr;
  response.body = body.Finish();
  return response;
}

}  // namespace hourcell
