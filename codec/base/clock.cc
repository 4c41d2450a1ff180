#include "codec/base/clock.h"

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
};

}  // namespace

Clock* Clock::System() {
  static SystemClock clock;
  return &clock;
}

}  // namespace hourcell
