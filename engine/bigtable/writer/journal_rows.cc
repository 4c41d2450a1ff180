#include "engine/bigtable/writer/journal_rows.h"

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "engine/bigtable/writer/system_rows.h"

namespace hourcell {

std::string JournalRowKey(uint64_t sequence) {
  return EncodeNumber(sequence);
}

absl::StatusOr<JournalRow> DecodeJournalRow(const BigtableRow& row) {
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t sequence, DecodeNumber(row.key, "journal: a row key"));
  if (row.cells.empty() ||
      (row.cells[0].qualifier != kBlockQualifier && row.cells[0].qualifier != kFenceQualifier)) {
    return absl::DataLossError(
        fmt::format("bigtable: journal: row {} is neither a block nor a fence", sequence));
  }
  return JournalRow{.sequence = sequence,
                    .writer = static_cast<uint64_t>(row.cells[0].timestamp_micros / 1000),
                    .is_fence = row.cells[0].qualifier == kFenceQualifier};
}

}  // namespace hourcell
