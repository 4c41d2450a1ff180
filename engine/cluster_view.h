// ClusterView: the processes that share a store, and the contents of the writer's journal. For
// Maintenance::Cluster. A value.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hourcell {

// A process that shares a store, as seen by another process.
struct ClusterNode {
  std::string address;  // host:port where its clients find it; may be empty
  bool is_writer = false;
  int64_t quiet_ms = 0;  // since its last heartbeat seen here
  friend bool operator==(const ClusterNode&, const ClusterNode&) = default;
};

struct ClusterView {
  std::string engine;  // as tsd.storage.engine has it: "rocksdb"
  // This process first, then the standbys, ascending by address. A store in a directory has only
  // this process, without an address.
  std::vector<ClusterNode> nodes;
  // The part of the journal that the next process to open the store would read.
  uint64_t journal_blocks = 0;
  uint64_t journal_bytes = 0;
};

}  // namespace hourcell
