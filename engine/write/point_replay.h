// PointReplay: restores open hours from the journal's blocks, from the low mark on. When a store is
// opened, all at once (ReplayPoints); in a follower, as the blocks come.

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
  Sealer* sealer = nullptr;  // makes room if the hours outgrow their memory; may be null
};

// Takes blocks in the journal's order. One thread at a time.
class PointReplay {
 public:
  explicit PointReplay(const ReplayParts& parts);
  ~PointReplay();
  PointReplay(const PointReplay&) = delete;
  PointReplay& operator=(const PointReplay&) = delete;

  // Keeps a copy of the block; applies the kept blocks once they are large. `now_s`: the time by
  // the monotonic clock that the hours record as their last write.
  // kDataLoss: a block does not decode; or it names a series that neither the tables nor the
  // journal define, although all blocks of the journal are there; or the two define a series
  // differently.
  absl::Status Add(uint64_t sequence, std::string_view payload, uint32_t now_s);

  // Applies the kept blocks: adds their points to the open hours, and their series. Errors as
  // above; then some of the points are applied.
  absl::Status Apply(uint32_t now_s);

  // Points applied.
  uint64_t points() const;

 private:
  class Body;
  const std::unique_ptr<Body> body_;
};

// Adds all points of blocks from `low_mark` on to `parts.open_hours`, in the journal's order, and
// restores series that only the journal has. Several threads share the lanes. Returns the number of
// points. Errors as above. REQUIRES: a journal.
absl::StatusOr<uint64_t> ReplayPoints(const ReplayParts& parts, uint64_t low_mark, uint32_t now_s);

}  // namespace hourcell
