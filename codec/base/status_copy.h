// CopyStatus: a copy of a status that shares no memory with it, for a status that one thread keeps
// and passes to others.
//
// Abseil's own copies share a counted block. That is thread-safe, but ThreadSanitizer cannot see it
// in a library that was not built with it, as Debian's is not.

#pragma once

#include <absl/status/status.h>

namespace hourcell {

// Payloads are not copied: nothing here uses them.
inline absl::Status CopyStatus(const absl::Status& status) {
  return absl::Status(status.code(), status.message());
}

}  // namespace hourcell
