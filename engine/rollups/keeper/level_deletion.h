// LevelDeletion: deletes points of metrics with a watermark together with their levels.
//
// The watermark's row names the levels, so a program without the rules deletes them, too.
//
//   mark the range of time, synced -> delete the levels, from the begin of the first interval on
//   -> delete the points -> only the intervals that the range cuts stay marked
//
// Levels go first: computing an hour again puts levels and never deletes them, so a crash may leave
// points without levels, in a marked range, but no level without points. The keeper rests meanwhile
// (RollupKeeper::WhileAtRest).

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "engine/query.h"
#include "engine/rollups/marks/rollup_marks.h"
#include "engine/table/retention.h"
#include "uid/uid_directory.h"

namespace hourcell {

class LevelDeletion {
 public:
  // Borrowed.
  struct Parts {
    RollupMarks* marks = nullptr;
    UidDirectory* uids = nullptr;
    const RowExpiry* expiry = nullptr;
  };
  LevelDeletion(const Layout& layout, const Parts& parts) : layout_(layout), parts_(parts) {}

  // Calls `delete_points` with queries that select levels, and then with `batch`. Sub queries with
  // ROLLUP_RAW keep their levels. A sub query that names a level alone marks the range, so that the
  // level comes back; not with `of_all_metrics`: other batches have the points. Errors: those of
  // `delete_points`, and storage's; the range stays marked.
  absl::Status Delete(const QuerySpec& batch,
                      bool of_all_metrics,
                      const std::function<absl::Status(const QuerySpec&)>& delete_points) const;

 private:
  // A metric with a watermark whose points or levels are deleted.
  struct Affected {
    Uid metric = 0;
    SubQuery query = {};
    std::vector<std::string> levels = {};  // to delete
    int64_t levels_from_ms = 0;            // the begin of the first interval, or of the delete
    RollupMark range = {};
    uint64_t step_s = 0;  // of the longest interval, and at least an hour
  };
  absl::StatusOr<std::vector<Affected>> Find(const QuerySpec& batch, bool of_all_metrics) const;
  absl::StatusOr<std::optional<Affected>> FindOne(const QuerySpec& batch,
                                                  const SubQuery& query,
                                                  const std::string& metric) const;
  absl::StatusOr<std::string> MetricOf(const SubQuery& query) const;
  absl::Status DeleteLevels(
      const Affected& one,
      const QuerySpec& batch,
      const std::function<absl::Status(const QuerySpec&)>& delete_points) const;
  absl::Status KeepEdges(const Affected& one) const;

  const Layout& layout_;
  const Parts parts_;
};

}  // namespace hourcell
