#include "uid/uid_cache.h"

#include <algorithm>
#include <utility>

namespace hourcell {

UidCache::UidCache(size_t names_max) : generation_max_(std::max<size_t>(names_max / 2, 1)) {}

std::optional<Uid> UidCache::Find(std::string_view name) {
  std::optional<Uid> old;
  uint64_t erasures_seen = 0;
  {
    ReaderLock lock(&mutex_);
    if (const auto it = young_uids_.find(name); it != young_uids_.end()) {
      hits_.fetch_add(1, std::memory_order_relaxed);
      return it->second;
    }
    if (const auto it = old_uids_.find(name); it != old_uids_.end()) old = it->second;
    erasures_seen = erasures();
  }
  (old ? hits_ : misses_).fetch_add(1, std::memory_order_relaxed);
  if (old) FillUid(name, *old, erasures_seen);
  return old;
}

std::optional<std::string> UidCache::NameOf(Uid uid) {
  std::optional<std::string> old;
  uint64_t erasures_seen = 0;
  {
    ReaderLock lock(&mutex_);
    if (const auto it = young_names_.find(uid); it != young_names_.end()) {
      hits_.fetch_add(1, std::memory_order_relaxed);
      return it->second;
    }
    if (const auto it = old_names_.find(uid); it != old_names_.end()) old = it->second;
    erasures_seen = erasures();
  }
  (old ? hits_ : misses_).fetch_add(1, std::memory_order_relaxed);
  if (old) FillName(uid, *old, erasures_seen);
  return old;
}

void UidCache::Insert(std::string_view name, Uid uid) {
  UidMap dropped_uids;  // declared before the lock, so freed after it
  NameMap dropped_names;
  WriterLock lock(&mutex_);
  dropped_uids = InsertUidLocked(name, uid);
  dropped_names = InsertNameLocked(uid, name);
}

void UidCache::FillUid(std::string_view name, Uid uid, uint64_t erasures) {
  UidMap dropped;
  WriterLock lock(&mutex_);
  if (erasures_.load(std::memory_order_relaxed) == erasures) dropped = InsertUidLocked(name, uid);
}

void UidCache::FillName(Uid uid, std::string_view name, uint64_t erasures) {
  NameMap dropped;
  WriterLock lock(&mutex_);
  if (erasures_.load(std::memory_order_relaxed) == erasures) dropped = InsertNameLocked(uid, name);
}

void UidCache::Erase(std::string_view name, Uid uid) {
  WriterLock lock(&mutex_);
  erasures_.fetch_add(1, std::memory_order_release);
  if (const auto it = young_uids_.find(name); it != young_uids_.end()) young_uids_.erase(it);
  if (const auto it = old_uids_.find(name); it != old_uids_.end()) old_uids_.erase(it);
  young_names_.erase(uid);
  old_names_.erase(uid);
}

void UidCache::Clear() {
  UidMap dropped_uids[2];
  NameMap dropped_names[2];
  WriterLock lock(&mutex_);
  erasures_.fetch_add(1, std::memory_order_release);
  dropped_uids[0].swap(young_uids_);
  dropped_uids[1].swap(old_uids_);
  dropped_names[0].swap(young_names_);
  dropped_names[1].swap(old_names_);
}

size_t UidCache::size() {
  ReaderLock lock(&mutex_);
  return young_uids_.size() + old_uids_.size();
}

size_t UidCache::names_size() {
  ReaderLock lock(&mutex_);
  return young_names_.size() + old_names_.size();
}

UidCache::UidMap UidCache::InsertUidLocked(std::string_view name, Uid uid) {
  if (const auto it = young_uids_.find(name); it != young_uids_.end()) {
    it->second = uid;
    return {};
  }
  UidMap dropped;
  if (young_uids_.size() >= generation_max_) {
    dropped = std::exchange(old_uids_, std::exchange(young_uids_, UidMap{}));
  }
  if (const auto it = old_uids_.find(name); it != old_uids_.end()) old_uids_.erase(it);
  young_uids_.emplace(std::string(name), uid);
  return dropped;
}

UidCache::NameMap UidCache::InsertNameLocked(Uid uid, std::string_view name) {
  if (const auto it = young_names_.find(uid); it != young_names_.end()) {
    it->second = name;
    return {};
  }
  NameMap dropped;
  if (young_names_.size() >= generation_max_) {
    dropped = std::exchange(old_names_, std::exchange(young_names_, NameMap{}));
  }
  old_names_.erase(uid);
  young_names_.emplace(uid, std::string(name));
  return dropped;
}

}  // namespace hourcell
