// SecretRows: the secrets that the nodes of a store share, in rows of the cluster table. A secret's
// row is written only if it is absent, so all nodes see the same secrets, even if two nodes create
// one at the same time.
//
// A node creates the next secret when it has seen the newest one for kPeriodMs on its own monotonic
// clock; clocks of different machines are never compared. The newest secret is not used yet, so
// that all nodes know it before it is; the one before it is in use; the third is still accepted;
// older ones are deleted. So any two nodes that read the rows at least once per period have a
// secret in common.
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
#include "engine/storage/shared_storage.h"

namespace hourcell {

class SecretRows {
 public:
  static constexpr int64_t kPeriodMs = 3'600'000;

  // `client` is borrowed. The table exists.
  SecretRows(BigtableClient* client, MonotonicClock* clock);

  // Reads the secrets; creates the first one if none exists. kUnavailable: retry.
  absl::StatusOr<SharedSecrets> Read();

  // As Read, but first creates the next secret if it is due. kUnavailable: retry.
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
  MonotonicClock& clock_;
  const std::string system_;
  Mutex mutex_;
  uint64_t newest_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t seen_ms_ ABSL_GUARDED_BY(mutex_) = -1;  // since when `newest_` was seen; -1: never read
};

}  // namespace hourcell
