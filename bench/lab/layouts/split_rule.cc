#include "bench/lab/layouts/split_rule.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "codec/base/strings.h"

namespace hourcell::layouts {
namespace {

constexpr uint64_t kFlushesOfRun = 96;
constexpr uint64_t kRegionsOfRun = 12;
// A region that gets more than this share of all requests is split by load.
constexpr double kLoadShare = 1.0 / 12;
// The load is recorded for 1/kRecordsOfRun of the run before a split.
constexpr uint64_t kRecordsOfRun = 60;

SplitPolicyKind PolicyOf(SplitRule rule) {
  switch (rule) {
    case SplitRule::kNone:
    case SplitRule::kPresplit:
      break;
    case SplitRule::kConstant:
      return SplitPolicyKind::kConstantSize;
    case SplitRule::kIncreasing:
    case SplitRule::kIncreasing2:
      return SplitPolicyKind::kIncreasingToUpperBound;
    case SplitRule::kStepping:
      return SplitPolicyKind::kStepping;
    case SplitRule::kKeyPrefix:
      return SplitPolicyKind::kKeyPrefix;
    case SplitRule::kLoad:
      return SplitPolicyKind::kLoad;
  }
  return SplitPolicyKind::kDisabled;
}

}  // namespace

std::string_view SplitRuleName(SplitRule rule) {
  switch (rule) {
    case SplitRule::kNone:
      return "none";
    case SplitRule::kPresplit:
      return "presplit";
    case SplitRule::kConstant:
      return "constant";
    case SplitRule::kIncreasing:
      return "increasing";
    case SplitRule::kIncreasing2:
      return "increasing-2";
    case SplitRule::kStepping:
      return "stepping";
    case SplitRule::kKeyPrefix:
      return "key-prefix";
    case SplitRule::kLoad:
      break;
  }
  return "load";
}

absl::StatusOr<SplitRule> FindSplitRule(std::string_view name) {
  std::string names;
  for (const SplitRule rule : kSplitRules) {
    if (SplitRuleName(rule) == name) return rule;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", SplitRuleName(rule));
  }
  return absl::InvalidArgumentError(
      fmt::format("split rule {}: expected one of {}", QuoteForMessage(name), names));
}

SplitSettings SettingsOf(SplitRule rule, const RunExtent& extent, uint64_t seed) {
  SplitSettings settings;
  settings.policy = PolicyOf(rule);
  settings.flush_bytes = std::max<uint64_t>(1, extent.bytes / kFlushesOfRun);
  settings.max_bytes = std::max<uint64_t>(1, extent.bytes / kRegionsOfRun);
  settings.jitter_seed = seed;
  settings.exponent = rule == SplitRule::kIncreasing2 ? 2 : 3;
  settings.daughter_bytes_min = settings.flush_bytes / 8;
  // A column family costs a few hundred KiB; no rule above comes near this limit.
  settings.region_limit = 128;
  if (rule == SplitRule::kKeyPrefix) settings.policy_prefix_length = extent.leading_bytes;
  settings.append.window = 256;
  settings.load.requests_per_s_min = kLoadShare * kWritesPerS;
  settings.load.record_ms_min = extent.writes * 1000 / kWritesPerS / kRecordsOfRun;
  settings.load.observations_min = 20;
  return settings;
}

}  // namespace hourcell::layouts
