// TtlAdmin: the TTLs of metrics, in the system table and in the rules in force. Thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "codec/base/mutex.h"
#include "codec/rows/layout.h"
#include "codec/rows/uid.h"
#include "engine/retention.h"

namespace hourcell {

class Retention;
class Tables;
class UidDirectory;

class TtlAdmin {
 public:
  // All are borrowed; the rules have been set.
  struct Parts {
    Tables* tables = nullptr;
    UidDirectory* uids = nullptr;
    Retention* retention = nullptr;
  };

  TtlAdmin(const Layout& layout, const Parts& parts) : layout_(layout), parts_(parts) {}

  // Tsdb::SetMetricTtl.
  absl::Status Set(std::string_view metric, std::optional<int64_t> ttl_s);

  // Sets the TTLs of many metrics, in seconds of 0 to kTtlMaxS. On an error a part may be set.
  absl::Status SetAll(std::span<const std::pair<Uid, int64_t>> ttls);

  // By name; a metric without a name by its UID in hex.
  std::vector<MetricTtl> List() const;

 private:
  const Layout layout_;
  const Parts parts_;
  Mutex change_;  // one at a time
};

}  // namespace hourcell
