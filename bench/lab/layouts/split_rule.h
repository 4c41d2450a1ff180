// SplitRule: the policy that splits the table during writes, with sizes to the scale of the run.
//
//   none           one region, always
//   presplit       16 regions from the start, bounds sampled from the first quarter of the rows
//   constant       HBase's ConstantSize
//   increasing     IncreasingToUpperBound, exponent 3
//   increasing-2   the same with exponent 2, as before HBase 0.94.17
//   stepping       HBase 2's default
//   key-prefix     KeyPrefix, of the distributor's prefix and the first field
//   load           splits where the requests are (regions/load_sampler.h), or by size
//
// Runs of any size and cell form split alike, because sizes are shares of the bytes that the run
// writes: regions of at most a twelfth, memory that is flushed at a ninety-sixth. Pure;
// thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/regions/split/split_settings.h"

namespace hourcell::layouts {

enum class SplitRule : uint8_t {
  kNone,
  kPresplit,
  kConstant,
  kIncreasing,
  kIncreasing2,
  kStepping,
  kKeyPrefix,
  kLoad,
};

inline constexpr SplitRule kSplitRules[] = {
    SplitRule::kNone,        SplitRule::kPresplit, SplitRule::kConstant,  SplitRule::kIncreasing,
    SplitRule::kIncreasing2, SplitRule::kStepping, SplitRule::kKeyPrefix, SplitRule::kLoad};

inline constexpr uint32_t kPresplitRegions = 16;

// Writes per second of the clock that measures the load.
inline constexpr uint64_t kWritesPerS = 200;

std::string_view SplitRuleName(SplitRule rule);
// kInvalidArgument: unknown name; lists the known ones.
absl::StatusOr<SplitRule> FindSplitRule(std::string_view name);

// The size of a run, estimated before it.
struct RunExtent {
  uint64_t bytes = 0;   // of keys and values
  uint64_t writes = 0;  // mutations
  size_t leading_bytes = 0;
};

SplitSettings SettingsOf(SplitRule rule, const RunExtent& extent, uint64_t seed);

}  // namespace hourcell::layouts
