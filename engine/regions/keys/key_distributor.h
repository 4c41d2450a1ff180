// KeyDistributor: how row keys are spread over the key space, as a strategy: HBaseWD's interface
// (AbstractRowKeyDistributor). A distributor turns an *original* key into a *stored* one, most
// often by putting the number of a bucket before it, and turns it back:
//
//   Encode     the stored key of an original one
//   Decode     the original key of a stored one
//   AllKeys    every stored key an original one may have: a get reads all of these if the key does
//              not determine its bucket
//   Intervals  the stored intervals that hold the original keys of a range: one scan each, merged
//              by merge_cursor.h if order matters
//
// Distributors are made from text by distributor_spec.h. The differences to HBaseWD: arithmetic is
// unsigned, so that a hash of -2^31 has a bucket that scans visit; an empty range gives an empty
// list of intervals; a table has room for other keys only after the last bucket.
//
// Distributors are immutable, but for the counter of round-robin, which is atomic: thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace hourcell {

// Buckets beyond which they are not gone through one by one.
inline constexpr uint64_t kBucketsVisitedMax = 65'536;

// The stored keys [start, stop) of one bucket; an empty stop means unbounded.
struct BucketInterval {
  uint64_t bucket = 0;
  std::string start;
  std::string stop;

  friend bool operator==(const BucketInterval&, const BucketInterval&) = default;
};

struct DistributedRange {
  std::vector<BucketInterval> intervals;  // disjoint, by bucket; of a cycle, by time
  // False: they may also hold keys outside the range, to be dropped after Decode.
  bool is_exact = true;
};

// How the original keys follow each other inside one interval.
enum class KeyOrder : uint8_t {
  kAscending = 0,
  kNewestFirst = 1,  // times descend; see reversed time
  kNone = 2,
};

class KeyDistributor {
 public:
  virtual ~KeyDistributor() = default;

  // The text this one is made from.
  virtual std::string Spec() const = 0;

  // How many buckets there are; 1 if keys are not put into buckets.
  virtual uint64_t buckets() const = 0;

  // Whether Encode gives the same stored key every time, so that a get is one probe.
  virtual bool is_deterministic() const { return true; }

  virtual KeyOrder order() const { return KeyOrder::kAscending; }

  // The bucket of `key`, in [0, buckets()). kFailedPrecondition: the key does not determine it.
  // kInvalidArgument as Encode.
  virtual absl::StatusOr<uint64_t> BucketOf(std::string_view key) const = 0;

  // Sets `*stored`. kInvalidArgument: the key is not of the form this distributor is for; then
  // `*stored` is unspecified.
  virtual absl::Status Encode(std::string_view key, std::string* stored) const = 0;

  // The original key: a view into `stored`, or into `*scratch` where the bytes had to change.
  // kDataLoss: no key that Encode makes.
  virtual absl::StatusOr<std::string_view> Decode(std::string_view stored,
                                                  std::string* scratch) const = 0;

  // One stored key a bucket, by bucket. kFailedPrecondition: more than kBucketsVisitedMax buckets.
  // kInvalidArgument as Encode.
  virtual absl::StatusOr<std::vector<std::string>> AllKeys(std::string_view key) const = 0;

  // The intervals that hold the original keys [start, stop); an empty stop means unbounded. Every
  // stored key of the range is in exactly one. Errors as AllKeys.
  virtual absl::StatusOr<DistributedRange> Intervals(std::string_view start,
                                                     std::string_view stop) const = 0;

  // The stored keys a get of `key` probes: that of Encode alone, or AllKeys.
  absl::StatusOr<std::vector<std::string>> Probes(std::string_view key) const;
};

// True if the range [start, stop) holds no key.
bool IsEmptyRange(std::string_view start, std::string_view stop);

}  // namespace hourcell
