// NodeRegistry: the processes that share a store on Cloud Bigtable and do not write to it. Each has
// a row node/<id> in the table of the system (system_rows.h), writes it again while it lives, and
// deletes it when it ends. No property depends on these rows: they say whom to show.
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
  // A row that has not changed for so many milliseconds is deleted by whoever looks.
  static constexpr int64_t kForgetMs = 60'000;

  // Borrowed; the table is there. `address`: of this process; empty: it has no row.
  NodeRegistry(BigtableClient* client, Clock* clock, std::string address);
  NodeRegistry(const NodeRegistry&) = delete;
  NodeRegistry& operator=(const NodeRegistry&) = delete;

  // Writes the row of this process: one call.
  absl::Status Beat();
  // Deletes it. A Beat that takes effect late brings it back, until it is forgotten.
  absl::Status Withdraw();

  // Reads all rows, and notes which have changed since the Look before: one call, and one more if
  // rows are forgotten.
  absl::Status Look();
  // What the last Look saw, ascending by address; never a writer.
  std::vector<ClusterNode> nodes() const;

 private:
  struct Seen {
    WaitingNode node;
    int64_t changed_ms = 0;  // by the monotonic clock
  };

  BigtableClient& client_;
  Clock& clock_;
  const std::string system_;
  const std::string address_;
  const std::string row_;

  mutable Mutex mutex_;
  uint64_t beats_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_written_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<std::string, Seen> seen_ ABSL_GUARDED_BY(mutex_);  // by row
};

}  // namespace hourcell
