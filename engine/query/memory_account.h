// MemoryAccount: where the stages of a query count what they take, before they take it; and
// MemoryHold, a part of it that is given back at the end. What others print of what they were
// answered counts in it, too (Tsdb::LeaseQueryMemory).

#pragma once

#include <cstddef>

#include <absl/status/status.h>

namespace hourcell {

class MemoryAccount {
 public:
  virtual ~MemoryAccount() = default;

  // kResourceExhausted: there is no more; then nothing is taken.
  virtual absl::Status Take(size_t bytes) = 0;
  virtual void GiveBack(size_t bytes) = 0;
};

// Thread-compatible.
class MemoryHold {
 public:
  // `account` is borrowed; null: nothing is counted.
  explicit MemoryHold(MemoryAccount* account) : account_(account) {}
  MemoryHold(const MemoryHold&) = delete;
  MemoryHold& operator=(const MemoryHold&) = delete;
  ~MemoryHold() { GiveBack(bytes_); }

  // Takes so many more. Errors as MemoryAccount's.
  absl::Status Take(size_t bytes) {
    if (account_ == nullptr || bytes == 0) return absl::OkStatus();
    absl::Status taken = account_->Take(bytes);
    if (taken.ok()) bytes_ += bytes;
    return taken;
  }
  // REQUIRES: so many were taken.
  void GiveBack(size_t bytes) {
    if (account_ == nullptr || bytes == 0) return;
    account_->GiveBack(bytes);
    bytes_ -= bytes;
  }
  // Takes or gives back until it is `bytes`.
  absl::Status Set(size_t bytes) {
    if (bytes > bytes_) return Take(bytes - bytes_);
    GiveBack(bytes_ - bytes);
    return absl::OkStatus();
  }

  size_t bytes() const { return bytes_; }
  MemoryAccount* account() const { return account_; }

 private:
  MemoryAccount* const account_;
  size_t bytes_ = 0;
};

}  // namespace hourcell
