// DeletedPoints: how much Tsdb::DeletePoints deleted.

#pragma once

#include <cstdint>

namespace hourcell {

struct DeletedPoints {
  uint64_t points = 0;
  uint64_t rows = 0;  // with deleted points
  friend bool operator==(const DeletedPoints&, const DeletedPoints&) = default;
};

}  // namespace hourcell
