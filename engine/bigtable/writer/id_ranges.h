// IdRanges: reserves ID ranges of names and series, so that no two writers assign the same ID.
//
// The IDs of a counter are divided into chunks. Before a writer sets a counter, it reserves all
// missing chunks up to that ID in one call: it writes the row of the first missing chunk, which
// must be absent (system_rows.h). Writers that need the same chunk therefore write the same row:
// each begins after the last range that it knows. Calls of a replaced writer may take effect at any
// time, with IDs from its chunks; the next writer therefore begins with a new chunk. If the
// previous writer had ended all its calls, the next one continues in the same chunk.
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

class IdRanges {
 public:
  // `client` is borrowed.
  IdRanges(BigtableClient* client, uint64_t writer);

  // Reads the reserved ranges. Without a clean past, reserves the next chunk of each counter in use
  // and returns the sets that move the counters there. REQUIRES: called once, before any other.
  absl::StatusOr<std::vector<Mutation>> Open(bool has_clean_past, TableView* view);

  // Reserves the IDs that a group's counter sets need. kFailedPrecondition: another writer has
  // reserved them, so this process lost the writer role.
  absl::Status ReserveFor(std::span<const Mutation> group);

 private:
  struct Counter {
    TableId table;
    std::string key;
    std::string name;       // in the row key
    uint64_t chunk = 0;     // IDs per chunk
    uint64_t reserved = 0;  // this writer may assign all IDs up to it
  };

  absl::Status OpenOne(bool has_clean_past,
                       TableView* view,
                       Counter* counter,
                       std::vector<Mutation>* moved) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Reserves `count` chunks from `chunk` on, unless another writer has the first one. Returns the
  // range that is stored.
  absl::StatusOr<IdRange> Reserve(const Counter& counter, uint64_t chunk, uint64_t count);

  BigtableClient& client_;
  const uint64_t writer_;
  const std::string system_;
  Mutex mutex_;
  std::vector<Counter> counters_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
