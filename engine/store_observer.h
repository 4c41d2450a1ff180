// StoreObserver: is told what happens to a store, and may refuse some of it: what HBase calls an
// observer coprocessor, inside the program that embeds the store.
//
//   class Census : public hourcell::StoreObserver { ... };
//   Census census;
//   options.observers = {&census};
//
//   point    BeforePut -> series found -> BeforeStore -> point in its open hour -> journal block
//            written -> AfterPut
//   hour     cell merged into its row -> AfterSeal
//   table    memtable of a region written to a file -> AfterFlush
//   region   BeforeRegionChange -> files moved, catalogue committed -> AfterRegionChange
//
// Observers are borrowed from before Open until the store is closed, and called in the order of
// Options::observers. Where one refuses, those after it are not asked. A store without observers
// does not pay for them.
//
// Threads: methods are called from any thread, and several at once; an observer guards what it
// keeps. A call that is observed waits for the observer.
//
// From inside a method the store may be read: queries, scans, names. Points may be put from
// AfterPut, with AppendOptions::wait_ms = 0, as room is made by threads that may wait for the
// observer. Nothing else may be called that writes, seals, flushes or changes regions: it would
// wait for the caller. A put from inside of BeforePut or BeforeStore is refused with
// kFailedPrecondition.
//
// What was in the journal when the store was opened is not put again: of such points an observer
// gets AfterSeal only, which Open may call before it returns.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "codec/point.h"

namespace hourcell {

// Points of one Append. Views live for the call.
struct PutBatch {
  uint64_t number = 0;  // of the batch; never used twice while the store is open
  // With their names, of a line too. Those that are refused or expired whatever an observer says
  // are left out, but for those whose names may not be created, which is not known yet.
  std::span<const PointView> points = {};
  std::string_view via = {};  // AppendOptions::via
};

// An hour of a series that became a cell. Views live for the call.
struct SealedHour {
  uint64_t series = 0;          // its number; never given to another
  std::string_view tsuid = {};  // bytes: metric UID, then the tags'
  uint32_t base_time_s = 0;
  std::span<const Timestamp> times = {};  // ascending, each once
  std::span<const Value> values = {};     // of each time
  std::string_view cell = {};             // as it is stored
};

// A memtable that became a file.
struct FlushedRegion {
  std::string_view table = {};  // "data", "annotation", "meta", "uid" or "series"
  uint64_t region = 0;          // its id; 0 if it is no more
  uint64_t rows = 0;            // of the file; a row may have had several entries in memory
  uint64_t bytes = 0;           // of keys and values, not compressed
};

struct ObservedRegion {
  uint64_t id = 0;
  std::string start = {};  // bytes; empty: below all keys
  std::string end = {};    // exclusive; empty: above all keys
  friend bool operator==(const ObservedRegion&, const ObservedRegion&) = default;
};

// A change of a table's regions, by a policy, the normaliser, a person or an option.
struct RegionChange {
  enum class Kind : uint8_t { kSplit, kMerge, kPresplit };
  Kind kind = Kind::kSplit;
  std::string table = {};
  std::vector<ObservedRegion> parents = {};    // ascending by start
  std::vector<ObservedRegion> daughters = {};  // the same; of a merge, one
};

class StoreObserver {
 public:
  virtual ~StoreObserver() = default;

  // Before any name or point of the batch is stored. What is not OK refuses the whole batch: its
  // ticket has that status, and took_nothing(). Called once for each Append, by its thread.
  virtual absl::Status BeforePut(const PutBatch& /*batch*/) { return absl::OkStatus(); }

  // The points of the batch that are stored now: those of BeforePut without those that the store
  // has refused since. Not called where there are none. Called once for each Append, by its thread,
  // after the names are made and before any reader can see the points. What it does before it
  // returns is done before the batch is acknowledged; a crash may undo the points nevertheless.
  virtual void BeforeStore(const PutBatch& /*batch*/) {}

  // Whether BeforeStore is called in the order in which the store takes points: of two puts of one
  // instant the later call is that of the value that the store keeps. Puts then come into their
  // hours one after the other. Asked once, when the store is opened.
  virtual bool WantsOrder() const { return false; }

  // `points` of the batch were taken and are acknowledged now, before any Wait for its ticket
  // returns. Not called for a batch of which no point was taken, nor for one that the journal has
  // not taken by the time the store is closed. A batch that wants a sync is acknowledged by a sync.
  // One call at a time.
  virtual void AfterPut(uint64_t /*batch*/, size_t /*points*/) {}

  // The hour's cell can be read; a power failure may undo it, and then it is sealed again. An hour
  // that gets late points is sealed again with those alone.
  virtual void AfterSeal(const SealedHour& /*hour*/) {}

  // By a thread of RocksDB, mostly. Those while the store opens are not told.
  virtual void AfterFlush(const FlushedRegion& /*region*/) {}

  // Before anything is done. What is not OK refuses the change. A caller that asked for it gets it;
  // a policy counts it as region.errors and asks again; a store whose presplit is refused does not
  // open, but for kFailedPrecondition, with which it opens without.
  virtual absl::Status BeforeRegionChange(const RegionChange& /*change*/) {
    return absl::OkStatus();
  }

  // The change is durable. Not called for one that failed after it was allowed.
  virtual void AfterRegionChange(const RegionChange& /*change*/) {}
};

}  // namespace hourcell
