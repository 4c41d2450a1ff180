// MergeCursor: the rows of several buckets in the order of their original keys: HBaseWD's
// DistributedScanner. All rows with equal keys are visited, lower buckets first. Keys are not
// copied for the reader: key() is a view into the source's own bytes, without the bucket's prefix.
//
// A tree of losers (Knuth, TAOCP 3, 5.4.1) with offset-value codes (Conner, "Offset value coding",
// IBM 1977; Do and Graefe, "Robust and efficient sorting with offset-value coding", 2022) finds the
// least key. The code of a source is the first place at which its head's key differs from the
// previous row, and the byte there. Two such codes against the same row have the order of their
// keys, so most comparisons are of two integers, log2(sources) for each row:
//
//   code, 64 bits   [2^31 - 1 - offset: 31][byte + 1, or 0 at the key's end: 9][bucket: 24]
//
// Only keys that differ from the last row in the same byte at the same place are compared, starting
// at that place.
//
// Thread-compatible, as its sources are.

#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/base/check.h"

namespace hourcell {

// Rows in ascending order of their keys. key() is defined while Valid(), and until Next(). A source
// that fails is not Valid(); its owner reads the error from it.
template <typename T>
concept SortedSource = requires(const T& source, T& moving) {
  { source.Valid() } -> std::convertible_to<bool>;
  { source.key() } -> std::convertible_to<std::string_view>;
  moving.Next();
};

struct MergeOptions {
  size_t prefix_bytes = 0;                                   // of each key, not compared
  uint64_t rows_max = std::numeric_limits<uint64_t>::max();  // LIMIT
};

// The length of the common prefix of `a` and `b`.
inline size_t SharedBytes(std::string_view a, std::string_view b) {
  const size_t size = std::min(a.size(), b.size());
  const auto differing = [&](size_t at) {
    uint64_t left = 0;
    uint64_t right = 0;
    std::memcpy(&left, a.data() + at, sizeof(left));
    std::memcpy(&right, b.data() + at, sizeof(right));
    return left ^ right;
  };
  const auto first_byte = [](uint64_t bits) {
    const int zeros = std::endian::native == std::endian::little ? std::countr_zero(bits)
                                                                 : std::countl_zero(bits);
    return static_cast<size_t>(zeros) / 8;
  };
  size_t at = 0;
  for (; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
    if (const uint64_t bits = differing(at); bits != 0) return at + first_byte(bits);
  }
  if (at < size && size >= sizeof(uint64_t)) {
    // The last complete word, whose first bytes are known to be equal.
    const uint64_t bits = differing(size - sizeof(uint64_t));
    return bits == 0 ? size : size - sizeof(uint64_t) + first_byte(bits);
  }
  while (at < size && a[at] == b[at])
    ++at;
  return at;
}

template <SortedSource Source>
class MergeCursor {
 public:
  // `sources`, by bucket, outlive the cursor, and only the cursor moves them. Keys shorter than the
  // prefix count as empty. REQUIRES: fewer than 2^24 sources, keys below 2 GiB.
  MergeCursor(std::span<Source> sources, const MergeOptions& options)
      : sources_(sources), options_(options), losers_(std::bit_ceil(sources.size())) {
    HOURCELL_CHECK(sources.size() < kBucketsMax);
    Build();
  }

  bool Valid() const { return rows_ < options_.rows_max && winner_ < kExhausted; }

  // The original key, its bucket and the source at that key. REQUIRES: Valid().
  std::string_view key() const { return KeyOf(bucket()); }
  size_t bucket() const { return BucketOf(winner_); }
  Source& source() const { return sources_[bucket()]; }

  // REQUIRES: Valid(); the next key of the source is not less than this one.
  void Next() {
    const size_t bucket = BucketOf(winner_);
    last_.assign(KeyOf(bucket));
    sources_[bucket].Next();
    ++rows_;
    uint64_t candidate = CodeOf(bucket, last_, 0);
    for (size_t node = (losers_.size() + bucket) / 2; node > 0; node /= 2)
      Play(&candidate, &losers_[node]);
    winner_ = candidate;
  }

  // Rows passed by Next().
  uint64_t rows() const { return rows_; }

 private:
  static constexpr unsigned kBucketBits = 24;
  static constexpr unsigned kByteBits = 9;
  static constexpr size_t kBucketsMax = size_t{1} << kBucketBits;
  static constexpr uint64_t kOffsetMax = (uint64_t{1} << 31) - 1;
  // Above all codes of keys: at offset 0 the byte's field is at most 256.
  static constexpr uint64_t kExhausted = std::numeric_limits<uint64_t>::max() << kBucketBits;

  static size_t BucketOf(uint64_t code) { return static_cast<size_t>(code & (kBucketsMax - 1)); }
  static size_t OffsetOf(uint64_t code) {
    return static_cast<size_t>(kOffsetMax - (code >> (kBucketBits + kByteBits)));
  }
  static bool IsAtEnd(uint64_t code) {
    return ((code >> kBucketBits) & ((uint64_t{1} << kByteBits) - 1)) == 0;
  }

  static uint64_t CodeAt(size_t bucket, std::string_view key, size_t offset) {
    const uint64_t byte = offset < key.size() ? uint64_t{static_cast<uint8_t>(key[offset])} + 1 : 0;
    return ((kOffsetMax - offset) << kByteBits | byte) << kBucketBits | bucket;
  }

  std::string_view KeyOf(size_t bucket) const {
    const std::string_view key = sources_[bucket].key();
    return key.substr(std::min(options_.prefix_bytes, key.size()));
  }

  // The code of a source's head against `base`, which is not greater and has the same first
  // `shared` bytes.
  uint64_t CodeOf(size_t bucket, std::string_view base, size_t shared) const {
    if (!sources_[bucket].Valid()) return kExhausted | bucket;
    const std::string_view key = KeyOf(bucket);
    const size_t offset = shared + SharedBytes(base.substr(shared), key.substr(shared));
    HOURCELL_DCHECK(base.compare(key) <= 0 && offset < kOffsetMax);
    return CodeAt(bucket, key, offset);
  }

  // The lesser stays the candidate, the other one becomes the node's loser. Both codes are against
  // the same key; afterwards the loser's is against the candidate's. If the codes differ, it
  // already is: the loser first differs from the winner where it first differs from the smaller
  // key.
  void Play(uint64_t* candidate, uint64_t* loser) const {
    const uint64_t a = *candidate;
    const uint64_t b = *loser;
    *candidate = std::min(a, b);
    *loser = std::max(a, b);
    if (((a ^ b) >> kBucketBits) == 0 && !IsAtEnd(a) && a < kExhausted) [[unlikely]] {
      PlayEqual(candidate, loser);
    }
  }

  // As Play, for keys that differ from the last row at the same place by the same byte. The
  // candidate is of the lower bucket.
  void PlayEqual(uint64_t* candidate, uint64_t* loser) const {
    const std::string_view low = KeyOf(BucketOf(*candidate));
    const std::string_view high = KeyOf(BucketOf(*loser));
    const size_t from = OffsetOf(*candidate) + 1;
    const size_t offset = from + SharedBytes(low.substr(from), high.substr(from));
    const uint64_t low_code = CodeAt(BucketOf(*candidate), low, offset);
    const uint64_t high_code = CodeAt(BucketOf(*loser), high, offset);
    if (high_code < low_code) {
      std::swap(*candidate, *loser);
      *loser = low_code;
    } else {
      *loser = high_code;
    }
  }

  // Plays all heads against each other. Leaves are nodes [n, 2n), their parents [1, n); n is a
  // power of two, because the processor predicts a path of constant length.
  void Build() {
    const size_t n = losers_.size();
    std::vector<uint64_t> winners(2 * n);
    for (size_t bucket = 0; bucket < n; ++bucket)
      winners[n + bucket] = bucket < sources_.size() ? CodeOf(bucket, "", 0) : kExhausted | bucket;
    for (size_t node = n - 1; node > 0; --node) {
      winners[node] = winners[2 * node];
      losers_[node] = winners[2 * node + 1];
      Play(&winners[node], &losers_[node]);
    }
    winner_ = winners[1];
  }

  std::span<Source> sources_;
  MergeOptions options_;
  std::vector<uint64_t> losers_;  // of node i, from 1 on
  uint64_t winner_ = kExhausted;  // the code of the least head
  std::string last_;              // the key of the previous row
  uint64_t rows_ = 0;
};

}  // namespace hourcell
