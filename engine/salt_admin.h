// SaltAdmin: the number of salt buckets of a store, and its changes over time. Stored rows do not
// move: rows of hours before the new epoch stay in their buckets, and queries look there
// (codec/rows/salt_epochs.h).
//
//   seal all, and hold the sealer ── no row at or after the epoch? ── epoch in the system table,
//   synced ── epoch in the schedule ── continue
//
// The epoch in the system table is the point of no return: a store opened after it has the new
// count. Points put meanwhile in hours from it on are in the journal and in memory, which do not
// use salt. Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "codec/rows/salt_epochs.h"

namespace hourcell {

class AnnotationStore;
class WallClock;
class RowKeyCodec;
class SaltSchedule;
class Sealer;
class Tables;
class TableView;
struct TableSpec;

class SaltAdmin {
 public:
  // All are borrowed. The schedule is that of row_keys.
  struct Parts {
    Tables* tables = nullptr;
    const RowKeyCodec* row_keys = nullptr;
    SaltSchedule* schedule = nullptr;
    Sealer* sealer = nullptr;
    AnnotationStore* annotations = nullptr;
    WallClock* clock = nullptr;
    // Notifies processes that follow the store, and fails if another process may be the writer by
    // now; null without such processes.
    std::function<absl::Status()> note_change = {};
    // Before a change: kFailedPrecondition if the store is closed, or this process only reads it;
    // kUnavailable if another process is known to be the writer. None: no check.
    std::function<absl::Status()> before_change = {};
    // Before an answer or an acknowledgement: kUnavailable if another process may be the writer by
    // now. None: no other process can be.
    std::function<absl::Status()> check_is_writer = {};
  };

  explicit SaltAdmin(const Parts& parts) : parts_(parts) {}

  // Ascending by time, the first from 0. Without salted rows, one epoch with one bucket.
  // kUnavailable: another process may be the writer by now.
  absl::StatusOr<std::vector<SaltEpoch>> Epochs() const;

  // Distributes rows of hours from `from_s` on over `buckets` buckets. nullopt: from the first hour
  // that begins at least an hour from now, if neither it nor a later hour has rows.
  //
  // kFailedPrecondition: rows are not salted, the hour or a later one has rows, the count is the
  // same, or the number of epochs is at its limit. kInvalidArgument: not a whole hour, or more
  // buckets than the salt bytes can number. Then nothing changed.
  absl::Status Change(uint32_t buckets, std::optional<uint64_t> from_s);

 private:
  absl::StatusOr<SaltEpoch> FindPlace(uint32_t buckets, std::optional<uint64_t> from_s) const;
  // The end of the last hour with rows or annotations of series, in seconds; 0 without any.
  absl::StatusOr<uint64_t> EndOfRows() const;
  absl::StatusOr<uint64_t> EndOfRowsIn(TableView* view, const TableSpec& table) const;

  const Parts parts_;
  Mutex change_;  // one at a time
};

}  // namespace hourcell
