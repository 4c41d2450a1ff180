// Fleet: a simulated fleet of machines that send points, as a PutSource. From text:
//
//   metrics=10,tags=host:1000/cpu:8,interval=10s,duration=1d
//
//   metrics    how many metrics; each has one series for each combination of tag values
//   tags       tag keys and the number of values of each; the first churns
//   interval   between two points of a series
//   duration   how long they are sent
//   start      of the simulation, seconds since 1970, a whole hour; default 2013-01-01
//   slice      points of a series that come within it are one step; default 1m, or an hour for rows
//   churn      share of the first tag's values that is replaced each day; default 0
//   skew       exponent of Zipf's law over the series: the k-th sends 1 / k^skew as often as the
//              first, the same number of points in all; default 0, all alike
//   late       share:age, the share of points that are back-filled, up to so old: 0.01:6h
//   uid        bytes of a UID, 1 to 8; default 3
//
// UIDs are sequential, metrics from 1, values of all tag keys from one counter, as in OpenTSDB.
// Points are spread evenly over time. The seed determines the churn times of hosts and the late
// points. It keeps no state per series. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "bench/lab/simulate/input/put_source.h"

namespace hourcell {

inline constexpr uint64_t kFleetSeriesMax = 100'000'000;

// Maps points to steps of a simulation.
enum class FleetSteps : uint8_t {
  kPoints,  // in order of sending, a slice at a time
  kRows,    // a row at a time, within the first minutes after its hour, as in Hourcell
};

struct FleetSpec {
  struct Tag {
    std::string name = {};
    uint64_t values = 1;
    friend bool operator==(const Tag&, const Tag&) = default;
  };
  uint64_t metrics = 1;
  std::vector<Tag> tags = {{.name = "host", .values = 100}};
  uint64_t interval_ms = 10'000;
  uint64_t duration_ms = 86'400'000;
  uint64_t start_s = 1'356'998'400;
  uint64_t slice_ms = 60'000;
  double churn_per_day = 0;
  double skew = 0;
  double late_share = 0;
  uint64_t late_ms = 0;
  size_t uid_bytes = 3;

  uint64_t series() const;
  // The approximate number of all points.
  double points() const;

  friend bool operator==(const FleetSpec&, const FleetSpec&) = default;
};

// kInvalidArgument: a field that is unknown, malformed or out of range, more than kFleetSeriesMax
// series, or more names than UIDs of this width.
absl::StatusOr<FleetSpec> ParseFleet(std::string_view text);

// "90s", "15m", "2h", "7d", "500ms" in milliseconds; an error for any other text.
absl::StatusOr<uint64_t> ParseSpanMs(std::string_view text);

// REQUIRES: the spec comes from ParseFleet.
std::unique_ptr<PutSource> MakeFleet(const FleetSpec& spec, FleetSteps steps, uint64_t seed);

}  // namespace hourcell
