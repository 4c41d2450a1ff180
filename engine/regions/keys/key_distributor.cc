#include "engine/regions/keys/key_distributor.h"

#include "codec/base/status_macros.h"

// Why an interface of four functions, HBaseWD's: the cost of a distributor is how many intervals a
// range becomes and how many keys a get has to read, and these functions return just that.
// Arithmetic is unsigned, unlike HBaseWD's, so that a hash of -2^31 has a bucket.

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
