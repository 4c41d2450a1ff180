// rocksdb::Status -> absl::Status, in one place.

#pragma once

#include <string_view>

#include <absl/status/status.h>
#include <rocksdb/status.h>

namespace hourcell {

// OK for OK. NotFound is kNotFound: callers that expect it check for it before. `what` is the
// operation, e.g. "open /var/lib/hourcell". Corruption is kDataLoss, a full disk or a stall
// kUnavailable; kAborted: a read of memory only would need a disk.
absl::Status FromRocks(const rocksdb::Status& status, std::string_view what);

}  // namespace hourcell
