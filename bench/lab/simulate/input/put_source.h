// PutSource: a stream of puts for the simulator, in order of arrival. Puts of one row that arrive
// together are one SourcePut with their number, so that 10^8 puts are far fewer steps.
//
// A put either identifies its series, from which a KeyTemplate makes the key, or has a key already.
// Implementations: fleet.h (generated), id_source.h, trace_source.h (files); a store is one in the
// program. Thread-compatible.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/regions/keys/key_template.h"

namespace hourcell {

// Views are valid until the next call of the source.
struct SourcePut {
  KeyParts parts = {};            // parts.time_ms is the points' timestamp
  std::string_view key = {};      // not empty: the key, whatever the layout
  std::string_view row_key = {};  // the key for the layout "stored"
  uint64_t now_ms = 0;            // time of arrival
  uint64_t puts = 1;
  bool begins_row = false;
  bool is_hour = false;  // all points of the series in an hour
};

class PutSource {
 public:
  virtual ~PutSource() = default;

  // The next puts; false at the end. The source defines the errors.
  virtual absl::StatusOr<bool> Next(SourcePut* put) = 0;

  // The arrival of the first puts, in milliseconds; known before the first Next.
  virtual uint64_t start_ms() const = 0;
  // The length of the stream; 0 if unknown.
  virtual uint64_t duration_ms() const = 0;
};

// Makes the stream again from its beginning, so that compared designs get the same puts.
using PutSourceFactory = std::function<absl::StatusOr<std::unique_ptr<PutSource>>()>;

}  // namespace hourcell
