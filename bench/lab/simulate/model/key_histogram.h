// KeyHistogram: how much lies at which keys, in bounded memory. The simulator's picture of what is
// in a memstore or in a file: instead of keys it keeps bins, each a range of keys with what is in
// it, about equal in bytes.
//
//   bin       [first, last] inclusive, cells, rows, bytes, the oldest and newest time
//
// A key that has more bytes than a bin should have keeps a bin of its own, so that a row that makes
// a region unsplittable stays visible. As long as there were no more keys than bins, all is exact.
// Beyond, bins hold at most 2 / bins_max of the bytes each and never overlap: where two sets of
// bins become one, each bin is taken for two keys, its first and its last with half of it each, and
// all are joined anew in the order of keys. Were bins joined as they are, those that reach over a
// gap, as from the last hour of a metric to the first of the next, would swallow all others in
// time, and the bytes of a metric would seem to lie in the gap after it.
//
// Each time that bins become others they lose a little of where their keys were. So keys that are
// added become sets of bins of 1, 2, 4, 8 ... times as many keys, as a binary counter has ones, and
// a key's bin is made anew only as often as there are sizes (mergeable summaries, Agarwal et al.,
// PODS 2012). Bytes below a key are right within two bins.
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

// What is counted of keys.
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

  // Takes out what is at `key` and above, and returns it. A bin across the key is shared out by
  // where the key lies in it.
  KeyHistogram CutFrom(std::string_view key);

  // Takes out what is older than `cutoff_ms`, and returns how much that was. Of a bin that holds
  // older and newer points, the share of its time that is past.
  KeyMass Expire(uint64_t cutoff_ms);

  const KeyMass& mass() const { return mass_; }
  bool empty() const { return mass_.cells == 0 && mass_.bytes == 0; }
  uint64_t newest_ms() const { return newest_ms_; }

  // Ascending by first key.
  std::span<const KeyBin> bins() const;
  // The first and last key; empty if there is none.
  std::string smallest() const;
  std::string largest() const;

  // The largest key below `key` that is a bound of a bin; empty if there is none. The largest that
  // was added may be above it, in a bin across `key`.
  std::string LargestBelow(std::string_view key) const;

  // How many bytes are in [start, end); an empty `end` is above all keys.
  uint64_t BytesBetween(std::string_view start, std::string_view end) const;
  // The first bound of a bin from `key` on; empty if there is none.
  std::string FirstKeyFrom(std::string_view key) const;
  // A key below which about `share` of the bytes are; empty if there are none.
  std::string KeyAt(double share) const;

 private:
  using Bins = std::vector<KeyBin>;

  // Keys added and not yet in bins; the bytes of all are in one buffer.
  struct Pending {
    uint32_t begin = 0;
    uint32_t size = 0;
    KeyMass mass = {};
    uint64_t time_ms = 0;
  };
  // A bin whose keys are elsewhere: most are joined to their neighbours before they need keys of
  // their own.
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
  // Pending keys and all sets of bins become one: bins_.
  void Settle() const;
  // Pending keys become the set of bins of the least size.
  void Spill() const;
  Bins TakePending() const;
  // Ascending, of one key each.
  std::vector<BinView> SortedPending() const;
  static std::vector<BinView> EndsOf(const Bins& bins);
  // The bins of what is in either, which ascend and are of one key each; joined until there are few
  // enough.
  Bins MakeBins(std::span<const BinView> some, std::span<const BinView> others) const;
  Bins JoinSets(const Bins& some, const Bins& others) const;
  void JoinNeighbours(std::vector<BinView>* bins) const;

  size_t bins_max_;
  KeyMass mass_ = {};
  uint64_t newest_ms_ = 0;
  // What is pending is put off until somebody looks, so looking changes these.
  mutable Bins bins_;
  mutable std::vector<Bins> sizes_;  // sizes_[i]: empty, or of 2^i times what was pending
  mutable std::vector<Pending> pending_;
  mutable std::string pending_keys_;
};

}  // namespace hourcell
