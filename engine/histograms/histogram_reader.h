// HistogramReader: reads the histograms of groups of series for a query, and sums those of each
// group.
//
//   rows of the members -> histograms -> increases, for a rate of cumulative ones
//     -> sum by instant, or by bucket of downsampling
//     -> a series for each percentile, then a series for each bucket of values
//
// One scan reads as many groups as fit in memory. If the sums of a scan become too large, its last
// groups are dropped, and read again by the next scan.
//
// Histograms are summed only where their instants, or buckets of time, are equal, without
// interpolation, and only with those of their kind. A series of a bucket of values has each bound
// that any histogram of the group has. (OpenTSDB shows those of the first histogram.) Of
// exponential histograms, the series have the lowest scale of the group. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/row_key.h"
#include "engine/query/columns.h"
#include "engine/query/memory_account.h"
#include "engine/query/query_spec.h"
#include "engine/query/stages/downsampler.h"
#include "engine/query/stages/group_by.h"
#include "engine/rows/histogram_cell.h"
#include "engine/table/table.h"

namespace hourcell {

// kInvalidArgument: in a query of histograms, the aggregator is neither sum nor none, the function
// of the downsampling is not sum, or a percentile is not in [0, 100].
absl::Status CheckHistogramQuery(const SubQuery& query);

// Memory of the sums of one scan, unless it is of one group.
inline constexpr size_t kHistogramScanBytes = size_t{32} << 20;

// The histograms of a group.
struct HistogramGroup {
  std::map<int64_t, HistogramValue> sums;  // by time in milliseconds, in [start, end]
  std::vector<uint32_t> present;           // members with a histogram in the times read
};

// A series of a query's result.
struct HistogramSeries {
  std::string metric;
  Span points;
};

class HistogramReader {
 public:
  // Borrowed.
  struct Parts {
    const RowKeyCodec* row_keys = nullptr;
    TableView* view = nullptr;
    // Counts histograms that were read, and their bytes. An error ends the read.
    std::function<absl::Status(uint64_t histograms, uint64_t bytes)> count;
    size_t scan_bytes = kHistogramScanBytes;
  };
  // `visible_from_ms`: histograms before it are expired. `query` and `range` are borrowed.
  HistogramReader(const Parts& parts,
                  const SubQuery& query,
                  const QueryRange& range,
                  int64_t visible_from_ms);

  // kResourceExhausted: too many buckets of time.
  absl::Status Begin();

  // Reads the next groups of `groups` from `first` on, by one scan: at least one. `tsuid_of`
  // returns the tsuid of a member. `*hold` counts the memory of the result. Each histogram is
  // counted once, even if it is read twice. REQUIRES: Begin succeeded. kDataLoss: a histogram does
  // not decode; kInvalidArgument: histograms of two kinds would be summed; kResourceExhausted.
  absl::StatusOr<std::vector<HistogramGroup>> Read(
      const SeriesGroups& groups,
      size_t first,
      const std::function<std::string_view(uint32_t)>& tsuid_of,
      MemoryHold* hold);

  // The series of the group: percentiles ascending, then the buckets. `hold` as in Read.
  absl::StatusOr<std::vector<HistogramSeries>> SeriesOf(std::string_view metric,
                                                        const HistogramGroup& group,
                                                        MemoryHold* hold) const;

 private:
  class Scan;
  // Histograms that were read, and their bytes.
  struct ReadCount {
    uint64_t histograms = 0;
    uint64_t bytes = 0;
    ReadCount& operator+=(const ReadCount& other) {
      histograms += other.histograms;
      bytes += other.bytes;
      return *this;
    }
  };

  // The time of the bucket of an instant, or the instant; below the start: it is in none.
  int64_t TimeOf(int64_t ms) const;
  static absl::Status AppendBuckets(std::string_view metric,
                                    const HistogramGroup& group,
                                    std::vector<HistogramSeries>* series,
                                    MemoryHold* hold);
  static absl::Status AppendExponentialBuckets(std::string_view metric,
                                               const HistogramGroup& group,
                                               std::vector<HistogramSeries>* series,
                                               MemoryHold* hold);

  const Parts parts_;
  const SubQuery& query_;
  const QueryRange& range_;
  const int64_t visible_from_ms_;
  std::vector<double> percentiles_;    // ascending
  std::vector<int64_t> bucket_times_;  // of downsampling, ascending
  size_t groups_at_once_ = SIZE_MAX;   // of the next scan, at most
  ReadCount counted_ahead_;            // of dropped groups: they are not counted again
};

}  // namespace hourcell
