#include "engine/regions/keys/time_distributor.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/regions/keys/prefix_distributor.h"
#include "engine/regions/presplit/presplit.h"

// Why times are 8 bytes below 2^63: 2^63 - 1 - time then never overflows and sorts newest first
// as bytes. A cyclic distributor refuses a period below TTL + 2 x the time between major LSM
// compactions: rows of the lap before would come back.

namespace hourcell {
namespace {

constexpr size_t kTimeBytes = 8;

// A distributor without buckets: a key has one place.
class OnePlace : public KeyDistributor {
 public:
  uint64_t buckets() const override { return 1; }
  absl::StatusOr<uint64_t> BucketOf(std::string_view /*key*/) const override { return 0; }
  absl::StatusOr<std::vector<std::string>> AllKeys(std::string_view key) const override {
    return Probes(key);
  }
};

class Reversed : public OnePlace {
 public:
  std::string Spec() const override { return "reversed"; }
  KeyOrder order() const override { return KeyOrder::kNone; }
  absl::Status Encode(std::string_view key, std::string* stored) const override {
    stored->assign(key.rbegin(), key.rend());
    return absl::OkStatus();
  }
  absl::StatusOr<std::string_view> Decode(std::string_view stored,
                                          std::string* scratch) const override {
    scratch->assign(stored.rbegin(), stored.rend());
    return *scratch;
  }
  absl::StatusOr<DistributedRange> Intervals(std::string_view start,
                                             std::string_view stop) const override {
    DistributedRange range;
    if (IsEmptyRange(start, stop)) return range;
    range.intervals.emplace_back();
    range.is_exact = start.empty() && stop.empty();
    return range;
  }
};

// The least key after all that begin with `prefix`; empty if no key is above them.
std::string EndOfPrefix(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && end.back() == '\xff')
    end.pop_back();
  if (!end.empty()) end.back() = static_cast<char>(end.back() + 1);
  return end;
}

class ReversedTime : public OnePlace {
 public:
  explicit ReversedTime(size_t time_at) : time_at_(time_at) {}
  std::string Spec() const override { return fmt::format("reversed-time:{}", time_at_); }
  KeyOrder order() const override { return KeyOrder::kNewestFirst; }

  absl::Status Encode(std::string_view key, std::string* stored) const override {
    if (!HasTime(key)) {
      return absl::InvalidArgumentError(
          fmt::format("distributor {}: key {}: expected 8 bytes of time below 2^63 after byte {}",
                      Spec(), QuoteForMessage(key), time_at_));
    }
    Reverse(key, stored);
    return absl::OkStatus();
  }

  absl::StatusOr<std::string_view> Decode(std::string_view stored,
                                          std::string* scratch) const override {
    if (!HasTime(stored)) {
      return absl::DataLossError(
          fmt::format("stored key {}: expected 8 bytes of reversed time after byte {}",
                      QuoteForMessage(stored), time_at_));
    }
    Reverse(stored, scratch);
    return *scratch;
  }

  absl::StatusOr<DistributedRange> Intervals(std::string_view start,
                                             std::string_view stop) const override {
    DistributedRange range;
    if (IsEmptyRange(start, stop)) return range;
    const bool is_one_series =
        HasTime(start) && HasTime(stop) && start.substr(0, time_at_) == stop.substr(0, time_at_);
    range.intervals.push_back(is_one_series ? OfOneSeries(start, stop) : OfMany(start, stop));
    const size_t whole = time_at_ + kTimeBytes;
    // Bounds inside the bytes before the time mean the same for stored keys.
    const bool is_before_time = start.size() <= time_at_ && stop.size() <= time_at_;
    range.is_exact = is_one_series ? start.size() == whole && stop.size() == whole : is_before_time;
    return range;
  }

 private:
  bool HasTime(std::string_view key) const {
    return key.size() >= time_at_ + kTimeBytes && TimeOf(key) <= kReversedTimeMax;
  }
  uint64_t TimeOf(std::string_view key) const {
    return LoadBigEndian(key.data() + time_at_, kTimeBytes);
  }
  void Reverse(std::string_view key, std::string* reversed) const {
    reversed->assign(key);
    StoreBigEndian(ReverseTime(TimeOf(key)), kTimeBytes, reversed->data() + time_at_);
  }

  BucketInterval OfOneSeries(std::string_view start, std::string_view stop) const {
    // Reversed, the last time comes first. It belongs to the range only if the bound is longer than
    // its time: [.., t) ends before t, [.., t ++ rest) has keys of t.
    const bool has_last = stop.size() > time_at_ + kTimeBytes;
    const uint64_t first = ReverseTime(TimeOf(stop)) + (has_last ? uint64_t{0} : 1);
    BucketInterval interval{.bucket = 0,
                            .start = std::string(start.substr(0, time_at_)),
                            .stop = std::string(start.substr(0, time_at_))};
    AppendBigEndian(first, kTimeBytes, &interval.start);
    AppendBigEndian(ReverseTime(TimeOf(start)) + 1, kTimeBytes, &interval.stop);
    return interval;
  }

  // All times of whatever the first bytes of the bounds let in.
  BucketInterval OfMany(std::string_view start, std::string_view stop) const {
    return {.bucket = 0,
            .start = std::string(start.substr(0, time_at_)),
            .stop = stop.size() <= time_at_ ? std::string(stop)
                                            : EndOfPrefix(stop.substr(0, time_at_))};
  }

  size_t time_at_;
};

// The time at the front of a bound, which may be cut short: the least time of a key from there on.
uint64_t TimeOfBound(std::string_view bound) {
  std::string time(bound.substr(0, kTimeBytes));
  time.resize(kTimeBytes, '\0');
  return LoadBigEndian(time.data(), kTimeBytes);
}

class Cyclic : public PrefixDistributor {
 public:
  explicit Cyclic(const CycleOptions& options)
      : PrefixDistributor({.buckets = options.period_s / options.slot_s, .width = 2}),
        options_(options) {}

  std::string Spec() const override {
    return fmt::format("cyclic:period={}s,slot={}s,ttl={}s,major={}s", options_.period_s,
                       options_.slot_s, options_.ttl_s, options_.lsm_compaction_s);
  }

  absl::StatusOr<uint64_t> BucketOf(std::string_view key) const override {
    if (key.size() < kTimeBytes) {
      return absl::InvalidArgumentError(fmt::format(
          "distributor cyclic: key {}: expected 8 bytes of time first", QuoteForMessage(key)));
    }
    return SlotOf(LoadBigEndian(key.data(), kTimeBytes)) % buckets();
  }

  absl::StatusOr<DistributedRange> Intervals(std::string_view start,
                                             std::string_view stop) const override {
    DistributedRange range;
    if (IsEmptyRange(start, stop)) return range;
    const uint64_t first = SlotOf(TimeOfBound(start));
    uint64_t last = SlotOf(UINT64_MAX);
    if (!stop.empty()) {
      // A bound without anything after its time leaves that time out.
      const uint64_t time = TimeOfBound(stop);
      if (time == 0 && stop.size() <= kTimeBytes) return range;
      last = SlotOf(stop.size() <= kTimeBytes ? time - 1 : time);
    }
    if (last - first + 1 >= buckets()) return PrefixDistributor::Intervals(start, stop);
    for (uint64_t slot = first; slot <= last; ++slot)
      range.intervals.push_back(IntervalOf(slot % buckets(), start, stop));
    return range;
  }

 private:
  // Counted from 1970, not from the start of a period.
  uint64_t SlotOf(uint64_t time_ms) const { return time_ms / (options_.slot_s * 1000); }

  CycleOptions options_;
};

}  // namespace

uint64_t ReverseTime(uint64_t time) {
  HOURCELL_DCHECK(time <= kReversedTimeMax);
  return kReversedTimeMax - time;
}

std::unique_ptr<KeyDistributor> MakeReversed() {
  return std::make_unique<Reversed>();
}

absl::StatusOr<std::unique_ptr<KeyDistributor>> MakeReversedTime(size_t time_at) {
  if (time_at > kSplitKeyBytesMax) {
    return absl::InvalidArgumentError(
        fmt::format("distributor reversed-time: expected at most {}, got a time after byte {}",
                    kSplitKeyBytesMax, time_at));
  }
  return std::make_unique<ReversedTime>(time_at);
}

absl::Status CheckCycle(const CycleOptions& options) {
  constexpr uint64_t kSecondsMax = INT64_MAX / 1000 / 4;  // sums of all three fit
  if (std::max({options.period_s, options.ttl_s, options.lsm_compaction_s}) > kSecondsMax) {
    return absl::InvalidArgumentError(
        fmt::format("cyclic keys: expected at most {} s, got {} s, {} s and {} s", kSecondsMax,
                    options.period_s, options.ttl_s, options.lsm_compaction_s));
  }
  const uint64_t period_min_s = options.ttl_s + 2 * options.lsm_compaction_s;
  if (options.period_s >= period_min_s) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("cyclic keys: expected at least {} s, got a period of {} s: TTL {} s + 2 x {} s "
                  "between major compactions, or rows of the lap before come back",
                  period_min_s, options.period_s, options.ttl_s, options.lsm_compaction_s));
}

absl::StatusOr<std::unique_ptr<KeyDistributor>> MakeCyclic(const CycleOptions& options) {
  HOURCELL_RETURN_IF_ERROR(CheckCycle(options));
  if (options.slot_s == 0 || options.period_s % options.slot_s != 0) {
    return absl::InvalidArgumentError(
        fmt::format("cyclic keys: expected a divisor of the period, {} s, got slots of {} s",
                    options.period_s, options.slot_s));
  }
  const uint64_t slots = options.period_s / options.slot_s;
  if (slots < 2 || slots > kBucketsVisitedMax) {
    return absl::InvalidArgumentError(
        fmt::format("cyclic keys: expected 2 to {} slots, got {}", kBucketsVisitedMax, slots));
  }
  return std::make_unique<Cyclic>(options);
}

}  // namespace hourcell
