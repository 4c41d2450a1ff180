// MemoryAccount: where the stages of a query count what they take, before they take it; and
// MemoryHold, a part of it that is given back at the end.

#pragma once

#include <cstddef>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"

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
    HOURCELL_RETURN_IF_ERROR(account_->Take(bytes));
    bytes_ += bytes;
    return absl::OkStatus();
  }
  // REQUIRES: so many were taken.
  void GiveBack(size_t bytes) {
    if (account_ == nullptr || bytes == 0) return;
    HOURCELL_DCHECK(bytes <= bytes_);
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

 private:
  MemoryAccount* const account_;
  size_t bytes_ = 0;
};

}  // namespace hourcell
