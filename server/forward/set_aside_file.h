// SetAsideFile: stores points and histograms at which the other server of tsd.forward always fails,
// as lines that `hourcell import` reads. Thread-compatible.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>

#include "codec/point.h"

namespace hourcell {

// Size limit of the file, in bytes.
inline constexpr uint64_t kSetAsideBytesMax = uint64_t{16} << 20;

class SetAsideFile {
 public:
  // `bytes_max` differs from kSetAsideBytesMax only in tests.
  explicit SetAsideFile(std::string path, uint64_t bytes_max = kSetAsideBytesMax)
      : path_(std::move(path)), bytes_max_(bytes_max) {}

  // Appends the point, or the histogram with this `cell` (the ID and the bytes), and syncs the
  // file; creates it if it is missing. kResourceExhausted: the file
  // is full. kUnavailable: it cannot be written.
  absl::Status Add(const PointView& point, std::string_view cell = {}) const;

  const std::string& path() const { return path_; }

 private:
  const std::string path_;
  const uint64_t bytes_max_;
};

}  // namespace hourcell
