// SteppedStore: a real store on a file system that can fail, which is closed, killed, loses power,
// and is backed up and restored as steps say. Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "engine/options.h"
#include "engine/tsdb.h"
#include "tests/model/steps/step_options.h"
#include "tests/support/temp_dir.h"

namespace rocksdb {
class Env;
}

namespace hourcell {

class FaultFs;

class SteppedStore {
 public:
  explicit SteppedStore(const StepOptions& options);
  ~SteppedStore();
  SteppedStore(const SteppedStore&) = delete;
  SteppedStore& operator=(const SteppedStore&) = delete;

  absl::Status Open();
  // Optionally with the other format of cells.
  absl::Status Reopen(bool with_other_cells);
  // Opens the files as after kill -9: the dying store cannot change them any more.
  absl::Status Kill();
  // The same, with unsynced bytes lost at random.
  absl::Status LosePower(uint64_t seed);
  absl::Status Backup();
  // The newest backup takes the place of the store. REQUIRES: there is one.
  absl::Status Restore();

  Tsdb* tsdb() { return tsdb_.get(); }
  ManualClock* clock() { return &clock_; }
  const Options& options() const { return options_; }

 private:
  std::string BackupsPath() const { return directory_.file("backups"); }

  TempDir directory_;
  std::shared_ptr<FaultFs> fs_;
  std::unique_ptr<rocksdb::Env> env_;
  ManualClock clock_;
  Options options_;
  std::unique_ptr<Tsdb> tsdb_;
  int restores_ = 0;
};

}  // namespace hourcell
