// Requests and answers of aggregates of rows: /api/admin/scan?aggregate= and hourcell scan
// --aggregate. Pure; thread-safe.
//
//   {"total":{"rows":3,"points":9,"avg":2.5},
//    "groups":[{"by":{"metric":"cpu","tag:host":null,"hour":1356998400},"rows":3,...},...],
//    "regions":[{"id":1,"name":"data,,1.<md5>.","start":"","end":"","rows":4,"points":12,
//                "ms":0.104},...],
//    "workers":2}
//
// "total" and the groups have the wanted aggregates, in the order of RowAggregate; null if no point
// has a value. "by" has the groupings of the request; a tag that the rows lack is null. Regions
// count the rows that were selected, with all points of their hours, and the milliseconds of all
// workers.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/queries.h"
#include "engine/query.h"

namespace hourcell {

enum class RowAggregate : uint8_t {
  kRows,
  kPoints,
  kMin,
  kMax,
  kSum,
  kAvg,
  kDev,
  kFirst,
  kLast,
  kKeyBytes,
  kCellBytes,
};

// The texts of a request, as HTTP and the command line have them.
struct RowAggregateTexts {
  std::string aggregate = {};            // "rows,avg", or "all"
  std::vector<std::string> by = {};      // "metric", "hour", "tag:host"
  std::vector<std::string> values = {};  // ">=5"
  std::string groups = {};               // the maximum; empty: kRowGroupsDefault

  // True without any text.
  bool is_empty() const;
};

struct RowAggregateRequest {
  std::vector<RowAggregate> wanted = {};
  RowAggregateSpec spec = {};
};

// kInvalidArgument: an unknown or repeated aggregate, none, another text that does not parse, or a
// limit of RowAggregateSpec.
absl::StatusOr<RowAggregateRequest> ParseRowAggregates(const RowAggregateTexts& texts);

void AppendRowAggregates(const RowAggregates& result,
                         const RowAggregateRequest& request,
                         std::string* out);

}  // namespace hourcell
