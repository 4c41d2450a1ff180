// Rows of the system table for rollups that the store computes by rules
// (docs/decisions/0039-rollups-by-rules.md). Numbers are decimal text, but for UIDs, in hex.
//
//   key                                                                  value
//   rollup/until/<metric UID>                                            <until, s> <fingerprint>
//   rollup/mark/<metric UID>/<begin, s>/<end, s>/<series number, 0 = all>     empty
//
// Until: the levels have all intervals before it, but for marked ones. Times are whole hours.

#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/rows/uid.h"
#include "engine/rows/series_key.h"

namespace hourcell {

inline constexpr std::string_view kRollupRowsPrefix = "rollup/";  // of both
inline constexpr std::string_view kRollupUntilPrefix = "rollup/until/";
inline constexpr std::string_view kRollupMarkPrefix = "rollup/mark/";

struct RollupUntil {
  Uid metric = 0;
  uint64_t until_s = 0;
  std::string fingerprint = {};  // of the rule, MetricRule::Fingerprint
  friend bool operator==(const RollupUntil&, const RollupUntil&) = default;
};

std::string RollupUntilKey(Uid metric);
std::string RollupUntilValue(const RollupUntil& until);
// kDataLoss: not such a row.
absl::StatusOr<RollupUntil> ParseRollupUntil(std::string_view key, std::string_view value);

// Hours [begin_s, end_s) of a series whose levels may differ from its points.
struct RollupMark {
  uint64_t begin_s = 0;
  uint64_t end_s = 0;
  SeriesNumber series = 0;  // 0: all of the metric
  friend auto operator<=>(const RollupMark&, const RollupMark&) = default;
};

std::string RollupMarkKey(Uid metric, const RollupMark& mark);
// Sets `*metric`. kDataLoss: not such a key, or an empty range.
absl::StatusOr<RollupMark> ParseRollupMarkKey(std::string_view key, Uid* metric);

}  // namespace hourcell
