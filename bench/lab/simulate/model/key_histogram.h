// KeyHistogram: the distribution of data over keys, in bounded memory. The simulator's model of the
// contents of a memstore or a file: instead of keys it keeps bins, each for a range of keys with
// the sums of its contents, about equal in bytes.
//
//   bin       [first, last] inclusive, cells, rows, bytes, the oldest and newest time
//
// A key with more bytes than a bin should have keeps a separate bin, so that a row that makes a
// region unsplittable remains visible. As long as there were no more keys than bins, all sums are
// exact. With more, bins hold at most 2 / bins_max of the bytes each and never overlap: to merge
// two sets of bins, each bin counts as two keys, its first and its last with half of the bin each,
// and all are joined again in the order of keys. If bins were joined directly, a bin over a gap, as
// from the last hour of a metric to the first of the next, would absorb all others in time, and the
// bytes of a metric would seem to lie in the gap after it.
//
// Each rebinning loses some of the precision of keys. So added keys become sets of bins of 1, 2, 4,
// 8 ... times as many keys, as a binary counter has ones, and a key is rebinned only once per size
// (mergeable summaries, Agarwal et al., PODS 2012). Bytes below a key are accurate to two bins.
//
// Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hourcell {

// The sums of some keys.
struct KeyMass {
  uint64_t cells = 0;  // points
  uint64_t rows = 0;
  uint64_t bytes = 0;

  KeyMass& operator+=(const KeyMass& other);
  KeyMass& operator-=(const KeyMass& other);
  // Rounded down.
  KeyMass Share(double share) const;

  friend bool operator==(const KeyMass&, const KeyMass&) = default;
};

struct KeyBin {
  std::string first = {};
  std::string last = {};  // inclusive
  KeyMass mass = {};
  uint64_t oldest_ms = 0;  // of its points
  uint64_t newest_ms = 0;

  bool is_one_key() const { return first == last; }
};

class KeyHistogram {
 public:
  // REQUIRES: bins_max > 1.
  explicit KeyHistogram(size_t bins_max);

  void Add(std::string_view key, const KeyMass& mass, uint64_t time_ms);
  void Merge(const KeyHistogram& other);

  // Removes the keys from `key` on and returns them. A bin across the key is divided by the
  // position of the key in it.
  KeyHistogram CutFrom(std::string_view key);

  // Removes the points older than `cutoff_ms` and returns their sums. A bin with older and newer
  // points loses the share of its time before the cutoff.
  KeyMass Expire(uint64_t cutoff_ms);

  const KeyMass& mass() const { return mass_; }
  bool empty() const { return mass_.cells == 0 && mass_.bytes == 0; }
  uint64_t newest_ms() const { return newest_ms_; }

  // Ascending by first key.
  std::span<const KeyBin> bins() const;
  // The first and last key; both empty if the histogram is empty.
  std::string smallest() const;
  std::string largest() const;

  // The largest key below `key` that is a bound of a bin; empty if none is. The largest added key
  // may be above it, in a bin across `key`.
  std::string LargestBelow(std::string_view key) const;

  // The bytes in [start, end); an empty `end` is above all keys.
  uint64_t BytesBetween(std::string_view start, std::string_view end) const;
  // The first bound of a bin from `key` on; empty if none follows.
  std::string FirstKeyFrom(std::string_view key) const;
  // A key with about `share` of the bytes below it; empty without bytes.
  std::string KeyAt(double share) const;

 private:
  using Bins = std::vector<KeyBin>;

  // An added key that is not yet in a bin; one buffer holds the bytes of all.
  struct Pending {
    uint32_t begin = 0;
    uint32_t size = 0;
    KeyMass mass = {};
    uint64_t time_ms = 0;
  };
  // A bin that borrows its keys: most bins are joined to their neighbours before they need to store
  // keys.
  struct BinView {
    std::string_view first = {};
    std::string_view last = {};
    KeyMass mass = {};
    uint64_t oldest_ms = 0;
    uint64_t newest_ms = 0;
  };

  std::string_view KeyOf(const Pending& pending) const {
    return std::string_view(pending_keys_).substr(pending.begin, pending.size);
  }
  // Merges pending keys and all sets of bins into bins_.
  void Settle() const;
  // Turns pending keys into a set of bins of the least size.
  void Spill() const;
  Bins TakePending() const;
  // Ascending, one view per key.
  std::vector<BinView> SortedPending() const;
  static std::vector<BinView> EndsOf(const Bins& bins);
  // The bins of both inputs, which ascend and have one key each; joined down to the limit.
  Bins MakeBins(std::span<const BinView> some, std::span<const BinView> others) const;
  Bins JoinSets(const Bins& some, const Bins& others) const;
  void JoinNeighbours(std::vector<BinView>* bins) const;

  size_t bins_max_;
  KeyMass mass_ = {};
  uint64_t newest_ms_ = 0;
  // Pending keys are binned on the first read, so reads change these.
  mutable Bins bins_;
  mutable std::vector<Bins> sizes_;  // sizes_[i]: empty, or of 2^i times the pending keys
  mutable std::vector<Pending> pending_;
  mutable std::string pending_keys_;
};

}  // namespace hourcell
