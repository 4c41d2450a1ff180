// LastQuery: a query for the last points of series; LookupQuery: a query for series; NameQuery: a
// query for names; MetricSearch: a query for metrics and their sizes. The server parses parameters
// and JSON bodies; names are still text here.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/point.h"
#include "codec/rows/uid.h"

namespace hourcell {

// A tag that series must have. An empty text or "*" matches any key, or any value. Of several
// matches with the same key text (also the text for any key), one must hold; those with different
// key texts must all hold.
struct TagMatch {
  std::string tagk;
  std::string tagv;
  friend bool operator==(const TagMatch&, const TagMatch&) = default;
};

// Times in Unix milliseconds, both inclusive.
struct PointTimes {
  int64_t start_ms = 0;
  int64_t end_ms = 0;
};

// A series, its names resolved. Borrowed; lives for the visit.
struct FoundSeries {
  std::string_view tsuid;         // bytes
  std::string_view metric;        // UTF-8; the UID in hex if it has no name
  std::span<const TagView> tags;  // in the order of their keys' UIDs; names as for metric
};

struct LastSubQuery {
  std::string metric;
  std::vector<TagMatch> tags = {};
  // Upper-case hex. If there are any, they select the series; metric and tags are ignored.
  std::vector<std::string> tsuids = {};
  friend bool operator==(const LastSubQuery&, const LastSubQuery&) = default;
};

struct LastQuery {
  std::vector<LastSubQuery> queries;
  bool resolve = false;  // fill in names and tags
  // The number of hours before the present one to search; 0 = all.
  uint32_t back_hours = 0;
  // The query's deadline, in milliseconds of std::chrono::steady_clock; 0 = none.
  int64_t deadline_ms = 0;
};

// The last point of a series. Borrowed; lives for the visit.
struct LastPoint {
  FoundSeries series;  // without resolve only its tsuid
  int64_t ms = 0;      // since 1970
  Value value;
};

struct NameQuery {
  UidKind kind = UidKind::kMetric;
  std::string prefix;       // UTF-8; may be empty
  int64_t deadline_ms = 0;  // as above
  // Leaves out names without series, but not virtual metrics. A process that follows the writer
  // visits all names of tags. Also leaves out the metrics of levels of rollups, unless the prefix
  // begins as theirs; a metric with rollups alone is visited.
  bool only_with_series = false;
  // Of metrics: as LookupQuery::with_points.
  std::optional<PointTimes> with_points = {};
};

enum class MetricOrder : uint8_t {
  kName,    // ascending, by bytes
  kSeries,  // most series first
  kNewest,  // highest UID first
};

// A query for metrics that have series, or are virtual. Metrics of levels of rollups are left out,
// unless the part begins as their names do.
struct MetricSearch {
  std::string part = {};  // the names contain it, in any case of ASCII; empty: all metrics
  MetricOrder order = MetricOrder::kName;
  size_t limit = 0;         // maximum number of metrics in the answer
  int64_t deadline_ms = 0;  // as above
};

struct RankedMetric {
  std::string name;       // UTF-8
  std::string uid_bytes;  // as wide as the layout says
  uint64_t series = 0;
};

struct MetricRanking {
  std::vector<RankedMetric> metrics;  // the first of the order
  uint64_t total = 0;                 // metrics that have the part
  uint64_t series = 0;                // the sum of all, if they are in the order of their series
};

struct LookupQuery {
  std::string metric;  // empty or "*": any
  std::vector<TagMatch> tags = {};
  uint64_t start_index = 0;  // number of results to skip
  uint64_t limit = 0;        // maximum number of results; 0 = all
  int64_t deadline_ms = 0;   // as above
  // Leaves out series without points on the days (UTC) of these times. Leaves out no series if the
  // days of points are unknown: of virtual metrics, of more than kLookupDaysMax days, and in a
  // process that follows the writer.
  std::optional<PointTimes> with_points = {};
};

inline constexpr uint32_t kLookupDaysMax = 400;

}  // namespace hourcell
