#include "engine/options.h"

#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <re2/re2.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/storage/storage_engine.h"
#include "engine/table/retention.h"

namespace hourcell {
namespace {

// RocksDB rounds smaller ones up to this.
constexpr int kOpenFilesMin = 20;

template <typename Integer>
absl::Status OutOfRange(std::string_view field, Integer got, std::string_view want) {
  return absl::InvalidArgumentError(
      fmt::format("options: {} is out of range; expected {}, got {}", field, want, got));
}

absl::Status ValidateOverrides(const std::vector<MetricQueryLimits>& overrides) {
  for (const MetricQueryLimits& of_metric : overrides) {
    const re2::RE2 pattern(of_metric.metric, re2::RE2::Quiet);
    if (pattern.ok()) continue;
    return absl::InvalidArgumentError(
        fmt::format("options: query_limit_overrides: expected a regular expression, got {}; {}",
                    QuoteForMessage(of_metric.metric), pattern.error()));
  }
  return absl::OkStatus();
}

absl::Status ValidateSizes(const Options& options) {
  // RocksDB rounds smaller ones up to this.
  if (options.write_buffer_bytes < (64 << 10)) {
    return OutOfRange("write_buffer_bytes", options.write_buffer_bytes, "65536 or more");
  }
  if (options.background_jobs < 1) {
    return OutOfRange("background_jobs", options.background_jobs, "1 or more");
  }
  if (options.open_files_max < kOpenFilesMin) {
    return OutOfRange("open_files_max", options.open_files_max,
                      fmt::format("{} or more", kOpenFilesMin));
  }
  if (options.open_hours_bytes < (64 << 10)) {
    return OutOfRange("open_hours_bytes", options.open_hours_bytes, "65536 or more");
  }
  if (options.journal_segment_bytes < (4 << 10)) {
    return OutOfRange("journal_segment_bytes", options.journal_segment_bytes, "4096 or more");
  }
  if (options.journal_bytes < 4 * options.journal_segment_bytes) {
    return OutOfRange("journal_bytes", options.journal_bytes, "four segments or more");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Options::Validate() const {
  if (path.empty())
    return absl::InvalidArgumentError("options: path is empty; expected a directory");
  if (follow && storage != nullptr && storage->shared() == nullptr) {
    return absl::InvalidArgumentError(fmt::format(
        "options: follow with storage \"{}\"; only the process that writes to it can read it",
        storage->name()));
  }
  if (rollup_rules.has_value() && storage != nullptr && storage->shared() != nullptr) {
    return absl::InvalidArgumentError(
        fmt::format("options: rollup_rules with storage \"{}\"; a process that was replaced as "
                    "writer could raise a watermark",
                    storage->name()));
  }
  HOURCELL_RETURN_IF_ERROR(ValidateLayout(layout));
  if (tags_max < 1 || tags_max > kTagsMax) {
    return OutOfRange("tags_max", tags_max, fmt::format("1 to {}", kTagsMax));
  }
  if (sync == Durability::kInterval && sync_interval_ms < 1) {
    return OutOfRange("sync_interval_ms", sync_interval_ms, "1 or more");
  }
  for (size_t i = 0; i < observers.size(); ++i) {
    if (observers[i] != nullptr) continue;
    return absl::InvalidArgumentError(
        fmt::format("options: observers: expected an observer, got null at {}", i));
  }
  HOURCELL_RETURN_IF_ERROR(ValidateSizes(*this));
  if (seal_grace_s < 0 || journal_age_s < 1) {
    return absl::InvalidArgumentError(
        fmt::format("options: seal_grace_s and journal_age_s are out of range; expected 0 and 1 or "
                    "more, got {} and {}",
                    seal_grace_s, journal_age_s));
  }
  if (ttl_s.has_value() && (*ttl_s < 0 || *ttl_s > kTtlMaxS)) {
    return absl::InvalidArgumentError(fmt::format(
        "options: ttl_s is out of range; expected 0 to {} seconds, got {}", kTtlMaxS, *ttl_s));
  }
  if (undo_s < 0 || undo_s > kTtlMaxS) {
    return absl::InvalidArgumentError(fmt::format(
        "options: undo_s is out of range; expected 0 to {} seconds, got {}", kTtlMaxS, undo_s));
  }
  if (random_metric_uids && layout.metric_width > 7) {
    return absl::InvalidArgumentError(fmt::format(
        "options: random_metric_uids with a metric width of {}; expected a width of 1 to 7",
        layout.metric_width));
  }
  return ValidateOverrides(query_limit_overrides);
}

}  // namespace hourcell
