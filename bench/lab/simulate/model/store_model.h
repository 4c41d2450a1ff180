// StoreModel: the memory and the files of one region, as in HBase's HStore: an active memstore, a
// flushing memstore, files from the oldest to the newest. Each has a KeyHistogram of its contents.
// TableModel has the clock and takes all decisions.
//
//   Put -> active --BeginFlush--> flushing --FinishFlush--> newest file
//   files --RewriteFiles--> one file, without expired points
//   CutFrom: the store of the right daughter; files across the key become references
//
// Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/lab/simulate/model/key_histogram.h"
#include "bench/lab/simulate/model/minor_compaction.h"
#include "engine/regions/split/split_point.h"

namespace hourcell {

// The result of a rewrite of files.
struct FileRewrite {
  bool is_done = false;  // false: a file no longer exists
  uint64_t read_bytes = 0;
  uint64_t written_bytes = 0;
  KeyMass expired = {};
};

class StoreModel {
 public:
  explicit StoreModel(size_t bins_max);

  void Put(std::string_view key, const KeyMass& mass, uint64_t time_ms) {
    active_.Add(key, mass, time_ms);
  }

  // Makes the active memstore the flushing one. REQUIRES: !is_flushing().
  void BeginFlush();
  // Makes the flushing memstore the newest file. Returns its bytes.
  uint64_t FinishFlush();
  bool is_flushing() const { return is_flushing_; }

  uint64_t active_bytes() const { return active_.mass().bytes; }
  uint64_t memory_bytes() const { return active_bytes() + flushing_.mass().bytes; }
  uint64_t file_bytes() const;
  size_t files() const { return files_.size(); }
  bool has_references() const;
  // The sums of memory and files.
  KeyMass mass() const;
  // As in KeyHistogram.
  std::string LargestBelow(std::string_view key) const;

  // For FindSplitPoint: of the files only. The probe borrows the store.
  std::vector<FileSpan> Spans() const;
  SplitProbe Probe() const;
  // The share of mass()'s cells below `key`.
  double ShareOfCellsBelow(std::string_view key) const;
  // The key with most bytes among keys with a separate bin in files; empty if no key has one.
  struct HeavyKey {
    std::string key = {};
    uint64_t bytes = 0;
  };
  HeavyKey HeaviestKey() const;

  // The ids of the files that a minor LSM compaction selects; empty = nothing to do.
  std::vector<uint64_t> SelectForMinorRewrite(const RatioSettings& settings) const;
  std::vector<uint64_t> FileIds() const;
  // Files with keys of a parent, to be rewritten.
  std::vector<uint64_t> ReferenceIds() const;
  uint64_t BytesOf(std::span<const uint64_t> ids) const;
  // Merges the files into one, without points older than `cutoff_ms`.
  FileRewrite RewriteFiles(std::span<const uint64_t> ids, uint64_t cutoff_ms);
  // Deletes files whose points are all older, without reading them, as in HBase.
  KeyMass DropExpiredFiles(uint64_t cutoff_ms);

  // Removes the keys from `key` on and returns them; ShareFile divides the files. REQUIRES: the
  // memory is empty.
  StoreModel CutFrom(std::string_view key);
  // Adds the files of a neighbour, as references. REQUIRES: both memories are empty.
  void Absorb(StoreModel neighbour);

 private:
  struct File {
    uint64_t id = 0;
    KeyHistogram keys;
    bool is_reference = false;
  };

  size_t bins_max_;
  uint64_t next_file_id_ = 1;
  KeyHistogram active_;
  KeyHistogram flushing_;
  bool is_flushing_ = false;
  std::vector<File> files_;  // from the oldest to the newest
};

}  // namespace hourcell
