// TtlLog: changes of TTLs, with a record of each that shortens one, so that it can be undone
// (engine/undo/ttl_row.h). The TTLs and their records are one synced group:
//
//   Set         TTLs and records -> rules in force: queries hide by the new TTL, files keep rows
//   Undo        the TTL before and the record away -> rules in force
//   Forget,     the record away -> rules in force: files lose rows by the new TTL
//   RemoveDue
//
// Rows leave files by the TTLs in the rules alone, never by the time in a record: so no row is
// dropped between the check of an undo and its end.
//
// Thread-compatible: the caller excludes other changes of TTLs and of the records of deletes, which
// have the same ids (Sealer::WithSealingPaused). Errors are storage's; kDataLoss: a record does not
// decode.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "codec/rows/layout.h"
#include "codec/rows/uid.h"
#include "engine/table/retention.h"
#include "engine/table/tables.h"
#include "engine/undo/ttl_row.h"

namespace hourcell {

// The TTL that a metric is to have; nullopt: none of its own. kNoUid: the store's.
struct TtlSetting {
  Uid metric = kNoUid;
  std::optional<int64_t> ttl_s = {};  // 0 to kTtlMaxS
  bool has_points = true;             // false: the change needs no record
};

class TtlLog {
 public:
  // Borrowed; they outlive the log.
  struct Parts {
    Tables* tables = nullptr;
    Retention* retention = nullptr;
    WallClock* clock = nullptr;
    bool has_records = false;  // the storage has atomic groups
    int64_t undo_ms = 0;       // how long a new change can be undone; 0: no records
  };
  TtlLog(const Layout& layout, const Parts& parts) : layout_(layout), parts_(parts) {}

  // Reads the TTLs of the store into the rules in force.
  absl::Status Load();

  // A metric is in one setting. A kill leaves all TTLs or none.
  absl::Status Set(std::span<const TtlSetting> settings);

  // By id.
  absl::StatusOr<std::vector<TtlRow>> List() const;

  // kNotFound: no such record.
  absl::StatusOr<TtlRow> Find(uint64_t id) const;

  // REQUIRES: Find returned the record, and the metric's own TTL is that of the change.
  absl::Status Undo(const TtlRow& row);
  absl::Status Forget(uint64_t id);

  // Forgets the changes whose time is over.
  absl::Status RemoveDue();

 private:
  struct Planned;

  absl::Status Plan(std::span<const TtlSetting> settings, Planned* planned) const;
  absl::Status Apply(const Planned& planned);

  const Layout layout_;
  const Parts parts_;
};

}  // namespace hourcell
