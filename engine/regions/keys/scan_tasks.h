// ScanTasks: a scan over the intervals of a distributor as work for several threads: each interval
// is cut where regions meet, as HBaseWD's WdTableInputFormat cuts it into input splits, and where a
// piece is still large, inside a region. Every stored key of the intervals is in exactly one task.
//
//   intervals   bucket 0 [.........)  bucket 1 [.........)
//   regions     [      a      )[      b      )[    c     )
//   tasks       [  0 in a     )[0 b)  [1 in b)[ 1 in c  )
//
// Order holds inside a task, not between them: this is for aggregates that need none, one reducer a
// thread. Pure; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/regions/keys/key_distributor.h"

namespace hourcell {

// A region as planning sees it: stored keys [start, end); an empty end means unbounded.
struct RegionBytes {
  std::string_view start;
  std::string_view end;
  uint64_t bytes = 0;
};

struct ScanTask {
  uint64_t bucket = 0;
  size_t region = 0;  // position among the regions given
  std::string start;  // stored keys, [start, stop); an empty stop means unbounded
  std::string stop;
  uint64_t bytes = 0;  // estimated
};

struct ScanTaskOptions {
  // A task estimated larger is halved, at the middle of its keys as numbers (SplitBytes), until it
  // is not, or has been halved kHalvingsMax times.
  uint64_t task_bytes_max = UINT64_MAX;
  // The bytes of stored keys [start, stop). Without it the pieces of a region share its bytes
  // evenly, and a piece is never halved.
  std::function<uint64_t(std::string_view start, std::string_view stop)> estimate;
};

inline constexpr uint32_t kHalvingsMax = 8;

// The tasks, by interval, then by key. kInvalidArgument: regions that do not follow each other
// without gap or overlap, from an empty start to an empty end, or intervals that are empty.
absl::StatusOr<std::vector<ScanTask>> PlanScanTasks(std::span<const BucketInterval> intervals,
                                                    std::span<const RegionBytes> regions,
                                                    const ScanTaskOptions& options);

// Positions in `tasks` for each of `workers` workers, so that their bytes are about equal: the
// largest task left goes to the worker with the least (LPT; Graham 1969: at most 4/3 of the best
// there is). REQUIRES: workers > 0.
std::vector<std::vector<size_t>> AssignWorkers(std::span<const ScanTask> tasks, size_t workers);

}  // namespace hourcell
