#include "engine/bigtable/writer/bigtable_journal_tail.h"

#include <algorithm>

#include "codec/base/status_macros.h"
#include "engine/bigtable/writer/journal_rows.h"
#include "engine/bigtable/writer/lease_row.h"
#include "engine/bigtable/writer/system_rows.h"

namespace hourcell {

BigtableJournalTail::BigtableJournalTail(BigtableClient* client)
    : client_(*client),
      table_(JournalTable(client->options().table_prefix)),
      system_(ClusterTable(client->options().table_prefix)) {}

absl::StatusOr<uint64_t> BigtableJournalTail::Read(uint64_t from, const Journal::Visit& visit) {
  uint64_t next = std::max<uint64_t>(from, 1);
  for (;;) {
    HOURCELL_ASSIGN_OR_RETURN(
        const BigtablePage page,
        client_.Read(table_, {.range = {.begin = JournalRowKey(next), .end = {}}}));
    for (const BigtableRow& row : page.rows) {
      HOURCELL_ASSIGN_OR_RETURN(const JournalRow block, DecodeJournalRow(row));
      if (block.sequence != next) return next;
      if (!block.is_fence) HOURCELL_RETURN_IF_ERROR(visit(next, row.cells[0].value));
      ++next;
    }
    if (page.is_complete) return next;
  }
}

absl::StatusOr<StoreMoment> BigtableJournalTail::Look() {
  ReadSelection rows{
      .keys = {std::string(kActiveRow), std::string(kChangesRow), std::string(kOldLogStartRow)}};
  rows.filter.set_cells_per_column_limit_filter(1);
  HOURCELL_ASSIGN_OR_RETURN(const BigtablePage page, client_.Read(system_, rows));
  StoreMoment moment;
  HOURCELL_ASSIGN_OR_RETURN(moment.log_start, LogStartOf(page.rows));
  for (const BigtableRow& row : page.rows) {
    if (row.key != kChangesRow || row.cells.empty()) continue;
    HOURCELL_ASSIGN_OR_RETURN(moment.changes, DecodeNumber(row.cells[0].value, row.key));
  }
  return moment;
}

}  // namespace hourcell
