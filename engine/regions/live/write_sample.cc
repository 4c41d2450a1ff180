#include "engine/regions/live/write_sample.h"

#include <algorithm>
#include <map>
#include <utility>

// Why two windows and not the latest keys: a sender that writes its series in order, a second at a
// time, would fill a sample of the latest keys with a small part of its series. Algorithm R keeps
// each write of a window with the same probability.

namespace hourcell {

void WriteSample::Add(std::string_view key, uint64_t count, size_t keys_max) {
  for (uint64_t i = 0; i < count; ++i) {
    ++current_.writes;
    if (current_.keys.size() < keys_max) {
      current_.keys.emplace_back(key);
      continue;
    }
    const uint64_t place = random_.Below(current_.writes);
    if (place < current_.keys.size()) current_.keys[place] = key;
  }
}

void WriteSample::EndWindow() {
  before_ = std::exchange(current_, {});
}

std::vector<SampledWrite> WriteSample::Writes() const {
  std::map<std::string_view, double> weights;
  for (const Window* const window : {&current_, &before_}) {
    if (window->keys.empty()) continue;
    const double each =
        static_cast<double>(window->writes) / static_cast<double>(window->keys.size());
    for (const std::string& key : window->keys)
      weights[key] += each;
  }
  std::vector<SampledWrite> writes;
  writes.reserve(weights.size());
  for (const auto& [key, weight] : weights)
    writes.push_back({.key = std::string(key), .weight = weight});
  return writes;
}

}  // namespace hourcell
