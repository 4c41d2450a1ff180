// StopWatch: adds its lifetime to a sum of microseconds.
//
//   const StopWatch watch(&read_us_);
//
// Uses the monotonic clock directly, so for reports only, never for decisions. Thread-compatible.

#pragma once

#include <chrono>
#include <cstdint>

namespace hourcell {

class StopWatch {
 public:
  // `sum_us` is borrowed.
  explicit StopWatch(int64_t* sum_us)
      : sum_us_(*sum_us), begin_(std::chrono::steady_clock::now()) {}
  ~StopWatch() {
    const auto elapsed = std::chrono::steady_clock::now() - begin_;
    sum_us_ += std::chrono::duration_cast<std::chrono::microseconds>(elapsed).count();
  }
  StopWatch(const StopWatch&) = delete;
  StopWatch& operator=(const StopWatch&) = delete;

 private:
  int64_t& sum_us_;
  const std::chrono::steady_clock::time_point begin_;
};

}  // namespace hourcell
