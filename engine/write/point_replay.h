// PointReplay: the journal's blocks from the low mark on -> open hours, as they were. When a store
// is opened, all at once (ReplayPoints); in a process that follows a store, as they come.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/hours/open_hours.h"
#include "engine/journal/journal.h"
#include "engine/series/series_table.h"
#include "engine/write/sealer.h"

namespace hourcell {

struct ReplayParts {
  Journal* journal = nullptr;  // null: of another process, which has all its series in the tables
  OpenHours* open_hours = nullptr;
  SeriesTable* series = nullptr;
  Sealer* sealer = nullptr;  // makes room if the hours outgrow their memory; null: nobody does
};

// Takes blocks in the journal's order. One thread at a time.
class PointReplay {
 public:
  explicit PointReplay(const ReplayParts& parts);
  ~PointReplay();
  PointReplay(const PointReplay&) = delete;
  PointReplay& operator=(const PointReplay&) = delete;

  // Keeps a copy of the block, and applies what was kept if it is much. `now_s` is when the hours
  // count as touched, by the monotonic clock.
  // kDataLoss: a block does not decode, it names a series that neither the tables nor the journal
  // define, though no block of the journal is missing, or they define one differently.
  absl::Status Add(uint64_t sequence, std::string_view payload, uint32_t now_s);

  // Applies what was kept: its points are in the open hours, and its series are known. Errors as
  // above; then some of the points are applied.
  absl::Status Apply(uint32_t now_s);

  // How many were applied.
  uint64_t points() const;

 private:
  class Body;
  const std::unique_ptr<Body> body_;
};

// Puts all points of blocks from `low_mark` on into `parts.open_hours`, in the journal's order, and
// makes series again that only the journal has. Several threads, each with lanes of its own.
// Returns how many points there were. Errors as above. REQUIRES: a journal.
absl::StatusOr<uint64_t> ReplayPoints(const ReplayParts& parts, uint64_t low_mark, uint32_t now_s);

}  // namespace hourcell
