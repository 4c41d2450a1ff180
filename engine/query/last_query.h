// LastQuery: of which series the last point is wanted; LookupQuery: which series there are;
// NameQuery: which names there are. Parsing of parameters and JSON bodies is the server's; names
// are still text here.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/point.h"
#include "codec/rows/uid.h"

namespace hourcell {

// A tag that series must have. An empty text or "*" stands for any key, or any value. Of several
// matches with one key text (any key is such a text, too) one must hold, of different ones all.
struct TagMatch {
  std::string tagk;
  std::string tagv;
  friend bool operator==(const TagMatch&, const TagMatch&) = default;
};

// A series, its names resolved. Borrowed; lives for the visit.
struct FoundSeries {
  std::string_view tsuid;         // bytes
  std::string_view metric;        // UTF-8; the UID in hex if it has no name
  std::span<const TagView> tags;  // in the order of their keys' UIDs; the same of names
};

struct LastSubQuery {
  std::string metric;
  std::vector<TagMatch> tags = {};
  // Upper-case hex. If there are any, they are the series asked for; metric and tags do not count.
  std::vector<std::string> tsuids = {};
  friend bool operator==(const LastSubQuery&, const LastSubQuery&) = default;
};

struct LastQuery {
  std::vector<LastSubQuery> queries;
  bool resolve = false;  // fill in names and tags
  // How many hours before the present one are looked at; 0 = all there are.
  uint32_t back_hours = 0;
  // When the query is given up, in milliseconds of std::chrono::steady_clock; 0 = never.
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
};

struct LookupQuery {
  std::string metric;  // empty or "*": any
  std::vector<TagMatch> tags = {};
  uint64_t start_index = 0;  // so many are passed over
  uint64_t limit = 0;        // at most so many are visited; 0 = all
  int64_t deadline_ms = 0;   // as above
};

}  // namespace hourcell
