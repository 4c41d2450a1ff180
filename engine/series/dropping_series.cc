#include "engine/series/dropping_series.h"

#include <roaring/roaring64map.hh>

namespace hourcell {

// A bit a number: they are kept for as long as the store is open, as a read may have a number of
// any age in hand.
struct DroppingSeries::Numbers {
  Roaring64Map set;
};

DroppingSeries::DroppingSeries() : dropped_(std::make_unique<Numbers>()) {}

DroppingSeries::~DroppingSeries() = default;

void DroppingSeries::Announce(std::span<const SeriesNumber> numbers) {
  MutexLock lock(&mutex_);
  announced_.insert(numbers.begin(), numbers.end());
  is_any_.store(true);
}

SeriesNumber DroppingSeries::Use(SeriesNumber number) {
  if (!is_any_.load() || number == 0) return number;
  MutexLock lock(&mutex_);
  if (dropped_->set.contains(number)) return 0;
  announced_.erase(number);
  return number;
}

bool DroppingSeries::WasDropped(SeriesNumber number) const {
  if (!is_any_.load()) return false;
  MutexLock lock(&mutex_);
  return dropped_->set.contains(number);
}

std::vector<SeriesNumber> DroppingSeries::Take(std::span<const SeriesNumber> numbers) {
  std::vector<SeriesNumber> taken;
  MutexLock lock(&mutex_);
  for (const SeriesNumber number : numbers) {
    if (announced_.erase(number) == 0) continue;
    dropped_->set.add(number);
    taken.push_back(number);
  }
  changes_.fetch_add(1);
  return taken;
}

void DroppingSeries::Finish(Uid metric) {
  MutexLock lock(&mutex_);
  ++drops_[metric];
  changes_.fetch_add(1);
}

void DroppingSeries::Undo(std::span<const SeriesNumber> numbers) {
  MutexLock lock(&mutex_);
  for (const SeriesNumber number : numbers)
    dropped_->set.remove(number);
  changes_.fetch_add(1);
}

void DroppingSeries::Cancel() {
  MutexLock lock(&mutex_);
  announced_.clear();
}

uint64_t DroppingSeries::DropsOf(Uid metric) const {
  if (!is_any_.load()) return 0;
  MutexLock lock(&mutex_);
  const auto found = drops_.find(metric);
  return found == drops_.end() ? 0 : found->second;
}

}  // namespace hourcell
