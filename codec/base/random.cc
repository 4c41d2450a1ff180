#include "codec/base/random.h"

#include <random>

namespace hourcell {

uint64_t RandomSeed() {
  std::random_device device;
  return (static_cast<uint64_t>(device()) << 32) ^ device();
}

}  // namespace hourcell
