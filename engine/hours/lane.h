// Lane: one shard of ingest: the open hours of its series, and its section of the next journal
// block.
//
// A series belongs to one lane, by its number. A point is appended to the open hour of its series
// and to the lane's section of the next journal block under one lock, so that a replay in the
// journal's order gives the open hours again, last write winning.
//
// An hour is open -> sealing (frozen; its points are on their way into a cell; points that come now
// open a new hour of the same base time after it) -> sealed (the cell is visible; memory is kept
// while reads need it) -> gone. Hours of one series and base time are sealed in the order they were
// opened. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>

#include "codec/base/mutex.h"
#include "codec/cells/cell.h"
#include "codec/point.h"
#include "engine/hours/journal_payload.h"
#include "engine/hours/open_hour_points.h"
#include "engine/rows/series_key.h"

namespace hourcell {

// A point that has its series.
struct PlacedPoint {
  SeriesNumber series = 0;
  uint32_t slot = 0;  // where the lane kept the series last; checked
  Timestamp time;
  Value value;
};

// An hour as the sealer chooses among them.
struct OpenHourInfo {
  SeriesNumber series = 0;
  uint32_t slot = 0;
  uint32_t base_time_s = 0;
  uint32_t touched_s = 0;    // when the last append was, by the monotonic clock
  uint32_t bytes = 0;        // in memory
  uint64_t first_block = 0;  // the journal block its first point is in, or will be
};

// A point of an open hour.
struct OpenPoint {
  int64_t ms = 0;  // since 1970
  Value value;
  friend bool operator==(const OpenPoint&, const OpenPoint&) = default;
};

// An hour in a lane, under the lane's lock.
struct LaneHour {
  enum class State : uint8_t { kOpen, kSealing, kSealed };

  uint32_t base_time_s = 0;
  uint32_t touched_s = 0;
  uint64_t first_block = 0;
  uint64_t last_block = 0;  // of a replay: no block after it has points of the hour
  uint64_t sealed_at = 0;
  State state = State::kOpen;
  uint32_t turn = 0;  // counts the hours of this series and base time in the order they were opened
  OpenHourPoints points;

  // Orders the hours of a series.
  uint64_t key() const { return KeyOf(base_time_s, turn); }
  static uint64_t KeyOf(uint64_t base_time_s, uint32_t turn) { return base_time_s << 32 | turn; }
  // The instant's place in the hour, an hour or more if it is in another one.
  uint64_t OffsetMs(int64_t ms) const {
    return static_cast<uint64_t>(ms - int64_t{base_time_s} * 1000);
  }
  size_t allocated() const { return sizeof(LaneHour) + points.allocated_bytes(); }
  // False if the snapshot of a read that pinned then has the hour's cell.
  bool IsShownAt(uint64_t pinned_at) const {
    return state != State::kSealed || sealed_at >= pinned_at;
  }
};

// A frozen hour. The stream may be read without a lock until Lane::Sealed or Lane::Thaw.
struct FrozenHour {
  OpenHourInfo info;
  const OpenHourPoints* points = nullptr;
  LaneHour* hour = nullptr;  // for the lane
};

// An hour that a lane opened for a series.
struct OpenedHour {
  SeriesNumber series = 0;
  uint32_t base_time_s = 0;
};

// An hour whose points are in the journal once more, from block `block` on.
struct CopiedHour {
  LaneHour* hour = nullptr;
  uint64_t block = 0;
};

class Lane {
 public:
  Lane() = default;
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // The slot of a series, made if it is missing. If the lane did not know the series and
  // `definition` is given, it goes into the journal, before any point.
  uint32_t Attach(SeriesNumber series, const SeriesDefinition* definition);

  // Forgets a series without hours; false if it has some.
  bool Detach(SeriesNumber series);

  // Appends points of this lane's series, corrects their slots, and returns the number of the
  // journal block that will have the last point once it is written. Adds to `*bytes` the memory
  // taken. `now_s` is of the monotonic clock.
  uint64_t Append(std::span<PlacedPoint> points, uint32_t now_s, int64_t* bytes);

  // The same for points that are in the journal already, in blocks of [first_block, last_block].
  void Replay(std::span<PlacedPoint> points,
              uint64_t first_block,
              uint64_t last_block,
              uint32_t now_s,
              int64_t* bytes);

  // Takes the section for block `next_block` - 1; later points are for `next_block`. `*log` gets
  // the section; its old buffer is cleared and used for the next section.
  void TakeLog(uint64_t next_block, JournalPayloadWriter* log);

  // Appends to `*opened` the hours that were opened since the call before, in that order.
  void TakeOpened(std::vector<OpenedHour>* opened);

  // Calls `visit` for every hour that is open.
  void VisitOpen(const std::function<void(const OpenHourInfo&)>& visit);

  // Freezes hours that VisitOpen showed, but for those that are gone since. Appends to `*frozen`.
  void Freeze(std::span<const OpenHourInfo> hours, std::vector<FrozenHour>* frozen);

  // The cells of these hours are visible since `time` (of ReadPins), which is at least the time of
  // the call before. Then the same as Reap.
  int64_t Sealed(std::span<const FrozenHour> hours, uint64_t time, uint64_t oldest_read);

  // Sealing failed: the hours are open again, after those that were opened meanwhile or not.
  void Thaw(std::span<const FrozenHour> hours);

  // Sealed for all open hours that came by Replay and whose points are all in blocks before
  // `low_mark`: another process sealed them.
  int64_t SealedBelow(uint64_t low_mark, uint64_t time, uint64_t oldest_read);

  // Frees sealed hours that no read from `oldest_read` on needs; returns how many bytes. Looks at
  // no other hours.
  int64_t Reap(uint64_t oldest_read);

  // Appends the points of hours that VisitOpen showed to the section of the next journal block once
  // more, in the order they came. So a replay that begins at that block has all these points,
  // before later ones. Appends to `*copied`; returns how many bytes the section grew by. An hour
  // that is gone is left out.
  size_t CopyToLog(std::span<const OpenHourInfo> hours, std::vector<CopiedHour>* copied);

  // The copies are in the journal and synced: the hours need no block before them. REQUIRES: none
  // of the hours was frozen since CopyToLog.
  void CopiesAreSynced(std::span<const CopiedHour> copied);

  // The first journal block that an hour which is not sealed needs; UINT64_MAX if none does.
  uint64_t OldestBlock();

  // Calls `visit(base_time_s, columns)` for each hour of a series with a base time in [begin_s,
  // end_s), ascending, its points sorted and the last write of an instant kept. Under the lane's
  // lock. Hours that were sealed before `pinned_at`, the time of the read's pin, are left out: its
  // snapshot has their cells. False if no hour was found.
  bool Read(SeriesNumber series,
            uint64_t begin_s,
            uint64_t end_s,
            uint64_t pinned_at,
            const std::function<void(uint32_t base_time_s, const CellColumns& columns)>& visit);

  // The last point of a series in [from_ms, until_ms] that Read would show; false if it would show
  // none.
  bool ReadLast(
      SeriesNumber series, int64_t from_ms, int64_t until_ms, uint64_t pinned_at, OpenPoint* last);

  // Base times and series of all hours in [begin_s, end_s) that Read would show.
  void VisitHours(uint64_t begin_s,
                  uint64_t end_s,
                  uint64_t pinned_at,
                  const std::function<void(SeriesNumber series, uint32_t base_time_s)>& visit);

  size_t series() const { return series_count_.load(std::memory_order_relaxed); }
  size_t open_hours() const { return open_hours_.load(std::memory_order_relaxed); }
  size_t log_bytes();
  // How many hours Freeze, Sealed, Thaw and Reap have looked at: a small multiple of the sealed
  // hours, however many hours there are.
  uint64_t hours_visited();

 private:
  using Hour = LaneHour;
  using State = LaneHour::State;

  struct ByKey {
    using is_transparent = void;
    bool operator()(const std::unique_ptr<Hour>& a, const std::unique_ptr<Hour>& b) const {
      return a->key() < b->key();
    }
    bool operator()(const std::unique_ptr<Hour>& a, uint64_t key) const { return a->key() < key; }
    bool operator()(uint64_t key, const std::unique_ptr<Hour>& a) const { return key < a->key(); }
  };
  // By base time; of one base time in the order they were opened: sealed ones, then those that are
  // sealing, then open ones. A back-fill has tens of thousands of one series.
  using Hours = absl::btree_set<std::unique_ptr<Hour>, ByKey>;
  struct Series {
    SeriesNumber number = 0;
    Hour* current = nullptr;  // appended to last; one of the hours, or null
    Hours hours;
  };
  // A sealed hour.
  struct SealedHour {
    uint32_t slot = 0;
    Hour* hour = nullptr;
  };

  Series* FindLocked(SeriesNumber number) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  uint32_t AttachLocked(SeriesNumber number) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Hour* OpenHourLocked(Series* series, uint32_t base_time_s, uint64_t block, int64_t* bytes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The blocks that the points may be in.
  struct Blocks {
    uint64_t first = 0;
    uint64_t last = 0;
  };
  void AppendLocked(std::span<PlacedPoint> points, Blocks blocks, uint32_t now_s, int64_t* bytes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The open hours of that series and base time, which are the last of their base time. `next`, if
  // not null, is an iterator of the hours in that slot; it is fast if they begin there.
  std::pair<Hours::iterator, Hours::iterator> OpenOnesLocked(const OpenHourInfo& wanted,
                                                             const Hours::iterator* next)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int64_t ReapLocked(uint64_t oldest_read) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ForgetLocked(uint32_t slot) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  int64_t DropLocked(uint32_t slot, Hour* hour) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Makes columns_ the points of hours of one base time; false if none is shown.
  bool DecodeLocked(Hours::const_iterator begin, Hours::const_iterator end, uint64_t pinned_at)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_;
  std::vector<Series> slots_ ABSL_GUARDED_BY(mutex_);
  std::vector<uint32_t> free_slots_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<SeriesNumber, uint32_t> slot_of_ ABSL_GUARDED_BY(mutex_);
  std::deque<SealedHour> unreaped_ ABSL_GUARDED_BY(mutex_);  // in the order they were sealed
  uint64_t hours_visited_ ABSL_GUARDED_BY(mutex_) = 0;
  // Written under mutex_, read without it: a reader of the stats delays no writer.
  std::atomic<size_t> series_count_ = 0;
  std::atomic<size_t> open_hours_ = 0;
  std::vector<OpenedHour> opened_ ABSL_GUARDED_BY(mutex_);  // of TakeOpened
  JournalPayloadWriter log_ ABSL_GUARDED_BY(mutex_);
  // The first of all series there ever were, and the greatest divisor of the distances from it.
  SeriesNumber first_number_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t stride_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t next_block_ ABSL_GUARDED_BY(mutex_) = 0;
  CellColumns columns_ ABSL_GUARDED_BY(mutex_);  // of Read, and of CopyToLog
};

}  // namespace hourcell
