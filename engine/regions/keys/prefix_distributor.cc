#include "engine/regions/keys/prefix_distributor.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <iterator>
#include <limits>

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "codec/rows/salt.h"
#include "engine/regions/md5.h"

// Why prefixes of one length that ascend with their buckets: an unbounded interval then ends where
// the next bucket begins (HBASEWD-17), and rows inside a bucket keep the order of their original
// keys.

namespace hourcell {
namespace {

constexpr size_t kBaseTimeBytes = 4;
constexpr size_t kLongBytes = 8;

absl::Status CheckBuckets(std::string_view name, uint64_t buckets, uint64_t min, uint64_t max) {
  if (buckets >= min && buckets <= max) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("distributor {}: expected {} to {} buckets, got {}", name, min, max, buckets));
}

// A Java hash modulo `buckets`. abs(-2^31) is 2^31 here, where Java's stays negative.
uint64_t BucketOfJavaHash(int32_t hash, uint64_t buckets) {
  return static_cast<uint64_t>(std::abs(int64_t{hash})) % buckets;
}

// The number in the key's first 8 bytes.
absl::StatusOr<uint64_t> LeadingLong(std::string_view name, std::string_view key) {
  if (key.size() >= kLongBytes) return LoadBigEndian(key.data(), kLongBytes);
  return absl::InvalidArgumentError(
      fmt::format("distributor {}: expected 8 or more, a number first, got a key of {} bytes", name,
                  key.size()));
}

class None : public PrefixDistributor {
 public:
  None() : PrefixDistributor({.buckets = 1, .width = 0}) {}
  std::string Spec() const override { return "none"; }
  absl::StatusOr<uint64_t> BucketOf(std::string_view /*key*/) const override { return 0; }
};

class SeriesSalt : public PrefixDistributor {
 public:
  explicit SeriesSalt(const Layout& layout)
      : PrefixDistributor({.buckets = layout.salt_buckets, .width = layout.salt_width}),
        layout_(layout) {}
  std::string Spec() const override { return "series-salt"; }
  absl::StatusOr<uint64_t> BucketOf(std::string_view key) const override {
    // The series is the key without its base time; a shorter key is the metric alone.
    std::string series(key.substr(0, layout_.metric_width));
    if (key.size() > layout_.metric_width + kBaseTimeBytes) {
      series += key.substr(layout_.metric_width + kBaseTimeBytes);
    }
    return SaltBucket(layout_, series);
  }

 private:
  Layout layout_;
};

class SimpleHash : public PrefixDistributor {
 public:
  explicit SimpleHash(uint64_t buckets) : PrefixDistributor({.buckets = buckets, .width = 1}) {}
  std::string Spec() const override { return fmt::format("simple-hash:{}", buckets()); }
  absl::StatusOr<uint64_t> BucketOf(std::string_view key) const override {
    return BucketOfJavaHash(JavaBytesHash(key), buckets());
  }
};

class Xxh3 : public PrefixDistributor {
 public:
  explicit Xxh3(uint64_t buckets)
      : PrefixDistributor({.buckets = buckets, .width = buckets <= 256 ? size_t{1} : 2}) {}
  std::string Spec() const override { return fmt::format("xxh3:{}", buckets()); }
  absl::StatusOr<uint64_t> BucketOf(std::string_view key) const override {
    return XXH3_64bits(key.data(), key.size()) % buckets();
  }
};

// `digits` hex digits of the MD5 and a separator.
class Md5Prefix : public PrefixDistributor {
 public:
  Md5Prefix(size_t digits, std::string_view separator)
      : PrefixDistributor({.buckets = uint64_t{1} << (4 * digits),
                           .width = digits,
                           .is_hex = true,
                           .separator = separator}),
        digits_(digits) {}
  std::string Spec() const override { return fmt::format("md5-{}hex", digits_); }
  absl::StatusOr<uint64_t> BucketOf(std::string_view key) const override {
    const std::array<uint8_t, 16> digest = Md5(key);
    uint64_t bucket = 0;
    for (size_t i = 0; i < digits_ / 2; ++i)
      bucket = bucket << 8 | digest[i];
    return bucket;
  }

 private:
  size_t digits_;
};

class TimeHash : public PrefixDistributor {
 public:
  explicit TimeHash(uint64_t buckets) : PrefixDistributor({.buckets = buckets, .width = 1}) {}
  std::string Spec() const override { return fmt::format("time-hash:{}", buckets()); }
  absl::StatusOr<uint64_t> BucketOf(std::string_view key) const override {
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t time, LeadingLong("time-hash", key));
    return BucketOfJavaHash(static_cast<int32_t>(static_cast<uint32_t>(time ^ (time >> 32))),
                            buckets());
  }
};

class RoundRobin : public PrefixDistributor {
 public:
  explicit RoundRobin(uint64_t buckets) : PrefixDistributor({.buckets = buckets, .width = 1}) {}
  std::string Spec() const override { return fmt::format("round-robin:{}", buckets()); }
  bool is_deterministic() const override { return false; }
  absl::StatusOr<uint64_t> BucketOf(std::string_view /*key*/) const override {
    return absl::FailedPreconditionError(
        "distributor round-robin: the bucket of a key is not known; expected a probe of each");
  }

 protected:
  absl::StatusOr<uint64_t> ChooseBucket(std::string_view /*key*/) const override {
    // Order among threads is of no matter, only that each number is taken once.
    return writes_.fetch_add(1, std::memory_order_relaxed) % buckets();
  }

 private:
  mutable std::atomic<uint64_t> writes_ = 0;
};

class Partition : public PrefixDistributor {
 public:
  explicit Partition(uint64_t partitions)
      : PrefixDistributor({.buckets = partitions, .width = kLongBytes}) {}
  std::string Spec() const override { return fmt::format("partition:{}", buckets()); }
  absl::StatusOr<uint64_t> BucketOf(std::string_view key) const override {
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t id, LeadingLong("partition", key));
    return id % buckets();
  }
};

template <typename T>
absl::StatusOr<std::unique_ptr<KeyDistributor>> Make(std::string_view name,
                                                     uint64_t buckets,
                                                     uint64_t min,
                                                     uint64_t max) {
  HOURCELL_RETURN_IF_ERROR(CheckBuckets(name, buckets, min, max));
  return std::make_unique<T>(buckets);
}

}  // namespace

void BucketPrefix::Append(uint64_t bucket, std::string* out) const {
  if (is_hex) {
    fmt::format_to(std::back_inserter(*out), "{:0{}x}", bucket, width);
  } else {
    AppendBigEndian(bucket, width, out);
  }
  out->append(separator);
}

absl::StatusOr<uint64_t> BucketPrefix::Read(std::string_view stored) const {
  uint64_t bucket = std::numeric_limits<uint64_t>::max();
  if (stored.size() >= size() && stored.substr(width, separator.size()) == separator) {
    const std::string_view number = stored.substr(0, width);
    if (!is_hex) {
      bucket = LoadBigEndian(number.data(), width);
    } else if (const auto bytes = FromHex(number); bytes.ok() && ToHex(*bytes) == number) {
      bucket = LoadBigEndian(bytes->data(), bytes->size());
    }
  }
  if (bucket < buckets) return bucket;
  return absl::DataLossError(
      fmt::format("stored key {}: expected it to begin with one of {} buckets, in {} bytes",
                  QuoteForMessage(stored), buckets, size()));
}

absl::Status PrefixDistributor::Encode(std::string_view key, std::string* stored) const {
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t bucket, ChooseBucket(key));
  stored->clear();
  prefix_.Append(bucket, stored);
  stored->append(key);
  return absl::OkStatus();
}

absl::StatusOr<std::string_view> PrefixDistributor::Decode(std::string_view stored,
                                                           std::string* /*scratch*/) const {
  HOURCELL_RETURN_IF_ERROR(prefix_.Read(stored).status());
  return stored.substr(prefix_.size());
}

absl::Status PrefixDistributor::CheckVisit() const {
  if (buckets() <= kBucketsVisitedMax) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("distributor {}: {} buckets cannot be visited one by one (at most {}); expected "
                  "a scan of the whole table",
                  Spec(), buckets(), kBucketsVisitedMax));
}

absl::StatusOr<std::vector<std::string>> PrefixDistributor::AllKeys(std::string_view key) const {
  HOURCELL_RETURN_IF_ERROR(CheckVisit());
  std::vector<std::string> keys(buckets());
  for (uint64_t bucket = 0; bucket < buckets(); ++bucket) {
    prefix_.Append(bucket, &keys[bucket]);
    keys[bucket].append(key);
  }
  return keys;
}

BucketInterval PrefixDistributor::IntervalOf(uint64_t bucket,
                                             std::string_view start,
                                             std::string_view stop) const {
  BucketInterval interval{.bucket = bucket, .start = "", .stop = ""};
  prefix_.Append(bucket, &interval.start);
  interval.start.append(start);
  if (!stop.empty()) {
    prefix_.Append(bucket, &interval.stop);
    interval.stop.append(stop);
  } else if (bucket + 1 < buckets()) {
    prefix_.Append(bucket + 1, &interval.stop);
  }
  return interval;
}

absl::StatusOr<DistributedRange> PrefixDistributor::Intervals(std::string_view start,
                                                              std::string_view stop) const {
  HOURCELL_RETURN_IF_ERROR(CheckVisit());
  DistributedRange range;
  if (IsEmptyRange(start, stop)) return range;
  for (uint64_t bucket = 0; bucket < buckets(); ++bucket)
    range.intervals.push_back(IntervalOf(bucket, start, stop));
  return range;
}

std::unique_ptr<KeyDistributor> MakeNone() {
  return std::make_unique<None>();
}

absl::StatusOr<std::unique_ptr<KeyDistributor>> MakeSeriesSalt(const Layout& layout) {
  HOURCELL_RETURN_IF_ERROR(ValidateLayout(layout));
  if (layout.salt_width == 0 || layout.fields != Layout().fields) {
    return absl::InvalidArgumentError(
        "distributor series-salt: expected a layout with a salt, and row keys of salt, metric, "
        "base time and tags");
  }
  return std::make_unique<SeriesSalt>(layout);
}

absl::StatusOr<std::unique_ptr<KeyDistributor>> MakeSimpleHash(uint64_t buckets) {
  return Make<SimpleHash>("simple-hash", buckets, 1, 256);
}

absl::StatusOr<std::unique_ptr<KeyDistributor>> MakeXxh3(uint64_t buckets) {
  return Make<Xxh3>("xxh3", buckets, 1, kBucketsVisitedMax);
}

std::unique_ptr<KeyDistributor> MakeMd5FourHex() {
  return std::make_unique<Md5Prefix>(4, "-");
}

std::unique_ptr<KeyDistributor> MakeMd5EightHex() {
  return std::make_unique<Md5Prefix>(8, "");
}

absl::StatusOr<std::unique_ptr<KeyDistributor>> MakeTimeHash(uint64_t buckets) {
  return Make<TimeHash>("time-hash", buckets, 1, 256);
}

absl::StatusOr<std::unique_ptr<KeyDistributor>> MakeRoundRobin(uint64_t buckets) {
  return Make<RoundRobin>("round-robin", buckets, 1, 256);
}

absl::StatusOr<std::unique_ptr<KeyDistributor>> MakePartition(uint64_t partitions) {
  return Make<Partition>("partition", partitions, 2, kBucketsVisitedMax);
}

}  // namespace hourcell
