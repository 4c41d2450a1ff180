#include "tests/model/steps/stepped_store.h"

#include <set>
#include <utility>

#include <fmt/format.h>
#include <rocksdb/env.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/rows/row_key.h"
#include "engine/backup_admin.h"
#include "engine/backup_set.h"
#include "tests/model/queries/case_regions.h"
#include "tests/model/steps/step_world.h"
#include "tests/support/fault_fs.h"
#include "tests/support/restless_env.h"

namespace hourcell {
namespace {

// The specification that cuts a new data table where rows will be: "keys:...", or empty.
std::string PresplitAt(const Layout& layout, uint32_t cuts) {
  const RowKeyCodec codec(layout);
  const uint32_t buckets = layout.salt_width == 0 ? 1 : layout.salt_buckets;
  std::set<std::string> keys;
  for (uint32_t i = 0; i < cuts; ++i) {
    const int64_t ms = StepWorld(kWorldStartMs).MinuteMs(60 * i);
    std::string key;
    codec.AppendHourPrefix(/*metric=*/1 + i % 2, i % buckets, kHourSpan.BaseS(ms), &key);
    keys.insert(std::move(key));
  }
  std::string text;
  for (const std::string& key : keys)
    text += (text.empty() ? "keys:" : ",") + KeyText(key);
  return text;
}

}  // namespace

SteppedStore::SteppedStore(const StepOptions& options)
    : fs_(std::make_shared<FaultFs>()),
      env_(NewRestlessEnv(fs_)),
      clock_(kWorldStartMs),
      options_(ToOptions(options)) {
  options_.path = directory_.file("store");
  options_.clock = &clock_;
  options_.env = env_.get();
  options_.presplit = PresplitAt(options_.layout, options.cuts);
}

SteppedStore::~SteppedStore() = default;

absl::Status SteppedStore::Open() {
  auto opened = Tsdb::Open(options_);
  if (!opened.ok()) return opened.status();
  tsdb_ = *std::move(opened);
  return absl::OkStatus();
}

absl::Status SteppedStore::Reopen(bool with_other_cells) {
  HOURCELL_RETURN_IF_ERROR(tsdb_->Close());
  tsdb_.reset();
  if (with_other_cells) {
    options_.cell_encoding = options_.cell_encoding == CellEncoding::kPacked
                                 ? CellEncoding::kOpenTsdb
                                 : CellEncoding::kPacked;
  }
  return Open();
}

absl::Status SteppedStore::Kill() {
  fs_->FailOn({.is_lasting = true});
  tsdb_.reset();
  fs_->Heal();
  return Open();
}

absl::Status SteppedStore::LosePower(uint64_t seed) {
  fs_->FailOn({.is_lasting = true});
  tsdb_.reset();
  fs_->LoseUnsynced(seed, FaultFs::Loss::kEnds);
  fs_->Heal();
  return Open();
}

absl::Status SteppedStore::Backup() {
  return tsdb_->maintenance().backups()->Make(BackupsPath()).status();
}

absl::Status SteppedStore::Restore() {
  HOURCELL_RETURN_IF_ERROR(tsdb_->Close());
  tsdb_.reset();
  HOURCELL_ASSIGN_OR_RETURN(const auto set,
                            BackupSet::Open(BackupsPath(), BackupSet::Use::kRead, env_.get()));
  HOURCELL_CHECK(!set->ids().empty());
  HOURCELL_ASSIGN_OR_RETURN(const BackupManifest manifest, set->Read(set->ids().back()));
  options_.path = directory_.file(fmt::format("store{}", ++restores_));
  HOURCELL_RETURN_IF_ERROR(RestoreBackup(*set, manifest, options_.path, env_.get()));
  return Open();
}

}  // namespace hourcell
