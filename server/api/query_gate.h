// QueryGate: how many queries a server has, those that wait for a thread included, and whether it
// takes one more.
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

namespace hourcell {

class QueryGate {
 public:
  // A query's place: it waits until Begin, and is gone with the pass.
  class Pass {
   public:
    explicit Pass(QueryGate* gate) : gate_(gate) {}
    ~Pass();
    Pass(Pass&& other) noexcept
        : gate_(std::exchange(other.gate_, nullptr)), is_running_(other.is_running_) {}
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    Pass& operator=(Pass&&) = delete;

    // REQUIRES: it waits.
    void Begin();
    // It waits again. REQUIRES: Begin.
    void Requeue();

   private:
    QueryGate* gate_;
    bool is_running_ = false;
  };

  // At most so many at once, running and waiting together. REQUIRES: more than 0.
  explicit QueryGate(size_t queries_max) : queries_max_(queries_max) {}

  // Nothing if there are too many.
  std::optional<Pass> Enter();

  int64_t queries_max() const { return static_cast<int64_t>(queries_max_); }
  int64_t running() const { return running_.load(std::memory_order_relaxed); }
  int64_t waiting() const { return total_.load(std::memory_order_relaxed) - running(); }

 private:
  const size_t queries_max_;
  std::atomic<int64_t> total_ = 0;
  std::atomic<int64_t> running_ = 0;
};

}  // namespace hourcell
