// KeyBatch: many puts of a source at once, so that work per put, a virtual call or a hash, is
// shared. It copies the data that the puts point to. Thread-compatible.

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

  // Replaces its contents by the next puts of the source, at most kPutsMax; empty at its end. An
  // error of the source comes with the puts before it.
  absl::Status Fill(PutSource* source);

  // Valid until the next Fill.
  std::span<const SourcePut> puts() const { return puts_; }

 private:
  std::vector<SourcePut> puts_;
  std::string bytes_;
};

}  // namespace hourcell
