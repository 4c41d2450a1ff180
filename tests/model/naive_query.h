// NaiveStore: what a store answers, from maps of all points and loops over them: no plan, no
// columns, no cells. The rules are OpenTSDB's with the deviations of engine/query/README.md; of the
// engine it uses the types of queries and results, no arithmetic. Thread-compatible.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "codec/point.h"
#include "codec/uid.h"
#include "engine/query.h"

namespace hourcell {

using NaiveTags = std::map<std::string, std::string>;

// The answer to a query: its series or, if there are any, the errors of which it must have one.
struct NaiveAnswer {
  std::vector<ResultSeries> series;  // tags by name
  std::set<absl::StatusCode> errors;
  // A value outside of [start, end] is infinite, which the query may be refused for.
  bool infinity_is_hidden = false;
};

// A regular expression that the naive store knows, and whether a value has a match of it.
struct NaiveRegexp {
  std::string pattern;
  bool (*fits)(std::string_view value);
};
const std::vector<NaiveRegexp>& NaiveRegexps();

class NaiveStore {
 public:
  // A name and the bytes of its UID, which decide the order of series, tags and groups.
  void AddName(UidKind kind, const std::string& name, const std::string& uid_bytes);
  // REQUIRES: all names were added. The last value put at an instant counts.
  void Put(const std::string& metric, const NaiveTags& tags, int64_t ms, Value value);

  NaiveAnswer Query(const QuerySpec& spec) const;

  // Upper-case hex.
  std::string TsuidOf(const std::string& metric, const NaiveTags& tags) const;

 private:
  using Points = std::map<int64_t, Value>;
  struct Series {
    std::string metric;
    NaiveTags tags;
    Points points;
  };
  // A series on its way through a query.
  struct Member {
    std::string tsuid;
    const NaiveTags* tags = nullptr;
    Points points;
  };

  // Tag keys with their values, by the UID of the key.
  std::vector<std::pair<std::string, std::string>> InUidOrder(const NaiveTags& tags) const;
  bool KnowsNames(const SubQuery& query) const;
  bool Selects(const SubQuery& query, const Series& series, const std::string& tsuid) const;
  std::vector<std::vector<Member>> Groups(const SubQuery& query, std::vector<Member> members) const;
  ResultSeries Describe(const SubQuery& query, const std::vector<Member>& group) const;
  void AddSubQuery(const QuerySpec& spec, size_t index, NaiveAnswer* answer) const;

  std::map<std::pair<UidKind, std::string>, std::string> uids_;  // bytes
  std::map<std::string, Series> series_;                         // by tsuid in hex
};

}  // namespace hourcell
