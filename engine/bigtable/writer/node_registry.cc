#include "engine/bigtable/writer/node_registry.h"

#include <algorithm>
#include <utility>

#include "codec/base/check.h"
#include "codec/base/random.h"
#include "codec/base/status_macros.h"

namespace hourcell {

// Random ids need no coordination. If two ids collide, only one process is listed.
NodeRegistry::NodeRegistry(BigtableClient* client, MonotonicClock* clock, std::string address)
    : client_(*client),
      clock_(*clock),
      system_(ClusterTable(client->options().table_prefix)),
      address_(std::move(address)),
      row_(NodeRow(RandomSeed())) {}

absl::Status NodeRegistry::Heartbeat() {
  if (address_.empty()) return absl::OkStatus();
  uint64_t heartbeat = 0;
  {
    MutexLock lock(&mutex_);
    heartbeat = ++heartbeats_;
    is_written_ = true;
  }
  return client_.Mutate(
      system_, {SystemCell(row_, kSystemQualifier, heartbeat,
                           EncodeWaitingNode({.heartbeat = heartbeat, .address = address_}),
                           /*replace=*/true)});
}

absl::Status NodeRegistry::Withdraw() {
  {
    MutexLock lock(&mutex_);
    if (!std::exchange(is_written_, false)) return absl::OkStatus();
  }
  return client_.Mutate(system_, {DeletedSystemRow(row_)});
}

absl::Status NodeRegistry::Look() {
  HOURCELL_ASSIGN_OR_RETURN(const BigtablePage page, client_.Read(system_, {.range = NodeRows()}));
  std::vector<RowMutations> forgotten;
  {
    MutexLock lock(&mutex_);
    const int64_t now_ms = clock_.MonotonicMs();
    std::map<std::string, Seen> seen;
    for (const BigtableRow& row : page.rows) {
      if (row.cells.empty()) continue;
      HOURCELL_ASSIGN_OR_RETURN(WaitingNode node, DecodeWaitingNode(row.cells[0].value));
      const auto before = seen_.find(row.key);
      const bool is_same = before != seen_.end() && before->second.node == node;
      const int64_t changed_ms = is_same ? before->second.changed_ms : now_ms;
      HOURCELL_DCHECK(now_ms >= changed_ms);
      if (now_ms - changed_ms >= kForgetMs) {
        forgotten.push_back(DeletedSystemRow(row.key));
      } else {
        seen.emplace(row.key, Seen{.node = std::move(node), .changed_ms = changed_ms});
      }
    }
    seen_ = std::move(seen);
  }
  return forgotten.empty() ? absl::OkStatus() : client_.Mutate(system_, std::move(forgotten));
}

std::vector<ClusterNode> NodeRegistry::nodes() const {
  std::vector<ClusterNode> nodes;
  MutexLock lock(&mutex_);
  const int64_t now_ms = clock_.MonotonicMs();
  for (const auto& [row, seen] : seen_) {
    HOURCELL_DCHECK(now_ms >= seen.changed_ms);
    nodes.push_back(
        {.address = seen.node.address, .is_writer = false, .quiet_ms = now_ms - seen.changed_ms});
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const ClusterNode& a, const ClusterNode& b) { return a.address < b.address; });
  return nodes;
}

}  // namespace hourcell
