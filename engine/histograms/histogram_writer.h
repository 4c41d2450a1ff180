// HistogramWriter: stores histograms under the names of their series. It checks names and times as
// a put of points does, finds or creates the series, and writes the rows (histogram_store.h).
//
// It looks up names for each batch; the cache of series by spelling is for points. Thread-safe.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/append.h"
#include "engine/histograms/histogram_store.h"
#include "engine/hours/read_pins.h"
#include "engine/options.h"
#include "engine/series/series_table.h"
#include "engine/stats.h"
#include "engine/table/retention.h"
#include "uid/uid_directory.h"

namespace hourcell {

class HistogramWriter {
 public:
  // Borrowed; they outlive the writer.
  struct Parts {
    HistogramStore* store = nullptr;
    SeriesTable* series = nullptr;
    UidDirectory* uids = nullptr;
    const RowExpiry* expiry = nullptr;  // null: nothing expires
    ReadPins* puts = nullptr;           // has a pin for each put under way; may be null
    Stats* stats = nullptr;
  };
  HistogramWriter(const Options& options, const Parts& parts);

  // Points::AppendHistograms. `*new_series` is the number of series that were created.
  absl::Status Append(std::span<const HistogramPoint> histograms,
                      std::vector<RefusedPoint>* refused,
                      const AppendOptions& options,
                      size_t* new_series);

 private:
  std::optional<PointError> FaultOf(const HistogramPoint& one) const;
  // Refuses the histograms with faults, leaves out expired ones; the others, by index.
  absl::StatusOr<std::vector<size_t>> Check(std::span<const HistogramPoint> histograms,
                                            std::vector<RefusedPoint>* refused);

  const Options& options_;
  const bool only_opentsdb_;  // names of clients that use its protocol
  const bool has_observers_;
  const bool always_sync_;
  const Parts parts_;
  Counter* const added_;
  Counter* const refused_;
  Counter* const expired_;
};

}  // namespace hourcell
