// StoreModel: the memory and the files of one region, as HBase's HStore has them: an active
// memstore, one that is being flushed, files from the oldest to the newest. What is in them is a
// KeyHistogram each. Knows no time and decides nothing: TableModel does.
//
//   Put -> active --BeginFlush--> flushing --FinishFlush--> newest file
//   files --RewriteFiles--> one file, without what is expired
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

// What a rewrite of files was.
struct FileRewrite {
  bool is_done = false;  // false: a file is not there any more
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

  // What has come becomes what is flushed. REQUIRES: !is_flushing().
  void BeginFlush();
  // What is flushed becomes the newest file. Returns its bytes.
  uint64_t FinishFlush();
  bool is_flushing() const { return is_flushing_; }

  uint64_t active_bytes() const { return active_.mass().bytes; }
  uint64_t memory_bytes() const { return active_bytes() + flushing_.mass().bytes; }
  uint64_t file_bytes() const;
  size_t files() const { return files_.size(); }
  bool has_references() const;
  // Of memory and files.
  KeyMass mass() const;
  // As KeyHistogram has it.
  std::string LargestBelow(std::string_view key) const;

  // For FindSplitPoint: of the files only. The probe borrows the store.
  std::vector<FileSpan> Spans() const;
  SplitProbe Probe() const;
  // Of mass(), the cells below `key`.
  double ShareOfCellsBelow(std::string_view key) const;
  // Of the keys that have bins of their own in files, the one with most bytes; none: an empty key.
  struct HeavyKey {
    std::string key = {};
    uint64_t bytes = 0;
  };
  HeavyKey HeaviestKey() const;

  // The files that a minor LSM compaction takes, by id; none = nothing to do.
  std::vector<uint64_t> SelectForMinorRewrite(const RatioSettings& settings) const;
  std::vector<uint64_t> FileIds() const;
  // Those that hold keys of a parent's, to be rewritten.
  std::vector<uint64_t> ReferenceIds() const;
  uint64_t BytesOf(std::span<const uint64_t> ids) const;
  // The files become one, without what is older than `cutoff_ms`.
  FileRewrite RewriteFiles(std::span<const uint64_t> ids, uint64_t cutoff_ms);
  // Files without a point that is younger vanish unread, as in HBase.
  KeyMass DropExpiredFiles(uint64_t cutoff_ms);

  // Takes out what is from `key` on, as ShareFile shares files out. REQUIRES: the memory is empty.
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
