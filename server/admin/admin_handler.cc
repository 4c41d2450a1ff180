#include "server/admin/admin_handler.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "codec/base/json_writer.h"
#include "server/http/http_error.h"

namespace hourcell {
namespace {

HttpResponse TryLater(std::string_view message, std::string_view details) {
  HttpResponse response = HttpError(503, message, details);
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

HttpResponse AdminFailure(const absl::Status& status) {
  const std::string text(status.message().data(), status.message().size());
  if (absl::IsCancelled(status)) return HttpError(503, "The job was ended", text);
  if (absl::IsUnavailable(status) || absl::IsResourceExhausted(status)) {
    return TryLater("Storage is not available", text);
  }
  return HttpError(500, "Storage exception", text);
}

}  // namespace

AdminHandler::AdminHandler(Tsdb* tsdb, Clock* clock)
    : clock_(clock), tsdb_(tsdb), sealed_(tsdb->stats().counter("seal.hours", {{"type", "all"}})) {}

HttpResponse AdminHandler::Seal() {
  return Run([this] { return tsdb_->Seal(); });
}

HttpResponse AdminHandler::Flush() {
  return Run([this] { return tsdb_->Flush(); });
}

HttpResponse AdminHandler::Compact(JobWatch* watch) {
  const auto progress = [watch](std::string_view table, size_t done, size_t total) {
    watch->Report({.phase = std::string(table), .done = done, .total = total, .unit = "tables"});
  };
  return Run([this, watch, &progress] {
    return tsdb_->Compact({.cancelled = watch->cancelled(), .progress = progress});
  });
}

HttpResponse AdminHandler::Run(const std::function<absl::Status()>& work) {
  const int64_t start_ms = clock_->MonotonicMs();
  const uint64_t sealed_before = sealed_->value();
  if (const absl::Status status = work(); !status.ok()) return AdminFailure(status);
  HttpResponse response;
  JsonWriter json(&response.body);
  json.OpenObject();
  json.Field("sealed", sealed_->value() - sealed_before);
  json.Field("ms", clock_->MonotonicMs() - start_ms);
  json.CloseObject();
  return response;
}

}  // namespace hourcell
