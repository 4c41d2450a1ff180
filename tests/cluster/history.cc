#include "tests/cluster/history.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace hourcell {
namespace {

std::string TextOf(const PointKey& key) {
  return fmt::format("series {} second {}", key.series, key.second);
}

std::string TextOf(const std::optional<int64_t>& value) {
  return value.has_value() ? fmt::format("{}", *value) : "nothing";
}

std::string TextOf(const HistoryWrite& write) {
  const std::string end = write.ended == kNeverEnds ? "unknown" : fmt::format("{}", write.ended);
  return fmt::format("{}..{} write {} {} {}", write.begun, end, TextOf(write.key),
                     TextOf(write.value), write.by);
}

// Whether an answer may have `found` at a point with these writes.
bool MayBe(const HistoryAnswer& answer,
           const std::optional<int64_t>& found,
           const std::vector<const HistoryWrite*>& writes) {
  // A write that ended before this moment was overwritten before the question.
  Moment followed = -1;
  for (const HistoryWrite* write : writes) {
    if (write->ended < answer.begun) followed = std::max(followed, write->begun);
  }
  // Nothing, at first.
  if (!found.has_value() && followed < 0) return true;
  return std::ranges::any_of(writes, [&](const HistoryWrite* write) {
    return write->value == found && write->begun < answer.ended && write->ended >= followed;
  });
}

}  // namespace

void History::Add(HistoryWrite write) {
  MutexLock lock(&mutex_);
  writes_.push_back(std::move(write));
}

void History::Add(HistoryAnswer answer) {
  MutexLock lock(&mutex_);
  answers_.push_back(std::move(answer));
}

void History::AddEvent(const std::string& what) {
  const Moment now = Now();
  MutexLock lock(&mutex_);
  events_[now] = what;
}

void History::CheckAnswer(const HistoryAnswer& answer,
                          const Writes& writes,
                          std::vector<std::string>* faults) {
  std::set<PointKey> keys;
  for (const auto& [key, all] : writes) {
    if (!answer.series.has_value() || key.series == *answer.series) keys.insert(key);
  }
  for (const auto& [key, value] : answer.points)
    keys.insert(key);
  for (const PointKey& key : keys) {
    const auto point = answer.points.find(key);
    const std::optional<int64_t> found =
        point == answer.points.end() ? std::nullopt : std::optional(point->second);
    const auto all = writes.find(key);
    const std::vector<const HistoryWrite*> none;
    if (MayBe(answer, found, all == writes.end() ? none : all->second)) continue;
    std::string fault = fmt::format("{}..{} answer {} has {} {}", answer.begun, answer.ended,
                                    TextOf(key), TextOf(found), answer.by);
    if (all != writes.end()) {
      for (const HistoryWrite* write : all->second)
        fault += "\n    " + TextOf(*write);
    }
    faults->push_back(std::move(fault));
  }
}

std::vector<std::string> History::Faults() const {
  MutexLock lock(&mutex_);
  Writes writes;
  for (const HistoryWrite& write : writes_)
    writes[write.key].push_back(&write);
  std::vector<std::string> faults;
  for (const HistoryAnswer& answer : answers_)
    CheckAnswer(answer, writes, &faults);
  return faults;
}

std::string History::Text() const {
  MutexLock lock(&mutex_);
  std::multimap<Moment, std::string> lines;
  for (const HistoryWrite& write : writes_)
    lines.emplace(write.begun, TextOf(write));
  for (const HistoryAnswer& answer : answers_) {
    std::string points;
    for (const auto& [key, value] : answer.points)
      points += fmt::format(" {}/{}={}", key.series, key.second, value);
    const std::string of =
        answer.series.has_value() ? fmt::format("series {}", *answer.series) : "all";
    lines.emplace(answer.begun, fmt::format("{}..{} answer {} of {}:{}", answer.begun, answer.ended,
                                            answer.by, of, points));
  }
  for (const auto& [moment, what] : events_)
    lines.emplace(moment, fmt::format("{} event {}", moment, what));
  std::string text;
  for (const auto& [moment, line] : lines)
    text += line + "\n";
  return text;
}

size_t History::answers() const {
  MutexLock lock(&mutex_);
  return answers_.size();
}

size_t History::acknowledged() const {
  MutexLock lock(&mutex_);
  return static_cast<size_t>(std::ranges::count_if(
      writes_, [](const HistoryWrite& write) { return write.ended != kNeverEnds; }));
}

}  // namespace hourcell
