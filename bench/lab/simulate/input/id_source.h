// Sequential ids, as region-helper's generators make them: 1, 2, 3..., each put once. A PutSource
// with keys of 8 bytes, big-endian, unless a template makes others. Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>

#include "bench/lab/simulate/input/put_source.h"

namespace hourcell {

struct IdSpec {
  uint64_t ids = 0;
  uint64_t first = 1;
  uint64_t ids_per_s = 100'000;
  uint64_t start_ms = 1'356'998'400'000;
};

// REQUIRES: ids_per_s > 0.
std::unique_ptr<PutSource> MakeIds(const IdSpec& spec);

}  // namespace hourcell
