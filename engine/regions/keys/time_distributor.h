// Distributors that change where in the key space a time lies, for keys that have one.
//
//   reversed        the bytes of the key in reverse: ids whose last digits vary are spread, and
//                   ranges of ids are no longer ranges of keys
//   reversed time   [P bytes][time][rest] -> [P bytes][2^63 - 1 - time][rest]: the newest first, so
//                   that LIMIT 1 reads one block
//   cyclic          [time][rest] -> [slot][time][rest], slot = time / slot length modulo the slots
//                   of a period: split keys at slots stay in use, and regions do not go empty as
//                   time passes, because each lap fills them again
//
// Times are 8 bytes, big-endian, in milliseconds, below 2^63. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/regions/keys/key_distributor.h"

namespace hourcell {

inline constexpr uint64_t kReversedTimeMax = INT64_MAX;

// 2^63 - 1 - time, which is its own inverse. REQUIRES: time <= kReversedTimeMax.
uint64_t ReverseTime(uint64_t time);

std::unique_ptr<KeyDistributor> MakeReversed();

// Inside one interval times descend. A range whose bounds have the same first P bytes and whole
// times is one exact interval, unless the bounds are longer than that; any other is one interval
// that holds more. kInvalidArgument: `time_at`, which is P, above kSplitKeyBytesMax.
absl::StatusOr<std::unique_ptr<KeyDistributor>> MakeReversedTime(size_t time_at);

struct CycleOptions {
  uint64_t period_s = 0;
  uint64_t slot_s = 0;            // divides the period
  uint64_t ttl_s = 0;             // how long a row is kept
  uint64_t lsm_compaction_s = 0;  // longest time until expired rows are gone for good
};

// The rule of cyclic keys: period >= TTL + 2 x the time between major compactions. Before rows of a
// slot are written again, those of the lap before must be gone: one compaction may run too early to
// drop the last rows, the second may take its time. kInvalidArgument if it is broken, or a sum does
// not fit 63 bits of milliseconds.
absl::Status CheckCycle(const CycleOptions& options);

// A range visits the slots its times are in, in order of time, and no other; inside a slot rows of
// other laps are outside the interval. kInvalidArgument: CheckCycle's, a slot that does not divide
// the period, fewer than 2 slots or more than kBucketsVisitedMax.
absl::StatusOr<std::unique_ptr<KeyDistributor>> MakeCyclic(const CycleOptions& options);

}  // namespace hourcell
