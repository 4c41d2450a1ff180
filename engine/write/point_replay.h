// ReplayPoints: the journal's blocks from the low mark on -> open hours, as they were.

#pragma once

#include <cstdint>

#include <absl/status/status.h>

#include "engine/hours/open_hours.h"
#include "engine/journal/journal.h"
#include "engine/series/series_table.h"
#include "engine/write/sealer.h"

namespace hourcell {

struct ReplayParts {
  Journal* journal = nullptr;
  OpenHours* open_hours = nullptr;
  SeriesTable* series = nullptr;
  Sealer* sealer = nullptr;  // makes room if the hours outgrow their memory
};

// Puts all points of blocks from `low_mark` on into `parts.open_hours`, in the journal's order, and
// makes series again that only the journal has. Several threads, each with lanes of its own.
// `now_s` is when the hours count as touched, by the monotonic clock. Returns how many points there
// were.
//
// kDataLoss: a block does not decode, it names a series that neither the tables nor the journal
// define, though no block of the journal is missing, or they define one differently.
absl::StatusOr<uint64_t> ReplayPoints(const ReplayParts& parts, uint64_t low_mark, uint32_t now_s);

}  // namespace hourcell
