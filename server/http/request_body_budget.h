// RequestBodyBudget: the memory that request bodies take up while they come in and until they are
// answered, of all connections of a server together. Of one that came compressed, what it is
// inflated to counts, too.
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

// For so long after a body found no room, those that come in must come in faster
// (request_reader.h).
inline constexpr std::chrono::seconds kPressedFor{10};

// Bodies up to this size are not counted: there is one a connection at most.
inline constexpr size_t kSmallBodyBytesMax = 64 * 1024;
// What those are told that find no room.
inline constexpr std::string_view kNoRequestBodyBudget =
    "Too many request bodies are in memory; try again later";

class RequestBodyBudget {
 public:
  // What one body has of it; gives it back at its end.
  class Hold {
   public:
    Hold() = default;
    explicit Hold(RequestBodyBudget* memory) : memory_(memory) {}  // null = nothing is counted
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

    // Has `bytes` from now on, if it had less. False if that is too much: then nothing changes.
    bool Grow(size_t bytes);
    // Has `bytes` from now on, if it had more.
    void Shrink(size_t bytes);
    void Release() { Shrink(0); }
    // Grow was too much once.
    bool was_refused() const { return was_refused_; }
    size_t bytes() const { return bytes_; }

   private:
    RequestBodyBudget* memory_ = nullptr;
    size_t bytes_ = 0;
    bool was_refused_ = false;
  };

  // 0 = no limit.
  explicit RequestBodyBudget(size_t bytes_max) : bytes_max_(bytes_max) {}

  // Whether a body that is announced may have room: so much is free now, or it would be alone.
  bool MayTake(size_t bytes) const {
    const size_t held = this->bytes();
    return bytes_max_ == 0 || held == 0 || held + bytes <= bytes_max_;
  }

  // A body found no room.
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
  // `more` for a body that has `own`. One that is alone always fits, also while it grows: a limit
  // below tsd.http.request.max_body must not shut large ones out for ever.
  bool Take(size_t own, size_t more);

  const size_t bytes_max_;
  std::atomic<size_t> bytes_ = 0;
  std::atomic<int64_t> refused_at_ = 0;  // by the steady clock; 0 = never
};

}  // namespace hourcell
