// NumberClaims: numbers of names and series that no two writers give out.
//
// A counter's numbers are divided into chunks. Before a writer sets a counter to a number, it
// claims the chunks up to it that are not claimed, in one call: it writes the row of the first of
// them, which must be absent (system_rows.h). So writers that want the same chunk want the same
// row: each begins where the last claim that it knows ends. A writer that was replaced may have
// calls under way that take effect at any time, with numbers of its chunks; the next one therefore
// begins with a chunk of its own. If the writer before had ended all its calls, the next goes on in
// its chunk.
//
// Thread-safe.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "engine/bigtable/api/bigtable_client.h"
#include "engine/bigtable/writer/system_rows.h"
#include "engine/table/table.h"

namespace hourcell {

class NumberClaims {
 public:
  // `client` is borrowed.
  NumberClaims(BigtableClient* client, uint64_t writer);

  // Finds what is claimed. Without a clean past it claims the next chunk of each counter that was
  // used, and returns the sets that move the counters there. REQUIRES: called once, before any
  // other.
  absl::StatusOr<std::vector<Mutation>> Open(bool has_clean_past, TableView* view);

  // Claims what the counters that are set in a group need. kFailedPrecondition: another writer has
  // it, so this process is not the writer any more.
  absl::Status ClaimFor(std::span<const Mutation> group);

 private:
  struct Counter {
    TableId table;
    std::string key;
    std::string name;      // in the claim's row
    uint64_t chunk = 0;    // numbers
    uint64_t claimed = 0;  // all numbers up to it may be given out by this writer
  };

  absl::Status OpenOne(bool has_clean_past,
                       TableView* view,
                       Counter* counter,
                       std::vector<Mutation>* moved) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Claims `count` chunks from `chunk` on, unless another writer has the first of them. Returns the
  // claim that is there.
  absl::StatusOr<NumberClaim> Claim(const Counter& counter, uint64_t chunk, uint64_t count);

  BigtableClient& client_;
  const uint64_t writer_;
  const std::string system_;
  Mutex mutex_;
  std::vector<Counter> counters_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
