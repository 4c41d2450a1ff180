// MemUidStore: a UidStore in memory whose commits and reads can be made to fail, whose commits can
// call back, and into which a test can write mappings that no UidDirectory would. Thread-safe.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "codec/rows/uid.h"
#include "uid/uid_store.h"

namespace hourcell {

class MemUidStore : public UidStore {
 public:
  absl::StatusOr<std::optional<Uid>> GetForward(UidKind kind, std::string_view name) override;
  absl::Status GetForwards(UidKind kind,
                           std::span<const std::string_view> names,
                           std::vector<std::optional<Uid>>* uids) override;
  absl::StatusOr<std::optional<std::string>> GetReverse(UidKind kind, Uid uid) override;
  absl::StatusOr<std::optional<Uid>> NextReverse(UidKind kind, Uid from) override;
  absl::StatusOr<Uid> GetCounter(UidKind kind) override;
  absl::Status ScanForward(UidKind kind,
                           std::string_view prefix,
                           const std::function<bool(const UidMapping&)>& visit) override;
  absl::Status ScanReverse(UidKind kind,
                           const std::function<bool(const UidMapping&)>& visit) override;
  absl::Status Commit(std::span<const UidChange> changes) override;

  // The n-th Commit from now (1: the next) applies nothing and fails with kUnavailable.
  void FailCommit(int n);
  // The n-th Commit from now applies everything and fails all the same, as RocksDB may.
  void FailCommitThatIsThere(int n);
  // From now on, a failed commit reports that its rows may be there.
  void SayFailedCommitsMayBeThere() { failed_commits_may_be_there_ = true; }
  bool failed_commits_may_be_there() const override { return failed_commits_may_be_there_; }
  // While set, every read fails with kUnavailable.
  void FailReads(bool fail);
  // GetCounter of the kind fails with kDataLoss, until the counter is set.
  void DamageCounter(UidKind kind);
  // Called at the start of every Commit, with no lock held.
  void OnCommit(std::function<void()> hook);
  // Called at the end of every successful GetForward and GetForwards, with no lock held.
  void OnRead(std::function<void()> hook);

  // One mapping or counter, as it is. Not counted as a commit.
  void SetForward(UidKind kind, std::string_view name, Uid uid);
  void SetReverse(UidKind kind, Uid uid, std::string_view name);
  void SetCounter(UidKind kind, Uid uid);

  size_t commits();  // that succeeded
  size_t reads();    // calls that read
  size_t seeks();    // calls of NextReverse
  std::vector<UidChange> last_commit();
  std::vector<UidMapping> Forward(UidKind kind);  // in name order
  std::vector<UidMapping> Reverse(UidKind kind);  // in UID order

 private:
  struct PerKind {
    std::map<std::string, Uid, std::less<>> forward;
    std::map<Uid, std::string> reverse;
    Uid counter = 0;
    bool counter_is_damaged = false;
  };

  std::atomic<bool> failed_commits_may_be_there_{false};

  PerKind& at(UidKind kind) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return kinds_[static_cast<size_t>(kind)];
  }
  absl::Status CheckReadable() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Apply(const UidChange& change) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ApplyOne(const UidChange& change);

  Mutex mutex_;
  std::array<PerKind, 3> kinds_ ABSL_GUARDED_BY(mutex_);
  int commits_until_failure_ ABSL_GUARDED_BY(mutex_) = 0;  // 0: none will fail
  bool failure_is_there_ ABSL_GUARDED_BY(mutex_) = false;
  bool reads_fail_ ABSL_GUARDED_BY(mutex_) = false;
  size_t commits_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t reads_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t seeks_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<UidChange> last_commit_ ABSL_GUARDED_BY(mutex_);
  std::function<void()> on_commit_ ABSL_GUARDED_BY(mutex_);
  std::function<void()> on_read_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
