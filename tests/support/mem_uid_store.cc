#include "tests/support/mem_uid_store.h"

#include <utility>

#include "codec/base/status_macros.h"

namespace hourcell {

using What = UidChange::What;

absl::StatusOr<std::optional<Uid>> MemUidStore::GetForward(UidKind kind, std::string_view name) {
  std::optional<Uid> uid;
  std::function<void()> hook;
  {
    MutexLock lock(&mutex_);
    HOURCELL_RETURN_IF_ERROR(CheckReadable());
    const PerKind& from = at(kind);
    if (const auto it = from.forward.find(name); it != from.forward.end()) uid = it->second;
    hook = on_read_;
  }
  if (hook) hook();
  return uid;
}

absl::Status MemUidStore::GetForwards(UidKind kind,
                                      std::span<const std::string_view> names,
                                      std::vector<std::optional<Uid>>* uids) {
  std::function<void()> hook;
  {
    MutexLock lock(&mutex_);
    HOURCELL_RETURN_IF_ERROR(CheckReadable());
    const PerKind& from = at(kind);
    uids->assign(names.size(), std::nullopt);
    for (size_t i = 0; i < names.size(); ++i) {
      if (const auto it = from.forward.find(names[i]); it != from.forward.end()) {
        (*uids)[i] = it->second;
      }
    }
    hook = on_read_;
  }
  if (hook) hook();
  return absl::OkStatus();
}

absl::StatusOr<std::optional<Uid>> MemUidStore::NextReverse(UidKind kind, Uid from) {
  MutexLock lock(&mutex_);
  ++seeks_;
  HOURCELL_RETURN_IF_ERROR(CheckReadable());
  const auto it = at(kind).reverse.lower_bound(from);
  if (it == at(kind).reverse.end()) return std::nullopt;
  return it->first;
}

absl::StatusOr<std::optional<std::string>> MemUidStore::GetReverse(UidKind kind, Uid uid) {
  MutexLock lock(&mutex_);
  HOURCELL_RETURN_IF_ERROR(CheckReadable());
  const PerKind& from = at(kind);
  const auto it = from.reverse.find(uid);
  if (it == from.reverse.end()) return std::nullopt;
  return it->second;
}

absl::StatusOr<Uid> MemUidStore::GetCounter(UidKind kind) {
  MutexLock lock(&mutex_);
  HOURCELL_RETURN_IF_ERROR(CheckReadable());
  if (at(kind).counter_is_damaged) {
    return absl::DataLossError("a row of 3 bytes; expected 8");
  }
  return at(kind).counter;
}

absl::Status MemUidStore::ScanForward(UidKind kind,
                                      std::string_view prefix,
                                      const std::function<bool(const UidMapping&)>& visit) {
  std::vector<UidMapping> mappings;
  {
    MutexLock lock(&mutex_);
    HOURCELL_RETURN_IF_ERROR(CheckReadable());
    const PerKind& from = at(kind);
    for (auto it = from.forward.lower_bound(prefix);
         it != from.forward.end() && it->first.starts_with(prefix); ++it) {
      mappings.push_back({.name = it->first, .uid = it->second});
    }
  }
  for (const UidMapping& mapping : mappings) {
    if (!visit(mapping)) break;
  }
  return absl::OkStatus();
}

absl::Status MemUidStore::ScanReverse(UidKind kind,
                                      const std::function<bool(const UidMapping&)>& visit) {
  std::vector<UidMapping> mappings;
  {
    MutexLock lock(&mutex_);
    HOURCELL_RETURN_IF_ERROR(CheckReadable());
    for (const auto& [uid, name] : at(kind).reverse) {
      mappings.push_back({.name = name, .uid = uid});
    }
  }
  for (const UidMapping& mapping : mappings) {
    if (!visit(mapping)) break;
  }
  return absl::OkStatus();
}

absl::Status MemUidStore::Commit(std::span<const UidChange> changes) {
  std::function<void()> hook;
  {
    MutexLock lock(&mutex_);
    hook = on_commit_;
  }
  if (hook) hook();

  MutexLock lock(&mutex_);
  if (commits_until_failure_ > 0 && --commits_until_failure_ == 0) {
    if (std::exchange(failure_is_there_, false)) {
      for (const UidChange& change : changes)
        Apply(change);
    }
    return absl::UnavailableError("commit fails for the test");
  }
  for (const UidChange& change : changes)
    Apply(change);
  ++commits_;
  last_commit_.assign(changes.begin(), changes.end());
  return absl::OkStatus();
}

void MemUidStore::FailCommit(int n) {
  MutexLock lock(&mutex_);
  commits_until_failure_ = n;
}

void MemUidStore::FailCommitThatIsThere(int n) {
  MutexLock lock(&mutex_);
  commits_until_failure_ = n;
  failure_is_there_ = true;
}

void MemUidStore::FailReads(bool fail) {
  MutexLock lock(&mutex_);
  reads_fail_ = fail;
}

void MemUidStore::DamageCounter(UidKind kind) {
  MutexLock lock(&mutex_);
  at(kind).counter_is_damaged = true;
}

void MemUidStore::OnCommit(std::function<void()> hook) {
  MutexLock lock(&mutex_);
  on_commit_ = std::move(hook);
}

void MemUidStore::OnRead(std::function<void()> hook) {
  MutexLock lock(&mutex_);
  on_read_ = std::move(hook);
}

void MemUidStore::SetForward(UidKind kind, std::string_view name, Uid uid) {
  ApplyOne({.what = What::kSetForward, .kind = kind, .uid = uid, .name = std::string(name)});
}

void MemUidStore::SetReverse(UidKind kind, Uid uid, std::string_view name) {
  ApplyOne({.what = What::kSetReverse, .kind = kind, .uid = uid, .name = std::string(name)});
}

void MemUidStore::SetCounter(UidKind kind, Uid uid) {
  ApplyOne({.what = What::kSetCounter, .kind = kind, .uid = uid, .name = {}});
}

size_t MemUidStore::commits() {
  MutexLock lock(&mutex_);
  return commits_;
}

size_t MemUidStore::reads() {
  MutexLock lock(&mutex_);
  return reads_;
}

size_t MemUidStore::seeks() {
  MutexLock lock(&mutex_);
  return seeks_;
}

std::vector<UidChange> MemUidStore::last_commit() {
  MutexLock lock(&mutex_);
  return last_commit_;
}

std::vector<UidMapping> MemUidStore::Forward(UidKind kind) {
  MutexLock lock(&mutex_);
  std::vector<UidMapping> mappings;
  for (const auto& [name, uid] : at(kind).forward)
    mappings.push_back({.name = name, .uid = uid});
  return mappings;
}

std::vector<UidMapping> MemUidStore::Reverse(UidKind kind) {
  MutexLock lock(&mutex_);
  std::vector<UidMapping> mappings;
  for (const auto& [uid, name] : at(kind).reverse)
    mappings.push_back({.name = name, .uid = uid});
  return mappings;
}

absl::Status MemUidStore::CheckReadable() {
  ++reads_;
  return reads_fail_ ? absl::UnavailableError("read fails for the test") : absl::OkStatus();
}

void MemUidStore::Apply(const UidChange& change) {
  PerKind& kind = at(change.kind);
  switch (change.what) {
    case What::kSetCounter:
      kind.counter = change.uid;
      kind.counter_is_damaged = false;
      return;
    case What::kSetReverse:
      kind.reverse[change.uid] = change.name;
      return;
    case What::kSetForward:
      kind.forward[change.name] = change.uid;
      return;
    case What::kDeleteForward:
      kind.forward.erase(change.name);
      return;
    case What::kDeleteReverse:
      kind.reverse.erase(change.uid);
      return;
  }
}

void MemUidStore::ApplyOne(const UidChange& change) {
  MutexLock lock(&mutex_);
  Apply(change);
}

}  // namespace hourcell
