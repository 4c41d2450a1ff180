#include "server/api/query_gate.h"

#include "codec/base/check.h"

namespace hourcell {

std::optional<QueryGate::Pass> QueryGate::Enter() {
  if (total_.fetch_add(1, std::memory_order_relaxed) >= static_cast<int64_t>(queries_max_)) {
    total_.fetch_sub(1, std::memory_order_relaxed);
    return std::nullopt;
  }
  return Pass(this);
}

bool QueryGate::Pass::BeginTry() {
  is_tried_ = gate_->tried_.fetch_add(1, std::memory_order_relaxed) <
              static_cast<int64_t>(gate_->tries_max_);
  if (!is_tried_) gate_->tried_.fetch_sub(1, std::memory_order_relaxed);
  return is_tried_;
}

void QueryGate::Pass::EndTry() {
  if (is_tried_) gate_->tried_.fetch_sub(1, std::memory_order_relaxed);
  is_tried_ = false;
}

void QueryGate::Pass::Begin() {
  HOURCELL_DCHECK(gate_ != nullptr && !is_running_);
  is_running_ = true;
  gate_->running_.fetch_add(1, std::memory_order_relaxed);
}

void QueryGate::Pass::Requeue() {
  HOURCELL_DCHECK(gate_ != nullptr && is_running_);
  is_running_ = false;
  gate_->running_.fetch_sub(1, std::memory_order_relaxed);
  EndTry();
}

QueryGate::Pass::~Pass() {
  if (gate_ == nullptr) return;
  EndTry();
  if (is_running_) gate_->running_.fetch_sub(1, std::memory_order_relaxed);
  gate_->total_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace hourcell
