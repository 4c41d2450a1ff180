// The errors of queries, as Prometheus prints them: "1:5: parse error: unexpected end of input".

#pragma once

#include <cstddef>
#include <string_view>

#include <absl/status/status.h>

namespace hourcell::promql {

// kInvalidArgument with the line of byte `at` of `text`, and its place in the line in bytes; both
// count from 1.
// REQUIRES: at <= text.size().
absl::Status QueryError(std::string_view text, size_t at, std::string_view message);

}  // namespace hourcell::promql
