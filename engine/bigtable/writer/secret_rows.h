// SecretRows: the secrets that the processes on a store share, in rows of the table of the system.
// Each secret has a row, which is written only if it is absent: so all processes see the same
// secrets, also if two make one at the same time.
//
// A process makes the next secret when it has seen the newest for kPeriodMs, by its own monotonic
// clock: clocks of machines are not compared. The newest is not used yet, so that all processes
// know it when it is; the one before it is in use; the one before that is still accepted, and older
// ones are deleted. A process that reads the rows at least once in each period so always has a
// secret in common with each other one.
//
// Thread-safe. Calls block.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "engine/bigtable/api/bigtable_client.h"
#include "engine/table/storage_engine.h"

namespace hourcell {

class SecretRows {
 public:
  static constexpr int64_t kPeriodMs = 3'600'000;

  // `client` is borrowed. The table is there.
  SecretRows(BigtableClient* client, Clock* clock);

  // The secrets; makes the first if there is none. kUnavailable: try again.
  absl::StatusOr<SharedSecrets> Read();

  // The same, after the next was made if it is time. kUnavailable: try again.
  absl::StatusOr<SharedSecrets> Refresh();

 private:
  struct Secret {
    uint64_t number = 0;
    std::string value;
  };

  // Ascending.
  absl::StatusOr<std::vector<Secret>> ReadRows();
  absl::Status Make(uint64_t number);
  absl::Status DeleteBelow(uint64_t number, const std::vector<Secret>& secrets);

  BigtableClient& client_;
  Clock& clock_;
  const std::string system_;
  Mutex mutex_;
  uint64_t newest_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t seen_ms_ ABSL_GUARDED_BY(mutex_) = -1;  // since when it is the newest; -1: never read
};

}  // namespace hourcell
