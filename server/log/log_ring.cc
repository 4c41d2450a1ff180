#include "server/log/log_ring.h"

#include <utility>

namespace hourcell {

void LogRing::Add(LogLine line) {
  if (line.message.size() > kLogRingMessageBytesMax) {
    size_t end = kLogRingMessageBytesMax;
    // Not in the middle of a character.
    while (end > 0 && (static_cast<unsigned char>(line.message[end]) & 0xC0U) == 0x80U)
      --end;
    line.message.resize(end);
  }
  MutexLock lock(&mutex_);
  lines_.push_back(std::move(line));
  if (lines_.size() > lines_max_) lines_.pop_front();
}

std::vector<LogLine> LogRing::Newest() const {
  MutexLock lock(&mutex_);
  return {lines_.rbegin(), lines_.rend()};
}

}  // namespace hourcell
