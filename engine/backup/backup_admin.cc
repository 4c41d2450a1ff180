#include "engine/backup_admin.h"

#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "codec/base/clock.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/backup_set.h"
#include "engine/journal/journal.h"
#include "engine/rows/system_table.h"
#include "engine/table/pinned_files.h"
#include "engine/table/region_store.h"
#include "engine/table/table_maintenance.h"
#include "engine/table/tables.h"
#include "engine/write/group_commit.h"
#include "engine/write/sealer.h"

namespace hourcell {
namespace {

namespace fs = std::filesystem;

// The path as absolute as possible, without a '/' at its end.
fs::path Normalised(const std::string& path) {
  std::error_code error;
  fs::path normal = fs::weakly_canonical(path, error);
  if (error) normal = fs::absolute(path, error).lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

bool IsIn(const fs::path& inner, const fs::path& outer) {
  for (fs::path path = inner;; path = path.parent_path()) {
    if (path == outer) return true;
    if (path == path.parent_path()) return false;
  }
}

}  // namespace

// The state that a backup copies.
struct BackupAdmin::Moment {
  int64_t made_ms = 0;
  uint64_t low_mark = 0;
  std::unique_ptr<JournalPin> journal;
  std::unique_ptr<PinnedFiles> tables;
  uint64_t next_block = 0;  // known once the journal is copied
};

BackupAdmin::BackupAdmin(Parts parts) : parts_(std::move(parts)) {}

// The order matters: the tables have a series before the journal has a block with its points. No
// cells are written in between, so the tables do not have points of blocks after the copied ones.
absl::Status BackupAdmin::Pin(Moment* moment) {
  const auto pin = [&]() -> absl::Status {
    HOURCELL_RETURN_IF_ERROR(parts_.commit->CommitAll(/*sync=*/false));
    HOURCELL_ASSIGN_OR_RETURN(moment->low_mark, ReadLowMark(parts_.tables));
    moment->made_ms = parts_.clock->NowMs();
    moment->journal = parts_.journal->Pin(moment->low_mark);
    HOURCELL_ASSIGN_OR_RETURN(moment->tables, parts_.maintenance->PinFiles());
    return absl::OkStatus();
  };
  const auto pin_unsealed = [&] { return parts_.sealer->WithSealingPaused(pin); };
  return parts_.regions == nullptr ? pin_unsealed()
                                   : parts_.regions->WithRegionsAtRest(pin_unsealed);
}

// The journal first: until it is copied its segments are not deleted, and it may grow to its limit.
absl::Status BackupAdmin::Copy(Moment* moment, const Progress& progress, BackupSet* set) {
  uint64_t done = 0;
  uint64_t total = 0;
  for (const JournalPin::File& file : moment->journal->files())
    total += file.bytes;
  for (const PinnedFile& file : moment->tables->files())
    total += file.bytes;
  const auto add = [&](const BackupSource& source) -> absl::Status {
    if (progress != nullptr && !progress(done, total)) {
      return absl::CancelledError("backup: stopped before it was complete; no backup was made");
    }
    done += source.bytes;
    return set->Add(source);
  };
  for (const JournalPin::File& file : moment->journal->files()) {
    HOURCELL_RETURN_IF_ERROR(add(
        {.path = "journal/" + file.name, .from = file.path, .bytes = file.bytes, .content = {}}));
  }
  moment->next_block = moment->journal->next_sequence();
  moment->journal.reset();
  HOURCELL_KILL_POINT("backup:journal");
  for (const PinnedFile& file : moment->tables->files()) {
    HOURCELL_RETURN_IF_ERROR(add({.path = "db/" + file.name,
                                  .from = file.path,
                                  .bytes = file.bytes,
                                  .content = file.content}));
  }
  moment->tables.reset();
  return absl::OkStatus();
}

absl::StatusOr<BackupManifest> BackupAdmin::Make(const std::string& directory,
                                                 const Progress& progress) {
  if (parts_.before_change) HOURCELL_RETURN_IF_ERROR(parts_.before_change());
  if (directory.empty() || IsIn(Normalised(directory), Normalised(parts_.store_path))) {
    return absl::InvalidArgumentError(
        fmt::format("backup to {}: the directory is inside the store; choose one outside of {}",
                    directory.empty() ? "no directory" : directory, parts_.store_path));
  }
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<BackupSet> set,
                            BackupSet::Open(directory, BackupSet::Use::kWrite, parts_.env));
  Moment moment;
  HOURCELL_RETURN_IF_ERROR(Pin(&moment));
  HOURCELL_KILL_POINT("backup:pinned");
  HOURCELL_RETURN_IF_ERROR(Copy(&moment, progress, set.get()));
  return set->Commit(
      {.made_ms = moment.made_ms, .low_mark = moment.low_mark, .next_block = moment.next_block});
}

}  // namespace hourcell
