// TtlAdmin: the TTLs of metrics by name, and the undo of a shortened TTL. Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "codec/rows/uid.h"
#include "engine/retention.h"

namespace hourcell {

class Retention;
class RollupMarks;
class RowExpiry;
class Sealer;
class SeriesTable;
class TtlLog;
class UidDirectory;

class TtlAdmin {
 public:
  // All are borrowed; the rules have been set.
  struct Parts {
    TtlLog* log = nullptr;
    UidDirectory* uids = nullptr;
    const SeriesTable* series = nullptr;
    const Retention* retention = nullptr;
    const RowExpiry* expiry = nullptr;
    Sealer* sealer = nullptr;             // null: this process only reads
    RollupMarks* rollup_marks = nullptr;  // null: no levels are computed
  };

  TtlAdmin(const Layout& layout, const Parts& parts) : layout_(layout), parts_(parts) {}

  // RetentionAdmin::SetMetricTtl.
  absl::Status Set(std::string_view metric, std::optional<int64_t> ttl_s);

  // Sets the TTLs of many metrics, in seconds of 0 to kTtlMaxS, all or none.
  absl::Status SetAll(std::span<const std::pair<Uid, int64_t>> ttls);

  // By name; a metric without a name by its UID in hex.
  std::vector<MetricTtl> List() const;

  // RetentionAdmin's functions of these names. REQUIRES of Undo: no level is computed meanwhile
  // (RollupKeeper::WhileAtRest).
  absl::StatusOr<std::vector<ShortenedTtl>> Shortened() const;
  absl::Status Undo(uint64_t id);
  absl::Status Forget(uint64_t id);

 private:
  // One change of TTLs, or of records with ids, at a time.
  absl::Status Alone(const std::function<absl::Status()>& change) const;
  std::string NameOf(Uid metric) const;
  absl::Status MarkRollups(Uid metric, int64_t before_ms) const;

  const Layout layout_;
  const Parts parts_;
};

}  // namespace hourcell
