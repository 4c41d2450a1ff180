// KeyBatch: many puts of a source at once, so that what is done for each, a virtual call or a hash,
// is done for all of them together. What the puts point to is copied. Thread-compatible.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "bench/lab/simulate/input/put_source.h"

namespace hourcell {

class KeyBatch {
 public:
  static constexpr size_t kPutsMax = 1'024;

  // Replaces what is in it by the next puts of the source, as many as there are up to kPutsMax;
  // none at its end. An error of the source comes with the puts before it.
  absl::Status Fill(PutSource* source);

  // They live until the next Fill.
  std::span<const SourcePut> puts() const { return puts_; }

 private:
  std::vector<SourcePut> puts_;
  std::string bytes_;
};

}  // namespace hourcell
