// MemoryAccount: counts the memory of a query's stages, before they allocate it; MemoryHold, a part
// that is given back at the end. Also counts the memory of callers that print results
// (Queries::LeaseQueryMemory).

#pragma once

#include <cstddef>

#include <absl/status/status.h>

namespace hourcell {

class MemoryAccount {
 public:
  virtual ~MemoryAccount() = default;

  // kResourceExhausted: the limit is reached; the account is unchanged.
  virtual absl::Status Take(size_t bytes) = 0;
  virtual void GiveBack(size_t bytes) = 0;
};

// Thread-compatible.
class MemoryHold {
 public:
  // `account` is borrowed; null: does not count.
  explicit MemoryHold(MemoryAccount* account) : account_(account) {}
  MemoryHold(const MemoryHold&) = delete;
  MemoryHold& operator=(const MemoryHold&) = delete;
  ~MemoryHold() { GiveBack(bytes_); }

  // Takes `bytes` more. Errors as MemoryAccount's.
  absl::Status Take(size_t bytes) {
    if (account_ == nullptr || bytes == 0) return absl::OkStatus();
    absl::Status taken = account_->Take(bytes);
    if (taken.ok()) bytes_ += bytes;
    return taken;
  }
  // REQUIRES: at least `bytes` were taken.
  void GiveBack(size_t bytes) {
    if (account_ == nullptr || bytes == 0) return;
    account_->GiveBack(bytes);
    bytes_ -= bytes;
  }
  // Takes or gives back until the hold is `bytes`.
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
