#include "engine/regions/live/rolling_split_state.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <deque>
#include <system_error>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/strings.h"

// Why the state is this small: the regions of the table, not this row, show which keys are missing,
// so that a cut that was made and not noted is not made twice, and a kill at any step loses
// nothing.

namespace hourcell {
namespace {

constexpr std::string_view kRollingPrefix = "rolling/";

bool ReadNumber(std::string_view text, uint64_t* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

// False for an unknown field or an invalid value.
bool TakeField(std::string_view name, std::string_view text, RollingSplitState* rolling) {
  if (name == "keys") return ReadNumber(text, &rolling->keys);
  if (name == "made") return ReadNumber(text, &rolling->made);
  if (name == "started_ms") return ReadNumber(text, &rolling->started_ms);
  if (name != "split") return false;
  rolling->split = text;
  return true;
}

}  // namespace

std::string RollingKey(std::string_view table) {
  return fmt::format("{}{}", kRollingPrefix, table);
}

Mutation SetRolling(std::string_view table, const RollingSplitState& rolling) {
  return {.table = TableId::kSystem,
          .kind = Mutation::Kind::kSet,
          .key = RollingKey(table),
          .value = fmt::format("split={}\nkeys={}\nmade={}\nstarted_ms={}\n", rolling.split,
                               rolling.keys, rolling.made, rolling.started_ms)};
}

Mutation DeleteRolling(std::string_view table) {
  return {.table = TableId::kSystem,
          .kind = Mutation::Kind::kDelete,
          .key = RollingKey(table),
          .value = {}};
}

absl::StatusOr<RollingSplitState> DecodeRolling(std::string_view table, std::string_view value) {
  RollingSplitState rolling;
  std::string_view rest = value;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const size_t equals = std::min(line.find('='), line.size());
    const std::string_view text = line.substr(std::min(equals + 1, line.size()));
    if (TakeField(line.substr(0, equals), text, &rolling)) continue;
    return absl::DataLossError(fmt::format(
        "row {} of meta: expected split=, keys=, made= and started_ms=, got the line {}",
        RollingKey(table), QuoteForMessage(line)));
  }
  if (!rolling.split.empty()) return rolling;
  return absl::DataLossError(fmt::format("row {} of meta: expected a line split=..., got {}",
                                         RollingKey(table), QuoteForMessage(value)));
}

std::vector<std::string> MiddleFirst(const std::vector<std::string>& keys) {
  std::vector<std::string> order;
  std::deque<std::pair<size_t, size_t>> ranges = {{0, keys.size()}};
  for (; !ranges.empty(); ranges.pop_front()) {
    const auto [begin, end] = ranges.front();
    if (begin == end) continue;
    const size_t middle = begin + (end - begin) / 2;
    order.push_back(keys[middle]);
    ranges.emplace_back(begin, middle);
    ranges.emplace_back(middle + 1, end);
  }
  HOURCELL_DCHECK(order.size() == keys.size());
  return order;
}

}  // namespace hourcell
