// JournalTail: the journal of a store that another process writes to, as a follower reads it.
// Thread-safe.

#pragma once

#include <cstdint>

#include <absl/status/statusor.h>

#include "engine/journal/journal.h"

namespace hourcell {

// The shared state of a writer and its followers, as one read sees it.
struct StoreMoment {
  uint64_t log_start = 0;  // blocks of the journal below it may be deleted
  uint64_t changes = 0;    // count of changes other than new points, names or series
};

class JournalTail {
 public:
  virtual ~JournalTail() = default;
  JournalTail(const JournalTail&) = delete;
  JournalTail& operator=(const JournalTail&) = delete;

  // Visits the blocks from `from` on, in order, up to the first missing one, and returns that one's
  // number. Visits all blocks that were acknowledged before the call, unless some were deleted:
  // then the log start, read afterwards, is above the number returned. An error of `visit` ends the
  // call and is returned. kUnavailable: retry.
  virtual absl::StatusOr<uint64_t> Read(uint64_t from, const Journal::Visit& visit) = 0;

  // The state at some moment after the call began. kUnavailable: retry.
  virtual absl::StatusOr<StoreMoment> Look() = 0;

 protected:
  JournalTail() = default;
};

}  // namespace hourcell
