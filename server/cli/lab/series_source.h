// The series of a layout benchmark that are not one of its workloads: of a described fleet, of the
// lines of an import file, or of the rows of a running server.
//
// A sample has the UIDs of its names in the order of their first use. A series has the mean
// interval of its points; one with a single point has a point a minute. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "bench/lab/layouts/workload.h"
#include "bench/lab/simulate/input/trace_names.h"
#include "codec/point.h"
#include "server/cli/data/scan/row_source.h"

namespace hourcell {

// A described fleet with more series gives this many, chosen at random.
inline constexpr size_t kGivenSeriesMax = 20'000;
// Lines of a file, and rows of a server, that a sample reads.
inline constexpr uint64_t kSampleLinesMax = 2'000'000;
inline constexpr uint64_t kSampleRowsMax = 200'000;

// Collects the series of points in any order.
class SeriesTally {
 public:
  // kResourceExhausted: more names than UIDs.
  absl::Status Add(std::string_view metric,
                   std::span<const TagView> tags,
                   const Timestamp& time,
                   const Value& value);

  size_t series() const { return series_.size(); }
  // "1200 series of 10 metrics <source>", with the series.
  layouts::GivenFleet Fleet(std::string_view source) const;

 private:
  struct Series {
    std::string tsuid = {};
    int64_t first_ms = 0;
    int64_t last_ms = 0;
    uint64_t points = 0;
    bool is_gauge = false;
  };

  TraceNames names_;
  std::vector<Series> series_;
};

// `spec` as in fleet.h. Ignores churn, late points, start and slices. kInvalidArgument:
// not a fleet.
absl::StatusOr<layouts::GivenFleet> SeriesOfFleet(std::string_view spec, uint64_t seed);

// The first kSampleLinesMax lines of an import file, plain or gzip, with or without "put ".
// kInvalidArgument: an invalid line, with its number, or no points; else errors of LineReader.
absl::StatusOr<layouts::GivenFleet> SeriesOfFile(const std::string& path);

// The first kSampleRowsMax rows of a server's last two hours before `now_ms`. kNotFound: they
// have no points; else errors of OpenRows.
absl::StatusOr<layouts::GivenFleet> SeriesOfServer(const RowSourceOptions& server, int64_t now_ms);

}  // namespace hourcell
