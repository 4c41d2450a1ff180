// UidCache: both directions of one kind, each at most `names_max` entries (but at least two). Two
// generations: when a direction of the young one holds half of the limit, it becomes the old one,
// and the previous old one is dropped; a hit in the old one moves the entry to the young. Used
// entries thus stay, in O(1), without a list to maintain on every hit. Thread-safe.
//
// Filling it from a read needs care: between the read and the fill the mapping can be renamed or
// deleted, and a late fill would restore it permanently. So a reader notes erasures() before it
// reads, and its fill does nothing if there was an erasure since.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "codec/base/mutex.h"
#include "codec/rows/uid.h"
#include "uid/uid_names.h"

namespace hourcell {

class UidCache {
 public:
  explicit UidCache(size_t names_max);

  // Names are stored bytes. Find does not allocate when the entry is young. Names over
  // UidNames::kNameBytesMax are never found.
  std::optional<Uid> Find(std::string_view name);
  std::optional<std::string> NameOf(Uid uid);

  // Inserts both directions. REQUIRES: the caller knows them to be true now.
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
  // Moves the old generation's entries of the name and the UID to the young one, unless there was
  // an erasure since `erasures`.
  void Renew(std::string_view name, Uid uid, uint64_t erasures);
  // Makes room for one more entry. Returns the dropped generation, which the caller frees after it
  // unlocks: freeing half a million names takes milliseconds.
  std::unique_ptr<UidNames> MakeRoomLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t generation_max_;
  SharedMutex mutex_;
  std::unique_ptr<UidNames> young_ ABSL_GUARDED_BY(mutex_) = std::make_unique<UidNames>();
  std::unique_ptr<UidNames> old_ ABSL_GUARDED_BY(mutex_) = std::make_unique<UidNames>();
  std::atomic<uint64_t> erasures_{0};  // written under mutex_
  std::atomic<uint64_t> hits_{0};
  std::atomic<uint64_t> misses_{0};
};

}  // namespace hourcell
