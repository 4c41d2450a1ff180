// The rows of the table "<prefix>-journal" (format: bigtable_journal.h): keys and contents. Value
// types.

#pragma once

#include <cstdint>
#include <string>

#include <absl/status/statusor.h>

#include "engine/bigtable/api/row_assembler.h"

namespace hourcell {

inline constexpr char kBlockQualifier[] = "b";
inline constexpr char kFenceQualifier[] = "f";

std::string JournalRowKey(uint64_t sequence);

// A row without its payload.
struct JournalRow {
  uint64_t sequence = 0;
  uint64_t writer = 0;
  bool is_fence = false;  // false: a block
};

// kDataLoss: neither a block nor a fence.
absl::StatusOr<JournalRow> DecodeJournalRow(const BigtableRow& row);

}  // namespace hourcell
