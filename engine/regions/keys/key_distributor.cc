#include "engine/regions/keys/key_distributor.h"

#include "codec/base/status_macros.h"

namespace hourcell {

absl::StatusOr<std::vector<std::string>> KeyDistributor::Probes(std::string_view key) const {
  if (!is_deterministic()) return AllKeys(key);
  std::vector<std::string> probes(1);
  HOURCELL_RETURN_IF_ERROR(Encode(key, probes.data()));
  return probes;
}

bool IsEmptyRange(std::string_view start, std::string_view stop) {
  return !stop.empty() && start >= stop;
}

}  // namespace hourcell
