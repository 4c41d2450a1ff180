#include "engine/stats.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace hourcell {
namespace {

// By name, then by tags.
constexpr auto kByName = [](const auto& a, const auto& b) {
  return std::tie(a.name, a.tags) < std::tie(b.name, b.tags);
};

}  // namespace

void LatencyHistogram::Record(int64_t us) {
  const int64_t taken = std::max<int64_t>(us, 0);
  const auto bound = std::ranges::lower_bound(kLatencyBoundsUs, taken);
  const auto bucket = static_cast<size_t>(std::distance(kLatencyBoundsUs.begin(), bound));
  buckets_[bucket].fetch_add(1, std::memory_order_relaxed);
  sum_us_.fetch_add(static_cast<uint64_t>(taken), std::memory_order_relaxed);
}

std::array<uint64_t, kLatencyBoundsUs.size() + 1> LatencyHistogram::buckets() const {
  std::array<uint64_t, kLatencyBoundsUs.size() + 1> counts{};
  for (size_t i = 0; i < counts.size(); ++i)
    counts[i] = buckets_[i].load(std::memory_order_relaxed);
  return counts;
}

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

LatencyHistogram* Stats::histogram(std::string name, StatTags tags) {
  MutexLock lock(&mutex_);
  for (HistogramEntry& entry : histograms_) {
    if (entry.name == name && entry.tags == tags) return &entry.histogram;
  }
  HistogramEntry& entry = histograms_.emplace_back();
  entry.name = std::move(name);
  entry.tags = std::move(tags);
  return &entry.histogram;
}

void Stats::AddGauge(std::string name, StatTags tags, std::function<int64_t()> read) {
  AddRead(StatKind::kGauge, std::move(name), std::move(tags), std::move(read));
}

void Stats::AddCount(std::string name, StatTags tags, std::function<int64_t()> read) {
  AddRead(StatKind::kCounter, std::move(name), std::move(tags), std::move(read));
}

void Stats::AddRead(StatKind kind, std::string name, StatTags tags, std::function<int64_t()> read) {
  MutexLock lock(&mutex_);
  Entry& entry = entries_.emplace_back();
  entry.name = std::move(name);
  entry.tags = std::move(tags);
  entry.kind = kind;
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
           .value = entry.read ? entry.read() : static_cast<int64_t>(entry.counter.value()),
           .kind = entry.kind});
    }
  }
  std::ranges::sort(samples, kByName);
  return samples;
}

std::vector<HistogramSample> Stats::Histograms() const {
  std::vector<HistogramSample> samples;
  {
    MutexLock lock(&mutex_);
    for (const HistogramEntry& entry : histograms_) {
      samples.push_back({.name = entry.name,
                         .tags = entry.tags,
                         .buckets = entry.histogram.buckets(),
                         .sum_us = entry.histogram.sum_us()});
    }
  }
  std::ranges::sort(samples, kByName);
  return samples;
}

}  // namespace hourcell
