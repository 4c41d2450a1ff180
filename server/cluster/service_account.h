// The file of tsd.storage.bigtable.credentials: the JSON key of a service account from Google's
// console.

#pragma once

#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace hourcell {

// kInvalidArgument: not such a key; the message has the actual and the expected value, but not the
// private key. Only the beginning of the private key is checked. Pure; thread-safe.
absl::Status CheckServiceAccount(std::string_view text);

// The text of the file. kNotFound: it cannot be read; kInvalidArgument as above, after the path.
absl::StatusOr<std::string> LoadServiceAccount(const std::string& path);

}  // namespace hourcell
