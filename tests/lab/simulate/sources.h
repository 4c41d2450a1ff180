// Sources of puts in short, for tests.

#pragma once

#include <memory>
#include <string_view>

#include "bench/lab/simulate/input/fleet.h"
#include "bench/lab/simulate/input/id_source.h"
#include "bench/lab/simulate/input/put_source.h"
#include "codec/base/check.h"

namespace hourcell {

inline PutSourceFactory Ids(uint64_t ids) {
  return [ids]() -> absl::StatusOr<std::unique_ptr<PutSource>> { return MakeIds({.ids = ids}); };
}

// The program ends if the text is no fleet.
inline PutSourceFactory Fleet(std::string_view text, FleetSteps steps = FleetSteps::kPoints) {
  const auto spec = ParseFleet(text);
  HOURCELL_CHECK(spec.ok());
  return [spec = *spec, steps]() -> absl::StatusOr<std::unique_ptr<PutSource>> {
    return MakeFleet(spec, steps, 1);
  };
}

}  // namespace hourcell
