// UidCache: both directions of one kind, each at most `names_max` entries (but at least two). Two
// generations a direction: when the young one holds half of the limit it becomes the old one, and
// the old one is dropped; a hit in the old one moves the entry to the young. So what is used stays,
// in O(1), without a list to maintain on every hit. Thread-safe.
//
// Filling it from a read needs care: between the read and the fill the mapping can be renamed or
// deleted, and a late fill would bring it back for good. So a reader notes erasures() before it
// reads, and its fill does nothing if there was an erasure since.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>

#include "codec/base/mutex.h"
#include "codec/base/strings.h"
#include "codec/rows/uid.h"

namespace hourcell {

class UidCache {
 public:
  explicit UidCache(size_t names_max);

  // Names are stored bytes. Find does not allocate when the entry is young.
  std::optional<Uid> Find(std::string_view name);
  std::optional<std::string> NameOf(Uid uid);

  // Both directions. The caller knows them to be true now.
  void Insert(std::string_view name, Uid uid);

  // One direction each, as read from the store after erasures() returned `erasures`.
  void FillUid(std::string_view name, Uid uid, uint64_t erasures);
  void FillName(Uid uid, std::string_view name, uint64_t erasures);

  void Erase(std::string_view name, Uid uid);
  void Clear();

  // Grows with each Erase and Clear.
  uint64_t erasures() const { return erasures_.load(std::memory_order_acquire); }

  size_t size();        // entries name -> UID
  size_t names_size();  // entries UID -> name
  uint64_t hits() const { return hits_.load(std::memory_order_relaxed); }
  uint64_t misses() const { return misses_.load(std::memory_order_relaxed); }

 private:
  using UidMap = StringMap<Uid>;
  using NameMap = absl::flat_hash_map<Uid, std::string>;

  // Returns the generation that was dropped, for the caller to free after it unlocks: freeing half
  // a million names takes tens of milliseconds.
  UidMap InsertUidLocked(std::string_view name, Uid uid) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  NameMap InsertNameLocked(Uid uid, std::string_view name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t generation_max_;
  SharedMutex mutex_;
  UidMap young_uids_ ABSL_GUARDED_BY(mutex_);
  UidMap old_uids_ ABSL_GUARDED_BY(mutex_);
  NameMap young_names_ ABSL_GUARDED_BY(mutex_);
  NameMap old_names_ ABSL_GUARDED_BY(mutex_);
  std::atomic<uint64_t> erasures_{0};  // written under mutex_
  std::atomic<uint64_t> hits_{0};
  std::atomic<uint64_t> misses_{0};
};

}  // namespace hourcell
