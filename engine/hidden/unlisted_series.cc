#include "engine/hidden/unlisted_series.h"

#include <utility>

#include <absl/container/flat_hash_set.h>
#include <roaring/roaring64map.hh>

// Why a set that is copied when it changes: a list of millions of series reads it without a lock,
// and it seldom changes. A set of a million numbers has 125 KB or less.

namespace hourcell {

struct SeriesSet::Bits {
  Roaring64Map map;
  absl::flat_hash_set<Uid> metrics;  // of the numbers, and of some that are not in it any more
};

SeriesSet::SeriesSet() : bits_(std::make_unique<Bits>()) {}

SeriesSet::~SeriesSet() = default;

bool SeriesSet::Contains(SeriesNumber number) const {
  return bits_->map.contains(number);
}

bool SeriesSet::MayContainOf(Uid metric) const {
  return bits_->metrics.contains(metric);
}

std::vector<SeriesNumber> SeriesSet::Difference(const Pointer& a, const Pointer& b) {
  std::vector<SeriesNumber> numbers;
  if (a == nullptr || a == b) return numbers;
  Roaring64Map only = a->bits_->map;
  if (b != nullptr) only -= b->bits_->map;
  numbers.resize(only.cardinality());
  if (!numbers.empty()) only.toUint64Array(numbers.data());
  return numbers;
}

SeriesSet::Pointer SeriesSet::Intersection(const Pointer& a, const Pointer& b) {
  if (a == nullptr || b == nullptr) return nullptr;
  if (a == b) return a;
  auto both = std::make_shared<SeriesSet>();
  both->bits_->map = a->bits_->map & b->bits_->map;
  both->bits_->metrics = a->bits_->metrics;
  return both;
}

UnlistedSeries::UnlistedSeries() = default;

UnlistedSeries::~UnlistedSeries() = default;

SeriesSet::Pointer UnlistedSeries::Now() const {
  if (!is_any()) return nullptr;
  MutexLock lock(&mutex_);
  return unlisted_;
}

void UnlistedSeries::Announce(std::span<const SeriesNumber> numbers) {
  MutexLock lock(&mutex_);
  announced_.bits_->map = Roaring64Map();
  announced_.bits_->map.addMany(numbers.size(), numbers.data());
  is_any_.store(!numbers.empty() || unlisted_ != nullptr);
}

void UnlistedSeries::Leave(std::span<const Uid> metrics, std::span<const SeriesNumber> numbers) {
  Roaring64Map left;
  left.addMany(numbers.size(), numbers.data());
  MutexLock lock(&mutex_);
  left &= announced_.bits_->map;
  if (left.isEmpty()) return;
  auto changed = std::make_shared<SeriesSet>();
  changed->bits_->map = left;
  if (unlisted_ != nullptr) {
    changed->bits_->map |= unlisted_->bits_->map;
    changed->bits_->metrics = unlisted_->bits_->metrics;
  }
  changed->bits_->metrics.insert(metrics.begin(), metrics.end());
  unlisted_ = std::move(changed);
}

void UnlistedSeries::Show(std::span<const SeriesNumber> numbers) {
  if (!is_any()) return;
  MutexLock lock(&mutex_);
  std::shared_ptr<SeriesSet> changed;
  for (const SeriesNumber number : numbers) {
    announced_.bits_->map.remove(number);
    if (unlisted_ == nullptr || !unlisted_->Contains(number)) continue;
    if (changed == nullptr) {
      changed = std::make_shared<SeriesSet>();
      *changed->bits_ = *unlisted_->bits_;
    }
    changed->bits_->map.remove(number);
  }
  if (changed == nullptr) return;
  unlisted_ = changed->bits_->map.isEmpty() ? nullptr : SeriesSet::Pointer(std::move(changed));
  is_any_.store(unlisted_ != nullptr || !announced_.bits_->map.isEmpty());
}

}  // namespace hourcell
