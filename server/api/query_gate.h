// QueryGate: limits the queries of a server, running and waiting, and how many of these the threads
// that read connections try to answer.
//
//   if (std::optional<QueryGate::Pass> pass = gate.Enter()) {
//     ... in a thread of the queries: pass->Begin(); answer; `pass` ends
//   }
//
// Thread-safe.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "codec/base/check.h"

namespace hourcell {

class QueryGate {
 public:
  // A query's place: it waits until Begin, and leaves with the pass.
  class Pass {
   public:
    explicit Pass(QueryGate* gate) : gate_(gate) {}
    ~Pass();
    Pass(Pass&& other) noexcept
        : gate_(std::exchange(other.gate_, nullptr)),
          is_running_(other.is_running_),
          is_tried_(other.is_tried_) {}
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    Pass& operator=(Pass&&) = delete;

    // Whether the thread that read the query may try it: false if the limit of tries is reached.
    // The try ends with Requeue or the pass.
    bool BeginTry();
    // REQUIRES: the query waits.
    void Begin();
    // The query waits again, and its try ends. REQUIRES: Begin.
    void Requeue();

   private:
    void EndTry();

    QueryGate* gate_;
    bool is_running_ = false;
    bool is_tried_ = false;
  };

  // At most `queries_max` at once, running and waiting together; at most `tries_max` are tried.
  // REQUIRES: both are above 0.
  explicit QueryGate(size_t queries_max, size_t tries_max = 1)
      : queries_max_(queries_max), tries_max_(tries_max) {
    HOURCELL_DCHECK(queries_max > 0 && tries_max > 0);
  }

  // Nothing: the limit is reached.
  std::optional<Pass> Enter();

  int64_t queries_max() const { return static_cast<int64_t>(queries_max_); }
  int64_t running() const { return running_.load(std::memory_order_relaxed); }
  int64_t waiting() const { return total_.load(std::memory_order_relaxed) - running(); }

 private:
  const size_t queries_max_;
  const size_t tries_max_;
  std::atomic<int64_t> total_ = 0;
  std::atomic<int64_t> running_ = 0;
  std::atomic<int64_t> tried_ = 0;
};

}  // namespace hourcell
