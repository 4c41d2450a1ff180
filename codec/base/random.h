// The only source of randomness in the tree: seeded, so that runs can be repeated.

#pragma once

#include <cstdint>

#include "codec/base/check.h"

namespace hourcell {

// splitmix64 (public domain, Sebastiano Vigna). Thread-compatible. Not for secrets.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  // Uniform in [0, bound). REQUIRES: bound > 0.
  uint64_t Below(uint64_t bound) {
    HOURCELL_DCHECK(bound > 0);
    return Next() % bound;
  }

  // Uniform in [0, 1).
  double Fraction() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

// A seed from the operating system, for production uses of Random.
uint64_t RandomSeed();

}  // namespace hourcell
