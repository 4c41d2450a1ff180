// NodeRegistry: the standbys of a store on Cloud Bigtable. Each rewrites a row node/<id> in the
// cluster table (system_rows.h) while it lives, and deletes it when it ends. The rows only list
// nodes; correctness does not depend on them.
//
// Thread-safe.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "engine/bigtable/api/bigtable_client.h"
#include "engine/bigtable/writer/system_rows.h"
#include "engine/cluster_view.h"

namespace hourcell {

class NodeRegistry {
 public:
  // Any node deletes a row that has not changed for this many milliseconds.
  static constexpr int64_t kForgetMs = 60'000;

  // `client` and `clock` are borrowed; the table exists. `address`: of this process; empty: it
  // writes no row.
  NodeRegistry(BigtableClient* client, MonotonicClock* clock, std::string address);
  NodeRegistry(const NodeRegistry&) = delete;
  NodeRegistry& operator=(const NodeRegistry&) = delete;

  // Writes this process's row. Makes one call.
  absl::Status Heartbeat();
  // Deletes the row. A late Heartbeat may restore it until it expires.
  absl::Status Withdraw();

  // Reads all rows and notes which changed since the previous Look. Makes one call, and one more if
  // rows expired.
  absl::Status Look();
  // The nodes seen by the last Look, ascending by address; excludes the writer.
  std::vector<ClusterNode> nodes() const;

 private:
  struct Seen {
    WaitingNode node;
    int64_t changed_ms = 0;  // monotonic clock
  };

  BigtableClient& client_;
  MonotonicClock& clock_;
  const std::string system_;
  const std::string address_;
  const std::string row_;

  mutable Mutex mutex_;
  uint64_t heartbeats_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_written_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<std::string, Seen> seen_ ABSL_GUARDED_BY(mutex_);  // by row
};

}  // namespace hourcell
