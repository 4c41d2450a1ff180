// RequestBodyBudget: limits the memory of request bodies from arrival to response, over all
// connections of a server. Inflated copies count, too.
//
// Thread-safe; a Hold is thread-compatible.

#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace hourcell {

// After a body was refused for lack of room, arriving bodies must be faster for this long
// (request_reader.h).
inline constexpr std::chrono::seconds kPressedFor{10};

// Smaller bodies are not counted: each connection has at most one.
inline constexpr size_t kSmallBodyBytesMax = 64 * 1024;
// The error text when the budget is used up.
inline constexpr std::string_view kNoRequestBodyBudget =
    "Too many request bodies are in memory; try again later";

class RequestBodyBudget {
 public:
  // The share of one body; released on destruction.
  class Hold {
   public:
    Hold() = default;
    explicit Hold(RequestBodyBudget* memory) : memory_(memory) {}  // null = not counted
    ~Hold() { Release(); }
    Hold(Hold&& other) noexcept
        : memory_(other.memory_),
          bytes_(std::exchange(other.bytes_, 0)),
          was_refused_(other.was_refused_) {}
    Hold& operator=(Hold&& other) noexcept {
      Release();
      memory_ = other.memory_;
      bytes_ = std::exchange(other.bytes_, 0);
      was_refused_ = other.was_refused_;
      return *this;
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

    // Raises the share to `bytes` if it is smaller. False: the budget is used up, and nothing
    // changes.
    bool Grow(size_t bytes);
    // Lowers the share to `bytes` if it is larger.
    void Shrink(size_t bytes);
    void Release() { Shrink(0); }
    // True if any Grow has failed.
    bool was_refused() const { return was_refused_; }
    size_t bytes() const { return bytes_; }

   private:
    RequestBodyBudget* memory_ = nullptr;
    size_t bytes_ = 0;
    bool was_refused_ = false;
  };

  // 0 = no limit.
  explicit RequestBodyBudget(size_t bytes_max) : bytes_max_(bytes_max) {}

  // True if an announced body would fit now, or would be the only one.
  bool MayTake(size_t bytes) const {
    const size_t held = this->bytes();
    return bytes_max_ == 0 || held == 0 || held + bytes <= bytes_max_;
  }

  // Records that a body was refused.
  void NoteRefused(std::chrono::steady_clock::time_point now) {
    refused_at_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  }
  bool IsPressed(std::chrono::steady_clock::time_point now) const {
    const int64_t at = refused_at_.load(std::memory_order_relaxed);
    return at != 0 &&
           now.time_since_epoch() - std::chrono::steady_clock::duration(at) < kPressedFor;
  }

  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  size_t bytes_max() const { return bytes_max_; }

 private:
  // Adds `more` to a body with a share of `own`. A body that is alone always fits, also while it
  // grows: a limit below tsd.http.request.max_body must not exclude large bodies permanently.
  bool Take(size_t own, size_t more);

  const size_t bytes_max_;
  std::atomic<size_t> bytes_ = 0;
  std::atomic<int64_t> refused_at_ = 0;  // steady clock; 0 = never
};

}  // namespace hourcell
