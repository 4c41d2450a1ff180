// WriteSample: a bounded, uniform sample of the keys of recent writes to one region. It covers the
// current window of time and the one before; the caller ends windows. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/random.h"

namespace hourcell {

struct SampledWrite {
  std::string key = {};
  double weight = 1;  // number of writes that it represents

  friend bool operator==(const SampledWrite&, const SampledWrite&) = default;
};

class WriteSample {
 public:
  explicit WriteSample(uint64_t seed) : random_(seed) {}

  // `count` writes with the same key. The current window keeps at most `keys_max` keys.
  void Add(std::string_view key, uint64_t count, size_t keys_max);

  // Begins the next window, and forgets the one before the current one.
  void EndWindow();

  // The keys of both windows, ascending, each key once.
  std::vector<SampledWrite> Writes() const;

 private:
  struct Window {
    uint64_t writes = 0;
    std::vector<std::string> keys = {};  // a key for each sampled write
  };

  Random random_;
  Window current_;
  Window before_;
};

}  // namespace hourcell
