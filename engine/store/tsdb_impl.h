// StoreImpl: an open store, by the role of its process: a core and a read side, and a write side
// unless the process only reads. Open creates the parts, Close ends them. Thread-safe as Tsdb is,
// except Open.

#pragma once

#include <cstdint>
#include <memory>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/adoption_admin.h"
#include "engine/backup_admin.h"
#include "engine/fsck_admin.h"
#include "engine/hours/open_hours.h"
#include "engine/region_admin.h"
#include "engine/rollups/keeper/rollup_keeper.h"
#include "engine/salt_admin.h"
#include "engine/storage/journal_tail.h"
#include "engine/store/gates.h"
#include "engine/store/read_side.h"
#include "engine/store/store_core.h"
#include "engine/store/ttl_admin.h"
#include "engine/store/write_side.h"
#include "engine/threads/background.h"
#include "engine/tsdb.h"

namespace hourcell {

class StoreImpl {
 public:
  explicit StoreImpl(Options opened) : core(std::move(opened)) {}

  absl::Status Open();
  absl::Status Close();
  void DropCaches();
  StoreHealth Health();
  ClusterView Cluster();
  // The open hours for a read that passed the gate.
  std::shared_ptr<OpenHours> HoursToRead() const;

  StoreCore core;
  std::unique_ptr<WriteSide> write;  // null: this process only reads
  std::unique_ptr<ReadSide> read;
  std::unique_ptr<RollupKeeper> rollups;  // null: without rules, or without a write side
  std::unique_ptr<RegionAdmin> regions;
  std::unique_ptr<SaltAdmin> salt;
  std::unique_ptr<TtlAdmin> ttls;
  std::unique_ptr<BackupAdmin> backups;
  std::unique_ptr<FsckAdmin> fsck;
  std::unique_ptr<AdoptionAdmin> adoption;
  StoreGates gates{this};

 private:
  absl::Status OpenToWrite();
  absl::Status OpenToFollow();
  absl::Status StartFollowing(std::unique_ptr<JournalTail> tail);
  absl::Status UnlistHidden();
  void MakeRollups();
  void MakeAdmins();
  void MakeRegionAdmin();
  void MakeSaltAdmin();

  std::unique_ptr<Background> rollup_ticker_;
};

}  // namespace hourcell
