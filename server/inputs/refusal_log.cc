#include "server/inputs/refusal_log.h"

#include <utility>

#include <fmt/format.h>

namespace hourcell {

std::optional<std::string> RefusalLog::Note(std::string_view first, size_t refused) {
  const int64_t now_ms = clock_->MonotonicMs();
  MutexLock lock(&mutex_);
  refused_ += refused;
  if (now_ms < due_ms_) return std::nullopt;
  due_ms_ = now_ms + kRefusalLogMs;
  return fmt::format("{}; {} refused since the last report", first, std::exchange(refused_, 0));
}

}  // namespace hourcell
