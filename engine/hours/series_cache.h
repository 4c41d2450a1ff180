// SeriesCache: the bytes a series was spelled with -> the series. A hit saves splitting the tags,
// the UIDs, the sorting and the series lookup.
//
// A spelling is a pair of byte strings: the metric and the rest of a line, or the metric of a
// PointView and its tags put one after the other. Another order of tags, or other blanks, is
// another entry of the same series; only spellings of legal names are ever inserted. Each of the
// two strings is kept once, however many entries use it: the metrics of a host have its tags in
// common.
//
// Bounded in bytes, but for a moment when its tables double. When it is nearly full, the hand of a
// clock evicts the entries that were not found since it last passed; it moves a few cells for each
// entry that is inserted, so that no thread waits for a full turn. Clear starts a new epoch, and an
// Insert of an older epoch is dropped, so that a lookup that raced with a rename leaves no entry.
//
// Thread-safe. A FindAll holds one lock for all it looks up; an InsertAll holds it for a few
// entries at a time, so that lookups can run between them.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/mutex.h"
#include "codec/point.h"
#include "engine/hours/spelling_texts.h"
#include "engine/rows/series_key.h"

namespace hourcell {

struct Spelling {
  std::string_view head;  // the metric
  std::string_view tail;  // of a line: its tags, unchanged; else each name after a zero byte
  bool is_line = false;
  uint64_t hash = 0;
};

// The spelling of a line's series.
Spelling SpellingOf(const LinePoint& point);
// The spelling of a point in parts, which borrows the metric. The bytes of its tags are appended to
// `*bytes`, which it borrows, too.
// REQUIRES: `*bytes` has capacity for SpellingBytes(point) more.
Spelling SpellingOf(const PointView& point, std::string* bytes);
size_t SpellingBytes(const PointView& point);

// A series as the write path needs it. `slot` is where its lane keeps it, if it still does.
struct CachedSeries {
  SeriesNumber number = 0;  // 0: none; numbers begin at 1
  uint32_t slot = 0;
  friend bool operator==(const CachedSeries&, const CachedSeries&) = default;
};

class SeriesCache {
 public:
  explicit SeriesCache(size_t bytes_max);
  ~SeriesCache();
  SeriesCache(const SeriesCache&) = delete;
  SeriesCache& operator=(const SeriesCache&) = delete;

  // found[i] is the series of spellings[i], or number 0. REQUIRES: as many of both.
  void FindAll(std::span<const Spelling> spellings, std::span<CachedSeries> found);

  uint64_t epoch() const { return epoch_.load(); }
  void Insert(const Spelling& spelling, const CachedSeries& series, uint64_t epoch) {
    InsertAll({&spelling, 1}, {&series, 1}, epoch);
  }
  // series[i] for spellings[i]. REQUIRES: as many of both.
  void InsertAll(std::span<const Spelling> spellings,
                 std::span<const CachedSeries> series,
                 uint64_t epoch);
  void Clear();

  // Forgets the entries of series for which `is_gone` returns true, a thousand cells of a table at
  // a time; and, as Clear does, drops later inserts of earlier lookups. `is_gone` is called with
  // the lock held.
  void Forget(const std::function<bool(SeriesNumber)>& is_gone);

  size_t size() const { return size_.load(std::memory_order_relaxed); }
  // The memory of entries and tables.
  size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  uint64_t hits() const { return hits_.load(std::memory_order_relaxed); }
  uint64_t misses() const { return misses_.load(std::memory_order_relaxed); }
  uint64_t evictions() const { return evictions_.load(std::memory_order_relaxed); }
  // The most cells that the hand passed while one lock was held.
  uint64_t longest_turn() const { return longest_turn_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    SeriesNumber number = 0;
    uint32_t slot = 0;
    bool is_line = false;
    std::atomic<bool> found = false;  // since the hand came by
    const SpellingTexts::Text* head = nullptr;
    const SpellingTexts::Text* tail = nullptr;

    bool Is(const Spelling& spelling) const {
      return is_line == spelling.is_line && tail->Is(spelling.tail) && head->Is(spelling.head);
    }
  };
  struct Cell {
    uint32_t hash = 0;   // the lower half of the entry's
    uint32_t entry = 0;  // its number; 0: none
  };
  // Many small tables, so that growing one is quick.
  struct Shard {
    std::vector<Cell> cells;  // their number is a power of two, or 0
    size_t used = 0;
    uint64_t moves = 0;  // how often entries went to other cells
  };

  static constexpr unsigned kShardBits = 6;
  static constexpr unsigned kShardShift = 64 - kShardBits;
  static constexpr size_t kShards = size_t{1} << kShardBits;
  static constexpr unsigned kPieceBits = 10;
  static constexpr size_t kPieceEntries = size_t{1} << kPieceBits;

  struct Content {
    std::array<Shard, kShards> shards;
    size_t cells = 0;  // of all shards
    // Entries in pieces, so that adding some moves none. Entry 0 is unused.
    std::vector<std::unique_ptr<Entry[]>> pieces;
    uint32_t entries = 1;        // of the pieces, used or free
    std::vector<uint32_t> free;  // the numbers of unused entries
    SpellingTexts texts;

    Entry& entry(uint32_t number) const {
      return pieces[number >> kPieceBits][number & (kPieceEntries - 1)];
    }
    size_t used() const { return entries - 1 - free.size(); }
  };

  static size_t ShardIndex(uint64_t hash) { return hash >> kShardShift; }
  // The number of the entry; 0: none.
  static uint32_t FindIn(const Content& content, const Spelling& spelling);
  static void Prefetch(const Content& content, std::span<const Spelling> spellings, size_t next);
  void InsertLocked(const Spelling& spelling, const CachedSeries& series)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  uint32_t MakeEntryLocked(const Spelling& spelling, const CachedSeries& series)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ForgetIn(size_t shard_index, const std::function<bool(SeriesNumber)>& is_gone);
  void GrowLocked(Shard* shard) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EvictLocked(size_t cells_max) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EraseLocked(Shard* shard, size_t at) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CountBytesLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t bytes_max_;
  SharedMutex mutex_;
  std::unique_ptr<Content> content_ ABSL_GUARDED_BY(mutex_) ABSL_PT_GUARDED_BY(mutex_);
  size_t hand_shard_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t hand_cell_ ABSL_GUARDED_BY(mutex_) = 0;
  std::atomic<uint64_t> epoch_{0};
  std::atomic<size_t> size_{0};
  std::atomic<size_t> bytes_{0};
  std::atomic<uint64_t> hits_{0};
  std::atomic<uint64_t> misses_{0};
  std::atomic<uint64_t> evictions_{0};
  std::atomic<uint64_t> longest_turn_{0};
};

}  // namespace hourcell
