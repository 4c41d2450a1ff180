// SaltAdmin: how many salt buckets a store has, and from when on it has another count. Nothing that
// is stored moves: rows of hours before the new epoch stay in the buckets they are in, and queries
// look there (codec/rows/salt_epochs.h).
//
//   seal all, and hold the sealer ── no row at or after the epoch? ── epoch in meta, synced ──
//   ── epoch in the schedule ── go on
//
// The epoch in meta is the point of no return: a store opened after it has the new count. Points of
// hours at or after it that come meanwhile are in the journal and in memory, which know no salt.
// Thread-safe.

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
class Clock;
class RowKeyCodec;
class SaltSchedule;
class Sealer;
class Tables;
class TableView;
enum class TableId : uint8_t;

class SaltAdmin {
 public:
  // All are borrowed. The schedule is that of row_keys.
  struct Parts {
    Tables* tables = nullptr;
    const RowKeyCodec* row_keys = nullptr;
    SaltSchedule* schedule = nullptr;
    Sealer* sealer = nullptr;
    AnnotationStore* annotations = nullptr;
    Clock* clock = nullptr;
    // Tells processes that follow the store, and fails if another process may be the writer by
    // now; none: there are no others.
    std::function<absl::Status()> note_change = {};
    // Before an answer or an acknowledgement: kUnavailable if another process may be the writer by
    // now. None: no other process can be.
    std::function<absl::Status()> check_is_writer = {};
  };

  explicit SaltAdmin(const Parts& parts) : parts_(parts) {}

  // Ascending by time, the first from 0. One of one bucket, if rows are not salted. kUnavailable:
  // another process may be the writer by now.
  absl::StatusOr<std::vector<SaltEpoch>> Epochs() const;

  // Rows of hours from `from_s` on are spread over so many buckets. Nothing: from the first hour
  // that begins at least an hour from now and has no rows, nor has any after it.
  //
  // kFailedPrecondition: rows are not salted, there are rows of that hour or later ones, or no
  // other count, or as many epochs as there may be. kInvalidArgument: no whole hour, or buckets
  // that the salt bytes cannot number. Then nothing changed.
  absl::Status Change(uint32_t buckets, std::optional<uint64_t> from_s);

 private:
  absl::StatusOr<SaltEpoch> FindPlace(uint32_t buckets, std::optional<uint64_t> from_s) const;
  // The end of the last hour that has rows or annotations of series, in seconds; 0: none has.
  absl::StatusOr<uint64_t> EndOfRows() const;
  absl::StatusOr<uint64_t> EndOfRowsIn(TableView* view, TableId table) const;

  const Parts parts_;
  Mutex change_;  // one at a time
};

}  // namespace hourcell
