#include "engine/rocks/files/rocks_status.h"

#include <string>

#include <fmt/format.h>

// Why one place: callers decide by the code. If two places converted an error differently, one
// caller would retry and the other give up.

namespace hourcell {

absl::Status FromRocks(const rocksdb::Status& status, std::string_view what) {
  if (status.ok()) return absl::OkStatus();
  const std::string message = fmt::format("{}: {}", what, status.ToString());
  if (status.IsCorruption()) return absl::DataLossError(message);
  if (status.IsNotFound()) return absl::NotFoundError(message);
  if (status.IsInvalidArgument() || status.IsNotSupported()) {
    return absl::FailedPreconditionError(message);
  }
  // A read of memory only, and the data is on disk.
  if (status.IsIncomplete()) return absl::AbortedError(message);
  return absl::UnavailableError(message);
}

}  // namespace hourcell
