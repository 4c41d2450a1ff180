// LoadWriter: a client that puts points over and over, and knows of each which values it may be
// found with: the one acknowledged last, or one that was sent after it.
//
// Every value is sent once only, so that a value found identifies its put. Points are put again and
// again, so that lost order shows, too.

#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/base/random.h"
#include "tests/http/server_process.h"

namespace hourcell {

class LoadWriter {
 public:
  enum class Protocol { kTelnet, kHttp, kInflux, kImport };
  enum class Outcome {
    kAcknowledged,  // 204, an answer to `version`, or an import that ends well
    kRefused,       // 503 with Retry-After, a line that names the rejected points, a failed import
    kGone,          // the server went away before it answered
    kWrong,         // anything else; see fault()
  };

  // Writes points of `metric`. That of kInflux has a "_" after the measurement.
  LoadWriter(Protocol protocol, std::string metric, uint64_t seed)
      : protocol_(protocol), metric_(std::move(metric)), random_(seed) {}

  // Puts a batch of random points of `series` series and waits for the answer. Keeps a telnet
  // connection open as long as the port stays the same.
  Outcome PutBatch(uint16_t port, uint64_t series);
  // PutBatch until the server is gone or something is wrong.
  void Run(uint16_t port, uint64_t series);
  // Imports a batch into a store that is not open, and kills the import after this time.
  void ImportAndKill(const std::string& store, uint64_t series, int64_t after_ms);
  // Batches acknowledged so far. Thread-safe.
  int acknowledged() const { return acknowledged_; }

  // Reads all points of the server and compares; the points found are the truth from then on.
  // Returns the faults, a line a point, or a fault() before; empty: no fault. kNoAnswer: the server
  // is gone, and nothing is known.
  std::string Settle(uint16_t port);
  static constexpr const char* kNoAnswer = "no answer\n";

  // The points put before may be lost, as their TTL was short, or may be found with any value that
  // was ever sent from the first Forget on: the last may go from its file before the first. From
  // then on Settle does not accept the points found as the truth.
  void Forget();
  // The number of points shown; -1 if the server does not answer.
  int64_t CountShown(uint16_t port);

  // The first invalid answer; empty: all were valid.
  const std::string& fault() const { return fault_; }
  // The server's last refusal.
  const std::string& refusal() const { return refusal_; }
  size_t points() const { return points_.size(); }

 private:
  using Key = std::pair<uint64_t, int64_t>;  // series, second of Unix time
  struct Sent {
    int64_t acknowledged = 0;     // 0 = none
    std::vector<int64_t> since;   // sent after it, oldest first
    std::vector<int64_t> before;  // sent before it, once the writer has forgotten
  };
  using Batch = std::map<Key, int64_t>;

  Batch NextBatch(uint64_t series);
  Outcome PutHttp(uint16_t port, const Batch& batch);
  Outcome PutInflux(uint16_t port, const Batch& batch);
  // The outcome of a put, from its answer.
  Outcome OutcomeOf(const HttpResult& result);
  Outcome PutTelnet(uint16_t port, const Batch& batch);
  Outcome PutImport(uint16_t port, const Batch& batch);
  // A batch whose outcome is not known yet.
  Batch SendBatch(uint64_t series);
  std::string Lines(const Batch& batch, std::string_view command) const;
  Outcome Wrong(const std::string& what);
  // False if the server is gone, or answered wrongly.
  bool FindAll(uint16_t port, Batch* found);

  const Protocol protocol_;
  const std::string metric_;
  Random random_;
  int64_t last_value_ = 0;
  std::map<Key, Sent> points_;
  bool has_forgotten_ = false;
  std::unique_ptr<TcpClient> telnet_;
  uint16_t telnet_port_ = 0;
  std::string fault_;
  std::string refusal_;
  std::atomic<int> acknowledged_{0};
};

}  // namespace hourcell
