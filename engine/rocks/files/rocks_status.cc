#include "engine/rocks/files/rocks_status.h"

#include <string>

#include <fmt/format.h>

// Why one place: callers go by what they should do, not by what RocksDB calls it. A code that
// two places translated differently would make one caller retry what the other gives up.

namespace hourcell {

absl::Status FromRocks(const rocksdb::Status& status, std::string_view what) {
  if (status.ok()) return absl::OkStatus();
  const std::string message = fmt::format("{}: {}", what, status.ToString());
  if (status.IsCorruption()) return absl::DataLossError(message);
  if (status.IsNotFound()) return absl::NotFoundError(message);
  if (status.IsInvalidArgument() || status.IsNotSupported()) {
    return absl::FailedPreconditionError(message);
  }
  // What is asked for is on a disk, and the reader would not wait for one.
  if (status.IsIncomplete()) return absl::AbortedError(message);
  return absl::UnavailableError(message);
}

}  // namespace hourcell
