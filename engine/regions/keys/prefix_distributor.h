// Distributors that put a bucket's number before the key:
//
//   stored key = prefix of the bucket, always as long ++ original key
//
// Prefixes ascend with their buckets and follow each other, so an unbounded interval ends where the
// next bucket begins (HBASEWD-17), and the last is unbounded. Inside a bucket the original keys are
// in order. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "engine/regions/keys/key_distributor.h"

namespace hourcell {

// How a bucket's number is written: `width` bytes big-endian, or as many lower-case hex digits and
// a separator after them.
struct BucketPrefix {
  uint64_t buckets = 1;
  size_t width = 1;  // bytes, or digits; 0 writes nothing
  bool is_hex = false;
  std::string_view separator = "";  // a literal

  size_t size() const { return width + separator.size(); }
  void Append(uint64_t bucket, std::string* out) const;
  // The bucket that `stored` begins with. kDataLoss if it is too short, or the prefix is not a
  // bucket.
  absl::StatusOr<uint64_t> Read(std::string_view stored) const;
};

class PrefixDistributor : public KeyDistributor {
 public:
  explicit PrefixDistributor(const BucketPrefix& prefix) : prefix_(prefix) {}

  uint64_t buckets() const override { return prefix_.buckets; }
  size_t prefix_bytes() const { return prefix_.size(); }

  absl::Status Encode(std::string_view key, std::string* stored) const override;
  absl::StatusOr<std::string_view> Decode(std::string_view stored,
                                          std::string* scratch) const override;
  absl::StatusOr<std::vector<std::string>> AllKeys(std::string_view key) const override;
  absl::StatusOr<DistributedRange> Intervals(std::string_view start,
                                             std::string_view stop) const override;

 protected:
  // The bucket a new row of `key` goes to.
  virtual absl::StatusOr<uint64_t> ChooseBucket(std::string_view key) const {
    return BucketOf(key);
  }

  // The interval of the original keys [start, stop) in one bucket.
  BucketInterval IntervalOf(uint64_t bucket, std::string_view start, std::string_view stop) const;

 private:
  absl::Status CheckVisit() const;

  BucketPrefix prefix_;
};

// No prefix: keys are stored as they are.
std::unique_ptr<KeyDistributor> MakeNone();

// OpenTSDB's salt: by series, over metric and tags, never the time (codec/rows/salt.h). The
// original key is a row key without its salt. kInvalidArgument: a layout that ValidateLayout
// refuses, without salt, or with another order of fields than OpenTSDB's.
absl::StatusOr<std::unique_ptr<KeyDistributor>> MakeSeriesSalt(const Layout& layout);

// HBaseWD's OneByteSimpleHash, over the whole key, 1 to 256 buckets. A hash of -2^31 is taken as
// 2^31; HBaseWD takes its absolute value, which is negative, and writes to a bucket that no scan
// visits.
absl::StatusOr<std::unique_ptr<KeyDistributor>> MakeSimpleHash(uint64_t buckets);

// XXH3 of the whole key, modulo 1 to 65,536 buckets; a prefix of 1 byte up to 256, else of 2.
absl::StatusOr<std::unique_ptr<KeyDistributor>> MakeXxh3(uint64_t buckets);

// The first 4 hex digits of the key's MD5 and a dash: 65,536 buckets, "9bf0-abc001".
std::unique_ptr<KeyDistributor> MakeMd5FourHex();

// The first 8 hex digits of the key's MD5: 2^32 buckets, so neither AllKeys nor Intervals.
// For keys that are 8-byte numbers, as region-helper makes them; others are taken too.
std::unique_ptr<KeyDistributor> MakeMd5EightHex();

// Java's Long.hashCode of the time in the key's first 8 bytes, big-endian, without its sign, modulo
// 1 to 256 buckets. Points of one instant share a bucket.
absl::StatusOr<std::unique_ptr<KeyDistributor>> MakeTimeHash(uint64_t buckets);

// One bucket after the other, from bucket 0 on: even, but a key's bucket is forgotten, and the same
// key may be in several. 1 to 256 buckets (HBaseWD: 127). Writers of several threads share the
// counter.
absl::StatusOr<std::unique_ptr<KeyDistributor>> MakeRoundRobin(uint64_t buckets);

// The key, an id of 8 bytes, big-endian, modulo 2 to 65,536 partitions; a prefix of 8 bytes, as
// PartitionKeys (presplit.h) bounds them.
absl::StatusOr<std::unique_ptr<KeyDistributor>> MakePartition(uint64_t partitions);

}  // namespace hourcell
