// The text of salt epochs in tools and requests.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/salt_admin.h"

namespace hourcell {

// Parses the begin of an epoch, a time in the syntax of queries (query_time.h), in UTC, as seconds
// since 1970. kInvalidArgument: not a time, or not a whole hour.
absl::StatusOr<uint64_t> ParseEpochStart(std::string_view text, int64_t now_ms);

// Parses the number of buckets: decimal digits, above 0. kInvalidArgument: anything else.
absl::StatusOr<uint32_t> ParseBuckets(std::string_view text);

// "2026/01/01-00:00:00", UTC.
std::string EpochStartText(uint64_t from_s);

// {"epochs":[{"from":<seconds since 1970>,"buckets":<count>},...]}, in the order given.
std::string SaltEpochsJson(std::span<const SaltEpoch> epochs);

}  // namespace hourcell
