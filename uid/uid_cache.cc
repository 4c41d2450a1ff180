#include "uid/uid_cache.h"

#include <algorithm>
#include <utility>

#include "codec/base/check.h"

namespace hourcell {

UidCache::UidCache(size_t names_max) : generation_max_(std::max<size_t>(names_max / 2, 1)) {}

std::optional<Uid> UidCache::Find(std::string_view name) {
  std::optional<Uid> old;
  uint64_t erasures_seen = 0;
  {
    ReaderLock lock(&mutex_);
    if (const std::optional<Uid> young = young_->UidOf(name)) {
      hits_.fetch_add(1, std::memory_order_relaxed);
      return young;
    }
    old = old_->UidOf(name);
    erasures_seen = erasures();
  }
  (old ? hits_ : misses_).fetch_add(1, std::memory_order_relaxed);
  if (old) Renew(name, *old, erasures_seen);
  return old;
}

std::optional<std::string> UidCache::NameOf(Uid uid) {
  std::optional<std::string> old;
  uint64_t erasures_seen = 0;
  {
    ReaderLock lock(&mutex_);
    if (const std::optional<std::string_view> young = young_->NameOf(uid)) {
      hits_.fetch_add(1, std::memory_order_relaxed);
      return std::string(*young);
    }
    if (const std::optional<std::string_view> name = old_->NameOf(uid)) old.emplace(*name);
    erasures_seen = erasures();
  }
  (old ? hits_ : misses_).fetch_add(1, std::memory_order_relaxed);
  if (old) Renew(*old, uid, erasures_seen);
  return old;
}

// Moves both directions at once if both are known, so that the young generation keeps the name
// once.
void UidCache::Renew(std::string_view name, Uid uid, uint64_t erasures) {
  std::unique_ptr<UidNames> dropped;  // declared before the lock, so freed after it
  WriterLock lock(&mutex_);
  if (erasures_.load(std::memory_order_relaxed) != erasures) return;
  const bool has_uid = old_->UidOf(name) == uid;
  const bool has_name = old_->NameOf(uid) == name;
  if (!has_uid && !has_name) return;  // another thread moved it
  if (has_uid) old_->EraseUid(name);
  if (has_name) old_->EraseName(uid);
  dropped = MakeRoomLocked();
  // Entries inserted meanwhile are newer, and stay.
  if (has_uid && !young_->UidOf(name)) {
    if (has_name && !young_->NameOf(uid)) return young_->SetBoth(name, uid);
    return young_->SetUid(name, uid);
  }
  if (has_name && !young_->NameOf(uid)) young_->SetName(uid, name);
}

void UidCache::Insert(std::string_view name, Uid uid) {
  HOURCELL_DCHECK(uid != kNoUid);
  std::unique_ptr<UidNames> dropped;
  WriterLock lock(&mutex_);
  if (!young_->UidOf(name) || !young_->NameOf(uid)) dropped = MakeRoomLocked();
  old_->EraseUid(name);
  old_->EraseName(uid);
  young_->SetBoth(name, uid);
}

void UidCache::FillUid(std::string_view name, Uid uid, uint64_t erasures) {
  std::unique_ptr<UidNames> dropped;
  WriterLock lock(&mutex_);
  if (erasures_.load(std::memory_order_relaxed) != erasures) return;
  if (!young_->UidOf(name)) dropped = MakeRoomLocked();
  old_->EraseUid(name);
  young_->SetUid(name, uid);
}

void UidCache::FillName(Uid uid, std::string_view name, uint64_t erasures) {
  std::unique_ptr<UidNames> dropped;
  WriterLock lock(&mutex_);
  if (erasures_.load(std::memory_order_relaxed) != erasures) return;
  if (!young_->NameOf(uid)) dropped = MakeRoomLocked();
  old_->EraseName(uid);
  young_->SetName(uid, name);
}

void UidCache::Erase(std::string_view name, Uid uid) {
  WriterLock lock(&mutex_);
  erasures_.fetch_add(1, std::memory_order_release);
  for (UidNames* const names : {young_.get(), old_.get()}) {
    names->EraseUid(name);
    names->EraseName(uid);
  }
}

void UidCache::Clear() {
  auto young = std::make_unique<UidNames>();  // frees the swapped-out generation after the lock
  auto old = std::make_unique<UidNames>();
  WriterLock lock(&mutex_);
  erasures_.fetch_add(1, std::memory_order_release);
  young_.swap(young);
  old_.swap(old);
}

size_t UidCache::size() {
  ReaderLock lock(&mutex_);
  return young_->uids_size() + old_->uids_size();
}

size_t UidCache::names_size() {
  ReaderLock lock(&mutex_);
  return young_->names_size() + old_->names_size();
}

// Also counts all entries ever kept: replaced and erased ones still occupy their bytes.
std::unique_ptr<UidNames> UidCache::MakeRoomLocked() {
  const bool is_full = young_->uids_size() >= generation_max_ ||
                       young_->names_size() >= generation_max_ ||
                       young_->kept() >= 2 * generation_max_;
  if (!is_full) return nullptr;
  std::unique_ptr<UidNames> dropped = std::exchange(old_, std::move(young_));
  young_ = std::make_unique<UidNames>();
  return dropped;
}

}  // namespace hourcell
