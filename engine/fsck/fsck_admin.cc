#include "engine/fsck_admin.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/base/status_macros.h"
#include "engine/fsck/fsck_checks.h"
#include "engine/journal/journal.h"
#include "engine/rows/system_table.h"
#include "engine/series/active_sets.h"

namespace hourcell {

absl::StatusOr<FsckReport> FsckAdmin::Check(FsckOptions options) {
  options.fix_cells = false;
  options.fix_uids = false;
  options.fix_index = false;
  options.drop_empty_series = false;
  if (parts_.check_is_writer) HOURCELL_RETURN_IF_ERROR(parts_.check_is_writer());
  FsckReport report;
  FsckChecks checks({.layout = parts_.layout,
                     .tables = parts_.tables,
                     .list = parts_.list,
                     .regions = parts_.regions,
                     .row_keys = parts_.row_keys,
                     .has_active_sets = parts_.active != nullptr && parts_.active->is_whole(),
                     .expiry = parts_.expiry},
                    options, &report);
  checks.Use(parts_.uids, parts_.series);
  HOURCELL_RETURN_IF_ERROR(checks.CheckRegions());
  HOURCELL_RETURN_IF_ERROR(checks.CheckNames());
  HOURCELL_RETURN_IF_ERROR(checks.CheckSeriesRows());
  HOURCELL_RETURN_IF_ERROR(checks.CheckRows());
  HOURCELL_RETURN_IF_ERROR(checks.CheckAnnotations());
  HOURCELL_RETURN_IF_ERROR(checks.CheckAsides());
  HOURCELL_RETURN_IF_ERROR(checks.CheckDeletions());
  HOURCELL_RETURN_IF_ERROR(checks.CheckDocuments());
  HOURCELL_RETURN_IF_ERROR(checks.CheckVirtualMetrics());
  HOURCELL_RETURN_IF_ERROR(checks.CheckRollups());
  if (parts_.journal != nullptr) HOURCELL_RETURN_IF_ERROR(CheckJournal(&checks));
  if (parts_.check_is_writer) HOURCELL_RETURN_IF_ERROR(parts_.check_is_writer());
  return report;
}

// The blocks there are now, from the low mark on.
absl::Status FsckAdmin::CheckJournal(FsckChecks* checks) {
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t low_mark, ReadLowMark(parts_.tables));
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<JournalCut> cuts, parts_.journal->UnseenCuts());
  checks->TellCuts(cuts);
  const std::unique_ptr<JournalPin> pin = parts_.journal->Pin(low_mark);
  // The mark may have moved on since, and segments been deleted.
  const uint64_t from = std::max(low_mark, parts_.journal->oldest_sequence());
  return checks->CheckJournal(
      parts_.journal->Replay(from, [checks](uint64_t sequence, std::string_view payload) {
        return checks->CheckBlock(sequence, payload);
      }));
}

}  // namespace hourcell
