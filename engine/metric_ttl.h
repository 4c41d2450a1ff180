// MetricTtl: the TTL of a metric, as listed by Tsdb::MetricTtls.

#pragma once

#include <cstdint>
#include <string>

namespace hourcell {

struct MetricTtl {
  std::string metric;  // UTF-8; or the UID in hex, without a name
  int64_t ttl_s = 0;   // 0 = points never expire
  friend bool operator==(const MetricTtl&, const MetricTtl&) = default;
};

}  // namespace hourcell
