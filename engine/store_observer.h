// StoreObserver: receives the events of a store, and may refuse some of them: HBase's observer
// coprocessor, inside the program that embeds the store.
//
//   class Census : public hourcell::StoreObserver { ... };
//   Census census;
//   options.observers = {&census};
//
//   point      BeforePut -> series found, or created -> AfterNewSeries -> BeforeStore -> point in
//              its open hour -> journal block written -> AfterPut
//   histogram  BeforeHistograms -> series found, or created -> rows written -> AfterHistograms
//   hour       cell merged into its row -> AfterSeal
//   table      memtable of a region written to a file -> AfterFlush
//   region     BeforeRegionChange -> files moved, catalogue committed -> AfterRegionChange
//
// Observers are borrowed from before Open until the store is closed, and called in the order of
// Options::observers. After one refuses, the later ones are not called. A store without observers
// does not pay for them.
//
// Threads: methods are called from any thread, and several at once; an observer guards its state.
// An observed call waits for the observer.
//
// A method may read the store: queries, scans, names. Points may be put from AfterPut, with
// AppendOptions::wait_ms = 0, because the threads that make room may wait for the observer. Other
// calls that write, seal, flush or change regions would wait for the caller and are forbidden. A
// put inside BeforePut, AfterNewSeries or BeforeStore is refused with kFailedPrecondition. The
// methods of histograms may not write.
//
// Points that were in the journal when the store was opened are not put again: for them an observer
// gets AfterSeal only, which Open may call before it returns. A follower neither puts points nor
// creates series.

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
  // With their names, also for points of lines. Without points that the store refuses or that have
  // expired; but with points of names that may not be created, which is not known yet.
  std::span<const PointView> points = {};
  std::string_view via = {};  // AppendOptions::via
};

// A histogram that was stored. Views live for the call.
struct StoredHistogram {
  PointView point = {};        // its value counts for nothing
  std::string_view cell = {};  // as it is stored: the ID of its codec, and the bytes of the codec
};

// A series that a put has created. Views live for the call.
struct CreatedSeries {
  uint64_t number = 0;          // never given to another
  std::string_view tsuid = {};  // bytes: metric UID, then the tags'
  std::string_view metric = {};
  std::span<const TagView> tags = {};
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
  uint64_t region = 0;          // its id; 0 if it is gone
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

  // Before any name or point of the batch is stored. An error refuses the whole batch: its ticket
  // has that status, and took_nothing(). Called once for each Append, by its thread.
  virtual absl::Status BeforePut(const PutBatch& /*batch*/) { return absl::OkStatus(); }

  // An Append has created these series; kill -9 cannot undo it. Called once for each series, by the
  // thread of the Append, without a lock, before the series' first point is stored or seen. Not
  // called for known series, for series whose creation failed, for series that the replay of the
  // journal restores after a power failure, nor by an adoption. A crash before the call loses it:
  // an observer that needs all series also lists them after Open.
  virtual void AfterNewSeries(std::span<const CreatedSeries> /*series*/) {}

  // The points of the batch that are stored now: those of BeforePut without those that the store
  // has refused since. Not called for zero points. Called once for each Append, by its thread,
  // after the names are made and before any reader can see the points. The call returns before the
  // batch is acknowledged; a crash may undo the points nevertheless.
  virtual void BeforeStore(const PutBatch& /*batch*/) {}

  // Whether BeforeStore is called in the order in which the store takes points: of two puts of one
  // instant, the later call has the value that the store keeps. Puts then enter their hours one
  // after the other. Called once, when the store is opened.
  virtual bool WantsOrder() const { return false; }

  // `points` of the batch were stored and are acknowledged now, before any Wait for its ticket
  // returns. Not called for a batch without stored points, nor for one that the journal has not
  // taken by the time the store is closed. A batch that wants a sync is acknowledged by a sync. One
  // call at a time.
  virtual void AfterPut(uint64_t /*batch*/, size_t /*points*/) {}

  // The hour's cell can be read; a power failure may undo it, and then it is sealed again. An hour
  // that gets late points is sealed again with only those points.
  virtual void AfterSeal(const SealedHour& /*hour*/) {}

  // Mostly called by a thread of RocksDB. Not called while the store opens.
  virtual void AfterFlush(const FlushedRegion& /*region*/) {}

  // Before the change begins. An error refuses the change. The caller of the change gets it; a
  // policy counts it as region.errors and retries; a store with a refused presplit does not open,
  // unless the error is kFailedPrecondition: then it opens without the presplit.
  virtual absl::Status BeforeRegionChange(const RegionChange& /*change*/) {
    return absl::OkStatus();
  }

  // The change is durable. Not called for a change that failed after it was allowed.
  virtual void AfterRegionChange(const RegionChange& /*change*/) {}

  // A store with an observer without this refuses histograms. Called once, when the store is
  // opened.
  virtual bool TakesHistograms() const { return false; }

  // Before any name or histogram of an AppendHistograms is stored; `via` is AppendOptions::via. An
  // error refuses the whole call.
  virtual absl::Status BeforeHistograms(std::string_view /*via*/) { return absl::OkStatus(); }

  // The histograms are stored, and are acknowledged when the call has returned; a crash may undo
  // them before. Called in the order of the writes, one call at a time: of two histograms of one
  // instant, the store keeps the one of the later call. AfterNewSeries is not called for their
  // series.
  virtual void AfterHistograms(std::span<const StoredHistogram> /*histograms*/,
                               std::string_view /*via*/) {}
};

}  // namespace hourcell
