#include "promql/labels.h"

#include <algorithm>

namespace hourcell::promql {
namespace {

auto FindPair(std::vector<Labels::Pair>& pairs, std::string_view name) {
  return std::ranges::lower_bound(pairs, name, {}, &Labels::Pair::first);
}

}  // namespace

Labels::Labels(std::vector<Pair> pairs) : pairs_(std::move(pairs)) {
  std::ranges::stable_sort(pairs_, {}, &Pair::first);
  // Of equal names, the last one stays.
  const auto is_superseded = [&](size_t i) {
    return i + 1 < pairs_.size() && pairs_[i + 1].first == pairs_[i].first;
  };
  size_t kept = 0;
  for (size_t i = 0; i < pairs_.size(); ++i) {
    if (is_superseded(i) || pairs_[i].second.empty()) continue;
    if (kept != i) pairs_[kept] = std::move(pairs_[i]);
    ++kept;
  }
  pairs_.resize(kept);
}

std::string_view Labels::Get(std::string_view name) const {
  const auto found = std::ranges::lower_bound(pairs_, name, {}, &Pair::first);
  return found != pairs_.end() && found->first == name ? std::string_view(found->second)
                                                       : std::string_view();
}

void Labels::Set(std::string_view name, std::string_view value) {
  const auto found = FindPair(pairs_, name);
  const bool is_there = found != pairs_.end() && found->first == name;
  if (value.empty()) {
    if (is_there) pairs_.erase(found);
  } else if (is_there) {
    found->second = value;
  } else {
    pairs_.insert(found, {std::string(name), std::string(value)});
  }
}

Labels Labels::Keep(const std::vector<std::string>& names) const {
  Labels kept;
  for (const Pair& pair : pairs_) {
    if (std::ranges::binary_search(names, pair.first)) kept.pairs_.push_back(pair);
  }
  return kept;
}

Labels Labels::Without(const std::vector<std::string>& names) const {
  Labels kept;
  for (const Pair& pair : pairs_) {
    if (!std::ranges::binary_search(names, pair.first)) kept.pairs_.push_back(pair);
  }
  return kept;
}

Labels Labels::WithoutMetricName() const {
  Labels kept = *this;
  kept.Remove(kMetricName);
  return kept;
}

size_t Labels::MemoryBytes() const {
  size_t bytes = sizeof(Labels) + pairs_.capacity() * sizeof(Pair);
  for (const auto& [name, value] : pairs_) bytes += name.size() + value.size();
  return bytes;
}

}  // namespace hourcell::promql
