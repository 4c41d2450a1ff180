// SetAsideFile: points that the other server of tsd.forward fails at each time, as lines that
// `hourcell import` reads. Thread-compatible.

#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <absl/status/status.h>

#include "codec/point.h"

namespace hourcell {

// Bytes that the file may have.
inline constexpr uint64_t kSetAsideBytesMax = uint64_t{16} << 20;

class SetAsideFile {
 public:
  // `bytes_max`: kSetAsideBytesMax, but for tests.
  explicit SetAsideFile(std::string path, uint64_t bytes_max = kSetAsideBytesMax)
      : path_(std::move(path)), bytes_max_(bytes_max) {}

  // Appends the point and syncs the file, which is made if it is missing. kResourceExhausted: it
  // has no room. kUnavailable: it cannot be written.
  absl::Status Add(const PointView& point) const;

  const std::string& path() const { return path_; }

 private:
  const std::string path_;
  const uint64_t bytes_max_;
};

}  // namespace hourcell
