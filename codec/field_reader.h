// Takes the fields of a header or directory of a cell off the front of its bytes. Pure; bounded on
// any bytes; one thread owns a reader.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/base/bytes.h"

namespace hourcell {

// After a failure it gives zeros.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : rest_(bytes) {}

  bool failed() const { return failed_; }
  std::string_view rest() const { return rest_; }

  uint8_t Byte() {
    if (rest_.empty()) return static_cast<uint8_t>(Fail());
    const auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }
  uint64_t BigEndian(size_t width) {
    if (rest_.size() < width) return Fail();
    const uint64_t value = LoadBigEndian(rest_.data(), width);
    rest_.remove_prefix(width);
    return value;
  }
  uint64_t Varint() {
    // Most are one byte or two, and TakeVarint's status costs more than that.
    if (!rest_.empty() && static_cast<uint8_t>(rest_.front()) < 0x80) return Byte();
    if (rest_.size() > 1 && static_cast<uint8_t>(rest_[1]) < 0x80) {
      const uint64_t low = Byte() & 0x7FU;
      return low | uint64_t{Byte()} << 7;
    }
    const absl::StatusOr<uint64_t> value = TakeVarint(&rest_);
    return value.ok() ? *value : Fail();
  }

 private:
  uint64_t Fail() {
    failed_ = true;
    rest_ = {};
    return 0;
  }

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace hourcell
