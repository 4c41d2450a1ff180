#include "server/admin/admin_handler.h"

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "server/http/http_status.h"

namespace hourcell {
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
  if (const absl::Status status = work(); !status.ok()) {
    return WorkFailure(Failed::kStore, "The job was ended", status);
  }
  HttpResponse response;
  response.body = fmt::format("{{\"sealed\":{},\"ms\":{}}}", sealed_->value() - sealed_before,
                              clock_->MonotonicMs() - start_ms);
  return response;
}

}  // namespace hourcell
