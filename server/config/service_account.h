// The file of tsd.storage.bigtable.credentials: the JSON key of a service account, as Google's
// console writes it.

#pragma once

#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace hourcell {

// kInvalidArgument: not such a key; says what it has and what is wanted, but nothing of its secret.
// Of the private key, only the beginning is looked at. Pure; thread-safe.
absl::Status CheckServiceAccount(std::string_view text);

// The text of the file. kNotFound: it cannot be read; kInvalidArgument as above, after the path.
absl::StatusOr<std::string> LoadServiceAccount(const std::string& path);

}  // namespace hourcell
