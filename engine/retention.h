// RetentionAdmin: how long a store keeps points. Of `Tsdb::retention`, and lives as long as its
// Tsdb.
//
// A TTL is in seconds, counted from the timestamp of a point; 0 = points never expire. Expired
// points are invisible at once, and deleted from disk later. Thread-safe. kFailedPrecondition: the
// store is closed, or a function that writes is called in a process that only reads the store.
// kUnavailable: another process writes the store now.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace hourcell {

class StoreGates;

// The TTL of a metric.
struct MetricTtl {
  std::string metric;  // UTF-8; or the UID in hex, without a name
  int64_t ttl_s = 0;   // 0 = points never expire
  friend bool operator==(const MetricTtl&, const MetricTtl&) = default;
};

class RetentionAdmin final {
 public:
  explicit RetentionAdmin(StoreGates* gates) : gates_(gates) {}  // for Tsdb; borrowed

  // Sets the TTL of a metric's points. It takes precedence over store_ttl_s(). nullopt:
  // store_ttl_s() again. Stored in the store. A later, longer TTL may not restore expired points.
  // kNotFound: no such metric; kInvalidArgument: negative, or above the range of times.
  absl::Status SetMetricTtl(std::string_view metric, std::optional<int64_t> ttl_s);

  // options.ttl_s of this open, or of the last open that had one.
  int64_t store_ttl_s() const;

  // The TTLs of metrics, by name.
  absl::StatusOr<std::vector<MetricTtl>> MetricTtls();

  // Frees disk space of expired points, a bounded piece of that work; returns the bytes freed. The
  // store also does it every minute.
  absl::StatusOr<uint64_t> DropExpired();

 private:
  StoreGates* const gates_;
};

}  // namespace hourcell
