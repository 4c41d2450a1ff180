// The syntax of a metric's time to live in requests and on the command line.
//
//   <n>           seconds
//   <n><unit>     s m h d w n(30 d) y(365 d), as in queries: 30d
//   forever, 0    points never expire
//   default       as the store's setting, tsd.storage.ttl
//
// Pure; thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell {

// Seconds, 0 = forever; nothing = as the store's setting.
// kInvalidArgument: none of the above, or a duration of less than a second.
absl::StatusOr<std::optional<int64_t>> ParseTtl(std::string_view text);

// "30d", "90m", "forever": whole units, in the largest that fits. `ttl_s`: as ParseTtl's.
std::string TtlText(int64_t ttl_s);

}  // namespace hourcell
