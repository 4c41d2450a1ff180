#include "codec/base/clock.h"

#include <algorithm>
#include <chrono>

namespace hourcell {
namespace {

class SystemClock : public Clock {
 public:
  int64_t NowMs() override {
    using std::chrono::system_clock;
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               system_clock::now().time_since_epoch())
        .count();
  }
  int64_t MonotonicMs() override {
    using std::chrono::steady_clock;
    const auto since_boot = steady_clock::now().time_since_epoch();
    return std::max<int64_t>(
        1, std::chrono::duration_cast<std::chrono::milliseconds>(since_boot).count());
  }
};

}  // namespace

Clock* Clock::System() {
  static SystemClock clock;
  return &clock;
}

}  // namespace hourcell
