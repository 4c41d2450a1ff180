// CutProxy: a TCP proxy on 127.0.0.1 whose traffic can be cut, one way or both, or delayed. Cut
// data is not lost: it arrives once the cut is over, as with TCP on a network that was away.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "codec/base/mutex.h"

namespace hourcell {

// Thread-safe.
class CutProxy {
 public:
  // Passes connections on to a port.
  explicit CutProxy(uint16_t to);
  ~CutProxy();
  CutProxy(const CutProxy&) = delete;
  CutProxy& operator=(const CutProxy&) = delete;

  uint16_t port() const { return port_; }
  // Holds back data from clients, data from the other side, or both.
  void Cut(bool requests, bool answers);
  // Delays all data by this time, and keeps its order.
  void Delay(int64_t ms) { delay_ms_ = ms; }
  void Heal() {
    Cut(false, false);
    Delay(0);
  }
  // Ends all connections.
  void Reset();

 private:
  struct Connection {
    int client = -1;
    int server = -1;
    std::atomic<int> running{2};  // threads
    std::thread requests;
    std::thread answers;
  };

  void Accept();
  void Pass(Connection* connection, int from, int to, const std::atomic<bool>& is_cut);
  void Shutdown() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Joins those that have ended, or all.
  void Collect(bool all);

  const uint16_t to_;
  uint16_t port_ = 0;
  int listener_ = -1;
  std::atomic<bool> is_over_{false};
  std::atomic<bool> cuts_requests_{false};
  std::atomic<bool> cuts_answers_{false};
  std::atomic<int64_t> delay_ms_{0};
  Mutex mutex_;
  std::vector<std::unique_ptr<Connection>> connections_ ABSL_GUARDED_BY(mutex_);
  std::thread acceptor_;
};

}  // namespace hourcell
