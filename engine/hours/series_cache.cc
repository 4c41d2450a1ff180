#include "engine/hours/series_cache.h"

#include <algorithm>
#include <bit>
#include <memory>
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

// The highest load of a table's cells, in eighths.
constexpr size_t kLoadEighths = 6;
constexpr size_t kCellsMin = 16;

// Work done with the lock held once: some tens of microseconds.
constexpr size_t kInsertsAtOnce = 64;
constexpr size_t kCellsAtOnce = 1024;

// The hand begins to turn when this share of the limit is left, and passes this many cells for each
// insert: while it goes around a table whose entries were all found, the table grows by a
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
          // Tags that begin with the separator have the spelling of a PointView's.
          .is_line = !point.has_any_names,
          .hash = HashOf(point.metric, point.tags)};
}

size_t SpellingBytes(const PointView& point) {
  size_t bytes = 0;
  for (const TagView& tag : point.tags)
    bytes += 2 + tag.key.size() + tag.value.size();
  return bytes;
}

Spelling SpellingOf(const PointView& point, std::string* bytes) {
  HOURCELL_DCHECK(bytes->capacity() - bytes->size() >= SpellingBytes(point));
  // No legal name holds such a byte, so two different points cannot have one spelling. A point
  // that may have any names is apart from one that may not: the latter must not find it.
  const char separator = point.has_any_names ? kTagSeparator : '\0';
  const size_t begin = bytes->size();
  for (const TagView& tag : point.tags) {
    bytes->push_back(separator);
    bytes->append(tag.key);
    bytes->push_back(separator);
    bytes->append(tag.value);
  }
  const std::string_view tags = std::string_view(*bytes).substr(begin);
  return {.head = point.metric, .tail = tags, .is_line = false, .hash = HashOf(point.metric, tags)};
}

SeriesCache::SeriesCache(size_t bytes_max)
    : bytes_max_(bytes_max), content_(std::make_unique<Content>()) {}

SeriesCache::~SeriesCache() = default;

uint32_t SeriesCache::FindIn(const Content& content, const Spelling& spelling) {
  const Shard& shard = content.shards[ShardIndex(spelling.hash)];
  if (shard.cells.empty()) return 0;
  const size_t mask = shard.cells.size() - 1;
  const auto hash = static_cast<uint32_t>(spelling.hash);
  for (size_t at = spelling.hash & mask;; at = (at + 1) & mask) {
    const Cell& cell = shard.cells[at];
    if (cell.entry == 0) return 0;
    if (cell.hash == hash && content.entry(cell.entry).Is(spelling)) return cell.entry;
  }
}

// Prefetches the memory that the next spellings will be compared with, early enough to be there
// when needed: the cell, then the entry of the cell, then the text of the entry.
void SeriesCache::Prefetch(const Content& content,
                           std::span<const Spelling> spellings,
                           size_t next) {
  constexpr size_t kCellsAhead = 12;
  constexpr size_t kEntriesAhead = 8;
  constexpr size_t kTextsAhead = 4;
  constexpr size_t kLineBytes = 64;
  const auto cell_of = [&content](const Spelling& spelling) -> const Cell* {
    const Shard& shard = content.shards[ShardIndex(spelling.hash)];
    return shard.cells.empty() ? nullptr : &shard.cells[spelling.hash & (shard.cells.size() - 1)];
  };
  if (next + kCellsAhead < spellings.size()) {
    __builtin_prefetch(cell_of(spellings[next + kCellsAhead]));
  }
  if (next + kEntriesAhead < spellings.size()) {
    const Cell* const cell = cell_of(spellings[next + kEntriesAhead]);
    if (cell != nullptr && cell->entry != 0) __builtin_prefetch(&content.entry(cell->entry));
  }
  if (next + kTextsAhead < spellings.size()) {
    const Spelling& spelling = spellings[next + kTextsAhead];
    const Cell* const cell = cell_of(spelling);
    if (cell == nullptr || cell->entry == 0) return;
    // The string may be another one and shorter: prefetching bytes after its end does no harm.
    const char* const text = content.entry(cell->entry).tail->data();
    for (size_t at = 0; at < spelling.tail.size(); at += kLineBytes)
      __builtin_prefetch(text + at);
  }
}

void SeriesCache::FindAll(std::span<const Spelling> spellings, std::span<CachedSeries> found) {
  HOURCELL_DCHECK(spellings.size() == found.size());
  uint64_t hits = 0;
  {
    ReaderLock lock(&mutex_);
    const Content& content = *content_;
    for (size_t i = 0; i < spellings.size(); ++i) {
      Prefetch(content, spellings, i);
      const uint32_t number = FindIn(content, spellings[i]);
      if (number == 0) {
        found[i] = {};
        continue;
      }
      Entry& entry = content.entry(number);
      found[i] = {.number = entry.number, .slot = entry.slot};
      if (!entry.found.load(std::memory_order_relaxed)) {
        entry.found.store(true, std::memory_order_relaxed);
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
  if (const uint32_t number = FindIn(*content_, spelling); number != 0) {
    Entry& entry = content_->entry(number);
    entry.number = series.number;
    entry.slot = series.slot;
    return;
  }
  Shard& shard = content_->shards[ShardIndex(spelling.hash)];
  if ((shard.used + 1) * 8 > shard.cells.size() * kLoadEighths) GrowLocked(&shard);
  const size_t mask = shard.cells.size() - 1;
  size_t at = spelling.hash & mask;
  while (shard.cells[at].entry != 0)
    at = (at + 1) & mask;
  shard.cells[at] = {.hash = static_cast<uint32_t>(spelling.hash),
                     .entry = MakeEntryLocked(spelling, series)};
  ++shard.used;
  CountBytesLocked();
}

uint32_t SeriesCache::MakeEntryLocked(const Spelling& spelling, const CachedSeries& series) {
  HOURCELL_DCHECK(series.number != 0);
  Content& content = *content_;
  uint32_t number = content.entries;
  if (!content.free.empty()) {
    number = content.free.back();
    content.free.pop_back();
  } else {
    if (number >> kPieceBits >= content.pieces.size()) {
      content.pieces.push_back(std::make_unique<Entry[]>(kPieceEntries));
    }
    ++content.entries;
  }
  Entry& entry = content.entry(number);
  entry.number = series.number;
  entry.slot = series.slot;
  entry.is_line = spelling.is_line;
  entry.found.store(false, std::memory_order_relaxed);
  entry.head = content.texts.Take(spelling.head);
  entry.tail = content.texts.Take(spelling.tail);
  return number;
}

void SeriesCache::CountBytesLocked() {
  const size_t used = content_->used();
  size_.store(used, std::memory_order_relaxed);
  bytes_.store(content_->cells * sizeof(Cell) + used * sizeof(Entry) + content_->texts.bytes(),
               std::memory_order_relaxed);
}

void SeriesCache::GrowLocked(Shard* shard) {
  std::vector<Cell> cells(shard->cells.empty() ? kCellsMin : 2 * shard->cells.size());
  HOURCELL_DCHECK(std::has_single_bit(cells.size()));  // places are masked
  content_->cells += cells.size() - shard->cells.size();
  const size_t mask = cells.size() - 1;
  for (const Cell& cell : shard->cells) {
    if (cell.entry == 0) continue;
    size_t at = cell.hash & mask;
    while (cells[at].entry != 0)
      at = (at + 1) & mask;
    cells[at] = cell;
  }
  shard->cells = std::move(cells);
  ++shard->moves;
}

// Passes at most `cells_max` cells, so that threads wait for the lock no longer than for that.
// Above the limit nothing is spared: if all entries are found again between two turns of the hand,
// it evicts those it passes.
void SeriesCache::EvictLocked(size_t cells_max) {
  const size_t wanted = bytes_max_ - bytes_max_ / kSpareShare;
  size_t passed = 0;
  while (passed < cells_max && bytes() > wanted && size() > 1) {
    Shard& shard = content_->shards[hand_shard_];
    if (hand_cell_ >= shard.cells.size()) {
      hand_cell_ = 0;
      hand_shard_ = (hand_shard_ + 1) % kShards;
      ++passed;  // there are shards without cells
      continue;
    }
    ++passed;
    const uint32_t number = shard.cells[hand_cell_].entry;
    if (number != 0 && (!content_->entry(number).found.exchange(false, std::memory_order_relaxed) ||
                        bytes() > bytes_max_)) {
      EraseLocked(&shard, hand_cell_);
      evictions_.fetch_add(1, std::memory_order_relaxed);
    } else {
      ++hand_cell_;
    }
  }
  if (passed > longest_turn()) longest_turn_.store(passed, std::memory_order_relaxed);
}

// Closes the gap, so that every probe still reaches the cells after it.
void SeriesCache::EraseLocked(Shard* shard, size_t at) {
  HOURCELL_DCHECK(shard->used > 0 && shard->cells[at].entry != 0);
  const uint32_t number = shard->cells[at].entry;
  const Entry& entry = content_->entry(number);
  content_->texts.Release(entry.head);
  content_->texts.Release(entry.tail);
  content_->free.push_back(number);
  CountBytesLocked();
  --shard->used;
  ++shard->moves;
  const size_t mask = shard->cells.size() - 1;
  size_t gap = at;
  for (size_t next = (at + 1) & mask; shard->cells[next].entry != 0; next = (next + 1) & mask) {
    const size_t home = shard->cells[next].hash & mask;
    // It may move to the gap unless its home lies after the gap.
    if (((next - home) & mask) < ((next - gap) & mask)) continue;
    shard->cells[gap] = shard->cells[next];
    gap = next;
  }
  shard->cells[gap] = {};
}

// Millions of entries are freed without the lock: no pointers to entries are kept.
void SeriesCache::Clear() {
  auto old = std::make_unique<Content>();
  WriterLock lock(&mutex_);
  epoch_.fetch_add(1);
  old.swap(content_);
  CountBytesLocked();
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
    Shard& shard = content_->shards[shard_index];
    if (shard.moves != moves) at = 0;
    const size_t end = std::min(shard.cells.size(), at + kCellsAtOnce);
    while (at < end) {
      const uint32_t number = shard.cells[at].entry;
      if (number != 0 && is_gone(content_->entry(number).number)) {
        EraseLocked(&shard, at);  // the cell that closes the gap is looked at next
      } else {
        ++at;
      }
    }
    moves = shard.moves;
    is_done = at >= shard.cells.size();
  }
}

}  // namespace hourcell
