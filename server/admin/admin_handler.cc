#include "server/admin/admin_handler.h"

#include <cstdint>
#include <string>
#include <string_view>

#include "codec/base/json_writer.h"
#include "server/http/http_status.h"

namespace hourcell {
namespace {

SealControl SealedFor(JobWatch* watch, std::string_view phase) {
  if (watch == nullptr) return {};
  return {
      .cancelled = watch->cancelled(), .progress = [watch, phase](uint64_t done, uint64_t total) {
        watch->Report({.phase = std::string(phase), .done = done, .total = total, .unit = "hours"});
      }};
}

}  // namespace

AdminHandler::AdminHandler(Tsdb* tsdb, MonotonicClock* clock)
    : clock_(clock), tsdb_(tsdb), sealed_(tsdb->stats().counter("seal.hours", {{"type", "all"}})) {}

HttpResponse AdminHandler::Seal(JobWatch* watch) {
  return Run([this, watch] { return tsdb_->maintenance().Seal(SealedFor(watch, "")); });
}

HttpResponse AdminHandler::Flush(JobWatch* watch) {
  return Run([this, watch] { return tsdb_->maintenance().Flush(SealedFor(watch, "sealing")); });
}

HttpResponse AdminHandler::Compact(JobWatch* watch) {
  const auto progress = [watch](std::string_view table, size_t done, size_t total) {
    watch->Report({.phase = std::string(table), .done = done, .total = total, .unit = "tables"});
  };
  return Run([this, watch, &progress] {
    return tsdb_->maintenance().Compact({.cancelled = watch->cancelled(), .progress = progress});
  });
}

HttpResponse AdminHandler::Run(const std::function<absl::Status()>& work) {
  const int64_t start_ms = clock_->MonotonicMs();
  const uint64_t sealed_before = sealed_->value();
  if (const absl::Status status = work(); !status.ok()) {
    return WorkFailure(Failed::kStore, "The job was stopped", status);
  }
  HttpResponse response;
  JsonWriter json(&response.body);
  json.OpenObject();
  json.Field("sealed", sealed_->value() - sealed_before);
  json.Field("ms", clock_->MonotonicMs() - start_ms);
  json.CloseObject();
  return response;
}

}  // namespace hourcell
