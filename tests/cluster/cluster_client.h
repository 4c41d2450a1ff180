// ClusterClient: puts, overwrites, deletes and reads points through random nodes of a cluster, and
// records the answers.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codec/base/mutex.h"
#include "codec/base/random.h"
#include "tests/cluster/history.h"
#include "tests/http/server_process.h"

namespace hourcell {

// The state that the clients of a cluster share. Thread-safe.
struct ClusterLoad {
  std::vector<uint16_t> ports = {};  // of the nodes
  History* history = nullptr;
  std::atomic<int64_t> last_value{0};  // every value is sent once
  std::atomic<int> answering_node{0};  // the last that answered
  Mutex mutex;
  std::map<std::string, int> statuses ABSL_GUARDED_BY(mutex);
};

// Thread-compatible.
class ClusterClient {
 public:
  ClusterClient(ClusterLoad* load, uint64_t seed) : load_(*load), random_(seed) {}

  // Does one thing through a random node. False: the node does not listen.
  bool Step();
  // Reads all series, or one, through a node. False: no answer.
  bool Read(int node, std::optional<int> series = std::nullopt);

 private:
  std::map<PointKey, int64_t> NextPoints();
  bool PutHttp(int node);
  bool PutTelnet(int node);
  bool Delete(int node);
  int NextSeries();
  void Record(const std::map<PointKey, int64_t>& points,
              Moment begun,
              bool is_known,
              const std::string& by);
  void NoteStatus(const std::string& what, const HttpResult& result);
  // An answer came from it, so it may be the one that writes.
  void Heard(int node) { load_.answering_node = node; }
  uint16_t PortOf(int node) const { return load_.ports.at(static_cast<size_t>(node)); }

  ClusterLoad& load_;
  Random random_;
};

}  // namespace hourcell
