// Prints parsed sub queries: "query" of a result with show_query, and in the list of queries; and
// their texts.
//
// Pure; thread-safe.

#pragma once

#include <cstddef>
#include <string>

#include "engine/query/query_spec.h"

namespace hourcell {

// Appends {"aggregator":...,"metric":...}, with OpenTSDB's fields in its order, then "functions",
// if there are any. `index` is the sub query's position in its request. The UIDs of filterTagKs are
// omitted: null.
void AppendSubQueryJson(const SubQuery& query, size_t index, std::string* out);

// A specifier that ParseDownsampleSpec accepts: "1m-avg-nan", "0all-sum", "1dc-sum". It does not
// contain the timezone.
std::string DownsampleText(const DownsampleSpec& spec);

// A text that ParseSubQueryText parses to `query`: "sum:rate:1m-avg:cpu{host=*}{dc=lga}". Without
// the text of explicit tags, percentiles, rollups and functions. REQUIRES: a metric, no tsuids, and
// filters that ParseSubQueryText accepts.
std::string SubQueryText(const SubQuery& query);

}  // namespace hourcell
