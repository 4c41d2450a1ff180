// /api/search/<type>: which series there are (lookup). The other types of OpenTSDB need a plug-in
// and are refused as OpenTSDB without one refuses them. Thread-safe.

#pragma once

#include <string_view>

#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "engine/tsdb.h"
#include "server/http_message.h"

namespace hourcell {

// The query of the parameters m, limit and start_index (or startIndex). kInvalidArgument: "Missing
// parameter <code>m</code>", as ParseSeriesText, ParseLookupCount and CheckLookup.
absl::StatusOr<LookupQuery> ParseLookupParams(const HttpRequest& request);

// Answers GET and POST (search_json.h). limit 0 lists all there are. Differently from OpenTSDB the
// answer needs no meta tables, and totalResults counts all that match.
HttpResponse HandleSearch(const HttpRequest& request, Tsdb* tsdb, Clock* clock);

}  // namespace hourcell
