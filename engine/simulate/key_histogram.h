// KeyHistogram: how much lies at which keys, in bounded memory. The simulator's picture of what is
// in a memstore or in a file: instead of keys it keeps bins, each a range of keys with what is in
// it, about equal in bytes.
//
//   bin       [first, last] inclusive, cells, rows, bytes, the oldest and newest time
//
// A key that has more bytes than a bin should have keeps a bin of its own, so that a row that makes
// a region unsplittable stays visible. As long as there were no more keys than bins, all is exact.
// Beyond, bins hold at most 2 / bins_max of the bytes each, and one at a key may be shared out
// wrongly; as bins of later keys may lie inside of earlier ones, bytes below a key are right within
// two of them.
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

  // How many bytes are in [start, end); an empty `end` is above all keys.
  uint64_t BytesBetween(std::string_view start, std::string_view end) const;
  // The first bound of a bin from `key` on; empty if there is none.
  std::string FirstKeyFrom(std::string_view key) const;
  // A key below which about `share` of the bytes are; empty if there are none.
  std::string KeyAt(double share) const;

 private:
  // Keys added and not yet in bins; the bytes of all are in one buffer.
  struct Pending {
    uint32_t begin = 0;
    uint32_t size = 0;
    KeyMass mass = {};
    uint64_t time_ms = 0;
  };

  std::string_view KeyOf(const Pending& pending) const {
    return std::string_view(pending_keys_).substr(pending.begin, pending.size);
  }
  // Pending keys become bins, and bins are joined until there are few enough.
  void Settle() const;
  void JoinBins() const;

  size_t bins_max_;
  KeyMass mass_ = {};
  uint64_t newest_ms_ = 0;
  // What is pending is put off until somebody looks, so looking changes these.
  mutable std::vector<KeyBin> bins_;
  mutable std::vector<Pending> pending_;
  mutable std::string pending_keys_;
};

}  // namespace hourcell
