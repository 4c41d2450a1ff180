// Sub queries as text again: the "query" of a result with show_query, and what is listed of queries
// that run.
//
// Pure; thread-safe.

#pragma once

#include <cstddef>
#include <string>

#include "engine/query/query_spec.h"

namespace hourcell {

// Appends {"aggregator":...,"metric":...,...}, with OpenTSDB's fields in its order. `index` is the
// sub query's place in its request. The UIDs of filterTagKs are not told: null.
void AppendSubQueryJson(const SubQuery& query, size_t index, std::string* out);

// The specifier a DownsampleSpec can be parsed from: "1m-avg-nan", "0all-sum", "1dc-sum". It does
// not tell the timezone.
std::string DownsampleText(const DownsampleSpec& spec);

}  // namespace hourcell
