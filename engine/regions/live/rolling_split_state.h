// The journal of a rolling split, which cuts a table key by key until all the given keys are starts
// of regions. It is one row of the system table, present from before the first cut until after the
// last one, so that a killed split is found and resumed.
//
//   key               value
//   rolling/<table>   split=<specification>, keys=<n>, made=<n>, started_ms=<n>: a line each
//
// The regions of the table, not the journal, show which keys are missing: `made` is for people.
//
// Pure; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/table/table.h"

namespace hourcell {

struct RollingSplitState {
  std::string split = {};  // as FormatPresplit writes it
  uint64_t keys = 0;
  uint64_t made = 0;  // regions begun by it so far
  uint64_t started_ms = 0;

  friend bool operator==(const RollingSplitState&, const RollingSplitState&) = default;
};

std::string RollingKey(std::string_view table);

// Mutations of the system table.
Mutation SetRolling(std::string_view table, const RollingSplitState& rolling);
Mutation DeleteRolling(std::string_view table);

// kDataLoss, with the actual and the expected value: not the value of such a row.
absl::StatusOr<RollingSplitState> DecodeRolling(std::string_view table, std::string_view value);

// The keys with the middle one first, then the middles of both halves, and so on: so a file is
// shared out log2(keys) times, not once a key.
std::vector<std::string> MiddleFirst(const std::vector<std::string>& keys);

}  // namespace hourcell
