#include "engine/hours/series_cache.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "codec/base/check.h"

// Why the key is the bytes of the series as the sender wrote them: a sender writes a series the
// same way every time, so a hit costs one hash and one comparison, and tags are neither split
// nor sorted. A hit compares all bytes, so two series are never confused. Rejected: the tsuid as
// key, which needs the UIDs that the cache saves; sorting tags before hashing, which every point
// would pay for the few senders that shuffle their tags (docs/decisions/0007).

namespace hourcell {
namespace {

// The cells of a table are at most so full, in eighths.
constexpr size_t kLoadEighths = 6;
constexpr size_t kCellsMin = 16;

// What is done with the lock held once: some tens of microseconds.
constexpr size_t kInsertsAtOnce = 64;
constexpr size_t kCellsAtOnce = 1024;

// The hand begins to turn when this share of the limit is left, and goes so many cells for each
// entry: while it goes around a table of which every entry was found, the table grows by a
// sixteenth, or by the share.
constexpr size_t kSpareShare = 16;
constexpr size_t kCellsAnInsert = 32;

uint64_t HashOf(std::string_view head, std::string_view tail) {
  return XXH3_64bits_withSeed(tail.data(), tail.size(), XXH3_64bits(head.data(), head.size()));
}

}  // namespace

Spelling SpellingOf(const LinePoint& point) {
  return {.head = point.metric,
          .tail = point.tags,
          .is_line = true,
          .hash = HashOf(point.metric, point.tags)};
}

size_t SpellingBytes(const PointView& point) {
  size_t bytes = point.metric.size();
  for (const TagView& tag : point.tags)
    bytes += 2 + tag.key.size() + tag.value.size();
  return bytes;
}

Spelling SpellingOf(const PointView& point, std::string* bytes) {
  HOURCELL_DCHECK(bytes->capacity() - bytes->size() >= SpellingBytes(point));
  // No legal name holds a zero byte, so two different points cannot have one spelling.
  const size_t begin = bytes->size();
  bytes->append(point.metric);
  for (const TagView& tag : point.tags) {
    bytes->push_back('\0');
    bytes->append(tag.key);
    bytes->push_back('\0');
    bytes->append(tag.value);
  }
  const std::string_view all = std::string_view(*bytes).substr(begin);
  return {.head = {}, .tail = all, .is_line = false, .hash = HashOf({}, all)};
}

// An entry and, after it in one piece of memory, its bytes.
struct SeriesCache::Entry {
  CachedSeries series;
  uint32_t head_size;
  uint32_t tail_size;
  bool is_line;
  std::atomic<bool> found;  // since the hand came by

  char* bytes() { return reinterpret_cast<char*>(this + 1); }
  size_t allocated() const { return sizeof(Entry) + head_size + tail_size; }

  bool Is(const Spelling& spelling) {
    return head_size == spelling.head.size() && tail_size == spelling.tail.size() &&
           is_line == spelling.is_line &&
           (tail_size == 0 ||
            std::memcmp(bytes() + head_size, spelling.tail.data(), tail_size) == 0) &&
           (head_size == 0 || std::memcmp(bytes(), spelling.head.data(), head_size) == 0);
  }

  // Asks for all the memory that Is will compare. REQUIRES: this is an entry; maybe another one's.
  void Prefetch(const Spelling& spelling) const {
    constexpr size_t kLineBytes = 64;
    const size_t size = sizeof(Entry) + spelling.head.size() + spelling.tail.size();
    const char* const begin = reinterpret_cast<const char*>(this);
    for (size_t at = 0; at < size; at += kLineBytes)
      __builtin_prefetch(begin + at);
  }

  Entry(const Spelling& spelling, const CachedSeries& of)
      : series(of),
        head_size(static_cast<uint32_t>(spelling.head.size())),
        tail_size(static_cast<uint32_t>(spelling.tail.size())),
        is_line(spelling.is_line),
        found(false) {
    if (head_size != 0) std::memcpy(bytes(), spelling.head.data(), head_size);
    if (tail_size != 0) std::memcpy(bytes() + head_size, spelling.tail.data(), tail_size);
  }

  static Entry* Make(const Spelling& spelling, const CachedSeries& series) {
    const size_t size = sizeof(Entry) + spelling.head.size() + spelling.tail.size();
    char* const memory = std::make_unique_for_overwrite<char[]>(size).release();
    return std::construct_at(reinterpret_cast<Entry*>(memory), spelling, series);
  }

  static void Free(Entry* entry) {
    const std::unique_ptr<char[]> memory(reinterpret_cast<char*>(entry));
  }
};

// Freed as bytes.
static_assert(std::is_trivially_destructible_v<std::atomic<bool>>);

SeriesCache::SeriesCache(size_t bytes_max) : bytes_max_(bytes_max) {}

SeriesCache::~SeriesCache() {
  WriterLock lock(&mutex_);
  FreeEntries(shards_);
}

SeriesCache::Entry* SeriesCache::FindLocked(const Spelling& spelling) {
  Shard& shard = shards_[ShardIndex(spelling.hash)];
  if (shard.cells.empty()) return nullptr;
  const size_t mask = shard.cells.size() - 1;
  for (size_t at = spelling.hash & mask;; at = (at + 1) & mask) {
    const Cell& cell = shard.cells[at];
    if (cell.entry == nullptr) return nullptr;
    if (cell.hash == spelling.hash && cell.entry->Is(spelling)) return cell.entry;
  }
}

void SeriesCache::FindAll(std::span<const Spelling> spellings, std::span<CachedSeries> found) {
  HOURCELL_DCHECK(spellings.size() == found.size());
  // So far ahead that the memory is there when it is needed.
  constexpr size_t kCellsAhead = 8;
  constexpr size_t kEntriesAhead = 4;
  uint64_t hits = 0;
  {
    ReaderLock lock(&mutex_);
    const auto cell_of = [this](const Spelling& spelling) ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
      const Shard& shard = shards_[ShardIndex(spelling.hash)];
      return shard.cells.empty() ? nullptr : &shard.cells[spelling.hash & (shard.cells.size() - 1)];
    };
    for (size_t i = 0; i < spellings.size(); ++i) {
      if (i + kCellsAhead < spellings.size()) {
        __builtin_prefetch(cell_of(spellings[i + kCellsAhead]));
      }
      if (i + kEntriesAhead < spellings.size()) {
        const Spelling& ahead = spellings[i + kEntriesAhead];
        const Cell* const cell = cell_of(ahead);
        if (cell != nullptr && cell->entry != nullptr) cell->entry->Prefetch(ahead);
      }
      Entry* const entry = FindLocked(spellings[i]);
      if (entry == nullptr) {
        found[i] = {};
        continue;
      }
      found[i] = entry->series;
      if (!entry->found.load(std::memory_order_relaxed)) {
        entry->found.store(true, std::memory_order_relaxed);
      }
      ++hits;
    }
  }
  hits_.fetch_add(hits, std::memory_order_relaxed);
  misses_.fetch_add(spellings.size() - hits, std::memory_order_relaxed);
}

void SeriesCache::InsertAll(std::span<const Spelling> spellings,
                            std::span<const CachedSeries> series,
                            uint64_t epoch) {
  HOURCELL_DCHECK(spellings.size() == series.size());
  for (size_t begin = 0; begin < spellings.size(); begin += kInsertsAtOnce) {
    const size_t end = std::min(spellings.size(), begin + kInsertsAtOnce);
    WriterLock lock(&mutex_);
    if (epoch != epoch_.load()) return;
    for (size_t i = begin; i < end; ++i)
      InsertLocked(spellings[i], series[i]);
    if (bytes() > bytes_max_ - bytes_max_ / kSpareShare) {
      EvictLocked((end - begin) * kCellsAnInsert);
    }
  }
}

void SeriesCache::InsertLocked(const Spelling& spelling, const CachedSeries& series) {
  if (Entry* const entry = FindLocked(spelling); entry != nullptr) {
    entry->series = series;
    return;
  }
  Shard& shard = shards_[ShardIndex(spelling.hash)];
  if ((shard.used + 1) * 8 > shard.cells.size() * kLoadEighths) GrowLocked(&shard);
  Entry* const entry = Entry::Make(spelling, series);
  const size_t mask = shard.cells.size() - 1;
  size_t at = spelling.hash & mask;
  while (shard.cells[at].entry != nullptr)
    at = (at + 1) & mask;
  shard.cells[at] = {.hash = spelling.hash, .entry = entry};
  ++shard.used;
  size_.fetch_add(1, std::memory_order_relaxed);
  bytes_.fetch_add(entry->allocated(), std::memory_order_relaxed);
}

void SeriesCache::GrowLocked(Shard* shard) {
  std::vector<Cell> cells(shard->cells.empty() ? kCellsMin : 2 * shard->cells.size());
  bytes_.fetch_add((cells.size() - shard->cells.size()) * sizeof(Cell), std::memory_order_relaxed);
  const size_t mask = cells.size() - 1;
  for (const Cell& cell : shard->cells) {
    if (cell.entry == nullptr) continue;
    size_t at = cell.hash & mask;
    while (cells[at].entry != nullptr)
      at = (at + 1) & mask;
    cells[at] = cell;
  }
  shard->cells = std::move(cells);
  ++shard->moves;
}

// Passes at most so many cells; those who wait for the lock wait no longer than for that. Above the
// limit nothing is spared: where all entries are found again between two turns of the hand, those
// it happens to come to go.
void SeriesCache::EvictLocked(size_t cells_max) {
  const size_t wanted = bytes_max_ - bytes_max_ / kSpareShare;
  size_t passed = 0;
  while (passed < cells_max && bytes() > wanted && size() > 1) {
    Shard& shard = shards_[hand_shard_];
    if (hand_cell_ >= shard.cells.size()) {
      hand_cell_ = 0;
      hand_shard_ = (hand_shard_ + 1) % kShards;
      ++passed;  // there are shards without cells
      continue;
    }
    ++passed;
    Entry* const entry = shard.cells[hand_cell_].entry;
    if (entry != nullptr &&
        (!entry->found.exchange(false, std::memory_order_relaxed) || bytes() > bytes_max_)) {
      EraseLocked(&shard, hand_cell_);
      evictions_.fetch_add(1, std::memory_order_relaxed);
    } else {
      ++hand_cell_;
    }
  }
  if (passed > longest_turn()) longest_turn_.store(passed, std::memory_order_relaxed);
}

// Closes the gap, so that no probe ends before what follows it.
void SeriesCache::EraseLocked(Shard* shard, size_t at) {
  bytes_.fetch_sub(shard->cells[at].entry->allocated(), std::memory_order_relaxed);
  size_.fetch_sub(1, std::memory_order_relaxed);
  Entry::Free(shard->cells[at].entry);
  --shard->used;
  ++shard->moves;
  const size_t mask = shard->cells.size() - 1;
  size_t gap = at;
  for (size_t next = (at + 1) & mask; shard->cells[next].entry != nullptr;
       next = (next + 1) & mask) {
    const size_t home = shard->cells[next].hash & mask;
    // It may move to the gap unless its home lies after the gap.
    if (((next - home) & mask) < ((next - gap) & mask)) continue;
    shard->cells[gap] = shard->cells[next];
    gap = next;
  }
  shard->cells[gap] = {};
}

void SeriesCache::FreeEntries(const Shards& shards) {
  for (const Shard& shard : shards) {
    for (const Cell& cell : shard.cells)
      Entry::Free(cell.entry);
  }
}

// Millions of entries are freed without the lock: nobody keeps a pointer to one.
void SeriesCache::Clear() {
  Shards old;
  {
    WriterLock lock(&mutex_);
    epoch_.fetch_add(1);
    old.swap(shards_);
    size_.store(0);
    bytes_.store(0);
  }
  FreeEntries(old);
}

void SeriesCache::Forget(const std::function<bool(SeriesNumber)>& is_gone) {
  {
    WriterLock lock(&mutex_);
    epoch_.fetch_add(1);
  }
  for (size_t i = 0; i < kShards; ++i)
    ForgetIn(i, is_gone);
}

// Anew from its first cell if entries were moved between two steps: one may have come past it.
void SeriesCache::ForgetIn(size_t shard_index, const std::function<bool(SeriesNumber)>& is_gone) {
  uint64_t moves = 0;
  size_t at = 0;
  bool is_done = false;
  while (!is_done) {
    WriterLock lock(&mutex_);
    Shard& shard = shards_[shard_index];
    if (shard.moves != moves) at = 0;
    const size_t end = std::min(shard.cells.size(), at + kCellsAtOnce);
    while (at < end) {
      Entry* const entry = shard.cells[at].entry;
      if (entry != nullptr && is_gone(entry->series.number)) {
        EraseLocked(&shard, at);  // what closes the gap is looked at next
      } else {
        ++at;
      }
    }
    moves = shard.moves;
    is_done = at >= shard.cells.size();
  }
}

}  // namespace hourcell
