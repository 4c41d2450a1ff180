#include "server/cluster/answer_tracker.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "server/text/ascii.h"

namespace hourcell {
namespace {

constexpr std::string_view kHeadMethod = "HEAD ";
constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kHeadEnd = "\r\n\r\n";

// The value of a header in the head of an answer, without surrounding blanks. `name` is lower-case.
std::optional<std::string_view> HeaderOf(std::string_view head, std::string_view name) {
  for (size_t at = head.find(kLineEnd); at != std::string_view::npos;
       at = head.find(kLineEnd, at + 1)) {
    const std::string_view line = head.substr(at + kLineEnd.size());
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    if (!EqualsIgnoringCase(line.substr(0, name.size()), name)) continue;
    std::string_view value = line.substr(name.size() + 1);
    value = value.substr(0, value.find(kLineEnd));
    while (value.starts_with(' '))
      value.remove_prefix(1);
    while (value.ends_with(' '))
      value.remove_suffix(1);
    return value;
  }
  return std::nullopt;
}

std::optional<uint64_t> NumberOf(std::string_view digits, int base) {
  uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

}  // namespace

void AnswerTracker::OnRequestBytes(std::string_view bytes) {
  last_asked_ += bytes;
  // An answer to HEAD has a length but no body.
  if (last_asked_.find(kHeadMethod) != std::string::npos) state_ = State::kLost;
  if (last_asked_.size() >= kHeadMethod.size()) {
    last_asked_.erase(0, last_asked_.size() - kHeadMethod.size() + 1);
  }
}

void AnswerTracker::OnAnswerBytes(std::string_view bytes) {
  while (!bytes.empty() && state_ != State::kLost) {
    switch (state_) {
      case State::kHead:
        if (TakeUntil(kHeadEnd, &bytes)) EndHead();
        break;
      case State::kBody:
      case State::kChunk: {
        const size_t size = std::min<uint64_t>(left_, bytes.size());
        bytes.remove_prefix(size);
        left_ -= size;
        if (left_ == 0) state_ = state_ == State::kBody ? State::kHead : State::kChunkSize;
        break;
      }
      case State::kChunkSize:
        if (TakeUntil(kLineEnd, &bytes)) EndChunkSize();
        break;
      case State::kTrailer:
        if (TakeUntil(kLineEnd, &bytes)) {
          if (line_ == kLineEnd) state_ = State::kHead;
          line_.clear();
        }
        break;
      case State::kLost:
        break;
    }
  }
}

bool AnswerTracker::TakeUntil(std::string_view end, std::string_view* bytes) {
  while (!bytes->empty()) {
    line_.push_back(bytes->front());
    bytes->remove_prefix(1);
    if (line_.ends_with(end)) return true;
    if (line_.size() < kHeadBytesMax) continue;
    state_ = State::kLost;
    return false;
  }
  return false;
}

void AnswerTracker::EndHead() {
  const std::string head = std::exchange(line_, {});
  const std::optional<uint64_t> status = head.starts_with("HTTP/1.") && head.size() > 12
                                             ? NumberOf(head.substr(9, 3), 10)
                                             : std::nullopt;
  const auto encoding = HeaderOf(head, "transfer-encoding");
  const auto length = HeaderOf(head, "content-length");
  state_ = State::kLost;
  if (!status.has_value()) return;
  if (*status < 200 || *status == 204 || *status == 304) {
    state_ = State::kHead;
  } else if (encoding.has_value()) {
    if (*encoding == "chunked") state_ = State::kChunkSize;
  } else if (length.has_value()) {
    const std::optional<uint64_t> bytes = NumberOf(*length, 10);
    if (!bytes.has_value()) return;
    left_ = *bytes;
    state_ = left_ == 0 ? State::kHead : State::kBody;
  }
}

void AnswerTracker::EndChunkSize() {
  const std::string line = std::exchange(line_, {});
  const std::string_view digits = std::string_view(line).substr(0, line.find_first_of(";\r"));
  const std::optional<uint64_t> size = NumberOf(digits, 16);
  state_ = State::kLost;
  if (!size.has_value() || *size > uint64_t{1} << 40) return;
  left_ = *size + kLineEnd.size();
  state_ = *size == 0 ? State::kTrailer : State::kChunk;
}

}  // namespace hourcell
