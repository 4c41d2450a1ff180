#include "engine/stats.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace hourcell {

Counter* Stats::counter(std::string name, StatTags tags) {
  MutexLock lock(&mutex_);
  for (Entry& entry : entries_) {
    if (entry.name == name && entry.tags == tags && !entry.read) return &entry.counter;
  }
  Entry& entry = entries_.emplace_back();
  entry.name = std::move(name);
  entry.tags = std::move(tags);
  return &entry.counter;
}

void Stats::AddGauge(std::string name, StatTags tags, std::function<int64_t()> read) {
  MutexLock lock(&mutex_);
  Entry& entry = entries_.emplace_back();
  entry.name = std::move(name);
  entry.tags = std::move(tags);
  entry.read = std::move(read);
}

std::vector<StatSample> Stats::Snapshot() const {
  std::vector<StatSample> samples;
  {
    MutexLock lock(&mutex_);
    samples.reserve(entries_.size());
    for (const Entry& entry : entries_) {
      samples.push_back(
          {.name = entry.name,
           .tags = entry.tags,
           .value = entry.read ? entry.read() : static_cast<int64_t>(entry.counter.value())});
    }
  }
  std::ranges::sort(samples, [](const StatSample& a, const StatSample& b) {
    return std::tie(a.name, a.tags) < std::tie(b.name, b.tags);
  });
  return samples;
}

}  // namespace hourcell
