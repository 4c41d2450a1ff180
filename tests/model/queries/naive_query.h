// NaiveStore: the answers of a store, from maps of all points and loops over them: no plan, no
// columns, no cells. The rules are OpenTSDB's with the deviations of engine/query/README.md; of the
// engine it uses the types of queries and results, no arithmetic. Thread-compatible.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "codec/point.h"
#include "codec/rows/uid.h"
#include "engine/query.h"

namespace hourcell {

using NaiveTags = std::map<std::string, std::string>;

// The answer to a query: its series or, if errors are listed, any one error from the list.
struct NaiveAnswer {
  std::vector<ResultSeries> series;  // tags by name
  std::set<absl::StatusCode> errors;
};

// A regular expression that the naive store knows, and its predicate: whether a value matches.
struct NaiveRegexp {
  std::string pattern;
  bool (*fits)(std::string_view value);
};
const std::vector<NaiveRegexp>& NaiveRegexps();

// A value, and whether its time was given in milliseconds.
struct NaivePoint {
  Value value;
  bool is_ms = false;
};

struct NaiveSeries {
  std::string metric;
  NaiveTags tags;
  std::map<int64_t, NaivePoint> points;  // by ms
};

// The points and rows that a deletion removed.
struct NaiveDeletion {
  uint64_t points = 0;
  uint64_t rows = 0;  // with at least one such point
};

class NaiveStore {
 public:
  using NameKey = std::pair<UidKind, std::string>;

  // A name and the bytes of its UID, which decide the order of series, tags and groups.
  void AddName(UidKind kind, const std::string& name, const std::string& uid_bytes);
  // REQUIRES: the first has a UID, the second does not.
  void Rename(UidKind kind, const std::string& name, const std::string& new_name);
  // REQUIRES: it is of no series.
  void DeleteName(UidKind kind, const std::string& name) { uids_.erase({kind, name}); }
  bool HasName(UidKind kind, const std::string& name) const { return uids_.contains({kind, name}); }
  const std::map<NameKey, std::string>& uids() const { return uids_; }  // bytes

  // REQUIRES: all names were added. The last value put at an instant counts.
  void Put(const std::string& metric,
           const NaiveTags& tags,
           int64_t ms,
           Value value,
           bool is_ms = false);

  // Of the series the sub query selects, [start_ms, end_ms]. Nothing: one of its names is unknown.
  std::optional<NaiveDeletion> Delete(const SubQuery& query, int64_t start_ms, int64_t end_ms);
  // Removes points before `before_ms`, which is called for each metric.
  void Expire(const std::function<int64_t(const std::string& metric)>& before_ms);

  NaiveAnswer Query(const QuerySpec& spec) const;

  // The tsuids in hex that the sub query selects, ascending. Nothing: one of its names is unknown.
  std::optional<std::vector<std::string>> Select(const SubQuery& query) const;
  // All there ever were, by tsuid in hex.
  const std::map<std::string, NaiveSeries>& series() const { return series_; }

  // Upper-case hex.
  std::string TsuidOf(const std::string& metric, const NaiveTags& tags) const;

 private:
  using Points = std::map<int64_t, Value>;
  // A series on its way through a query.
  struct Member {
    std::string tsuid;
    const NaiveTags* tags = nullptr;
    Points points;
  };

  // Tag keys with their values, by the UID of the key.
  std::vector<std::pair<std::string, std::string>> InUidOrder(const NaiveTags& tags) const;
  bool KnowsNames(const SubQuery& query) const;
  bool Selects(const SubQuery& query, const NaiveSeries& series, const std::string& tsuid) const;
  std::vector<std::vector<Member>> Groups(const SubQuery& query, std::vector<Member> members) const;
  ResultSeries Describe(const SubQuery& query, const std::vector<Member>& group) const;
  void AddSubQuery(const QuerySpec& spec, size_t index, NaiveAnswer* answer) const;

  std::map<NameKey, std::string> uids_;        // bytes
  std::map<std::string, NaiveSeries> series_;  // by tsuid in hex
};

}  // namespace hourcell
