// rocksdb::Status -> absl::Status: the one place where it happens.

#pragma once

#include <string_view>

#include <absl/status/status.h>
#include <rocksdb/status.h>

namespace hourcell {

// OK for OK. NotFound is kNotFound: callers that expect it look first. `what` is what was being
// done, e.g. "open /var/lib/hourcell". Corruption is kDataLoss, a full disk or a stall
// kUnavailable; what is not in memory, where only that is read, kAborted.
absl::Status FromRocks(const rocksdb::Status& status, std::string_view what);

}  // namespace hourcell
