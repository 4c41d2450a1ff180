// Where a region is cut. The policy decides whether to cut (split_policy.h); this finds the key. It
// refuses points that HBase would only refuse later, or accept although they are useless: the
// region's own start, a key outside the region, a point with next to nothing on one side, a prefix
// group that would be cut in two. The result is always a point, or a reason.
//
// It reads storage through two functions, so the engine and the simulator run the same code. Pure
// otherwise; thread-safe as far as these functions are.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/regions/region_info.h"
#include "engine/regions/split/split_restriction.h"
#include "engine/regions/split/split_settings.h"

namespace hourcell {

struct FileSpan {
  std::string smallest = {};  // first row
  std::string largest = {};   // last row, inclusive
  std::string mid = {};       // first row of the middle block, for SplitPlace::kHBase; or empty
  uint64_t bytes = 0;
  uint32_t store = 0;  // which store (family) of the region
  uint32_t level = 0;  // of the LSM tree; files of level 0 may overlap
};

struct SplitTarget {
  RegionRange range = {};
  std::vector<FileSpan> files = {};  // in any order; may reach beyond the range
  SplitPlace place = SplitPlace::kBytes;
  // kLoad: the point of the verdict. kEnd: the largest key of the region.
  std::string hint = {};
  SplitRestriction restriction = {};
  uint64_t daughter_bytes_min = 0;
};

struct SplitProbe {
  // About how many bytes the keys in [start, end) take; an empty `end` is above all keys. Asked
  // some 2 log2(files) + 30 times.
  std::function<uint64_t(std::string_view start, std::string_view end)> bytes_between;
  // The first row from `key` on, empty if there are no more rows. May be null: then points are any
  // keys and not those of rows, which is as good where each row is one key.
  std::function<std::string(std::string_view key)> first_row_from = nullptr;
};

struct SplitPoint {
  std::string key = {};     // first key of the right daughter; empty = none
  std::string reason = {};  // why `key` is empty, or is not the one looked for
  uint64_t left_bytes = 0;
  uint64_t right_bytes = 0;

  bool found() const { return !key.empty(); }
};

// A point by the target's place, moved to the start of its group (HBase's truncation). If that is
// an illegal or useless point, the end of the group, then the next group below; else none.
//   kBytes  the byte-weighted median: 45 to 55 % on each side if no key has more than a tenth
//   kHBase  the middle of the largest file; no median where a level has many files
//   kLoad   the hint
//   kEnd    above the hint; the right daughter may begin empty
SplitPoint FindSplitPoint(const SplitTarget& target, const SplitProbe& probe);

// The fault of a point, by the checks of HBase's SplitTableRegionProcedure.
enum class SplitPointFault : uint8_t { kNone, kEmpty, kEqualsStart, kOutside };
SplitPointFault CheckSplitPoint(const RegionRange& range, std::string_view key);

// A user's point, truncated by the restriction. kInvalidArgument with the key, the range and the
// expected form.
absl::StatusOr<std::string> CheckUserPoint(const RegionRange& range,
                                           const SplitRestriction& restriction,
                                           std::string_view key);

// HBase's point of a region: the mid key of the largest file of the largest store; the first of
// equals. A file whose mid key is its first or last row has no point. Empty if no file has one.
std::string HBaseSplitPoint(std::span<const FileSpan> files);

// Which of n block keys is the mid key of a file with a single-level index: n / 2, (n - 1) / 2 in
// older HBase. REQUIRES: blocks > 0.
enum class MidKeyRule : uint8_t { kCurrent, kOld };
size_t MidBlockOfSingleLevelIndex(size_t blocks, MidKeyRule rule);

// Of a multi-level index: the data block whose key the writer notes, counted from 0.
size_t MidBlockOfMultiLevelIndex(size_t data_blocks);

// bytes_between for files whose span alone is known: assumes keys spread evenly over it, by the 8
// bytes in which they differ first.
uint64_t BytesOfSpans(std::span<const FileSpan> files,
                      std::string_view start,
                      std::string_view end);

// A short key in the middle of (low, high), by bytes as digits. REQUIRES: low < high, not both
// neighbours: high is not low followed by zero bytes.
std::string KeyBetween(std::string_view low, std::string_view high);

}  // namespace hourcell
