// ClusterView: which processes share a store, and what the journal of the one that writes holds.
// For Tsdb::Cluster. A value.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hourcell {

// A process that shares a store with others, as one of them sees it.
struct ClusterNode {
  std::string address;  // host:port where its clients find it; may be empty
  bool is_writer = false;
  int64_t quiet_ms = 0;  // since it was last seen to beat
  friend bool operator==(const ClusterNode&, const ClusterNode&) = default;
};

struct ClusterView {
  std::string engine;  // as tsd.storage.engine has it: "rocksdb"
  // This process first, then those that wait to write, ascending by address. Of a store in a
  // directory there is only this one, without an address.
  std::vector<ClusterNode> nodes;
  // Of the journal: what the next process that opens the store would read.
  uint64_t journal_blocks = 0;
  uint64_t journal_bytes = 0;
};

}  // namespace hourcell
