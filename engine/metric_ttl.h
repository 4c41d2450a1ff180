// MetricTtl: a metric that has a TTL of its own, as Tsdb::MetricTtls lists it.

#pragma once

#include <cstdint>
#include <string>

namespace hourcell {

struct MetricTtl {
  std::string metric;  // UTF-8; the UID in hex if it has no name
  int64_t ttl_s = 0;   // 0 = for ever
  friend bool operator==(const MetricTtl&, const MetricTtl&) = default;
};

}  // namespace hourcell
