// HistogramWriter: stores histograms under the names of their series. It checks names and times as
// a put of points does, finds or creates the series, and writes the rows (histogram_store.h).
//
// It looks up names for each batch; the cache of series by spelling is for points. Thread-safe.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "engine/append.h"
#include "engine/histograms/histogram_store.h"
#include "engine/hours/read_pins.h"
#include "engine/options.h"
#include "engine/series/series_table.h"
#include "engine/stats.h"
#include "engine/store_observer.h"
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
  absl::Status AskObservers(std::string_view via);
  // Writes the rows of the histograms, and shows them to observers. `points` are those of the rows.
  absl::Status Write(std::span<const HistogramRow> rows,
                     std::span<const PointView* const> points,
                     const AppendOptions& options);
  // Refuses the histograms with faults, leaves out expired ones; the others, by index.
  absl::StatusOr<std::vector<size_t>> Check(std::span<const HistogramPoint> histograms,
                                            std::vector<RefusedPoint>* refused);

  const Options& options_;
  const bool only_opentsdb_;  // names of clients that use its protocol
  const std::vector<StoreObserver*> observers_;
  const bool is_refused_;  // an observer does not take histograms
  const bool always_sync_;
  const Parts parts_;
  Counter* const added_;
  Counter* const refused_;
  Counter* const expired_;
  Mutex order_;  // held from a write until observers know it
};

}  // namespace hourcell
