// /api/search/uidmeta, tsmeta, tsmeta_summary, tsuids and annotation: finds UIDs, series and
// annotations by words in their names, tags and texts (search_terms.h). OpenTSDB needs a search
// plug-in for it. Here each search reads all names, series or annotations, so it has the cost of
// a look-up of all series.
//
//   type          fields of a query                                         result
//   uidmeta       uid, type, name; the texts                                UIDMeta
//   tsmeta        tsuid, metric or name, tagk, tagv, <tag key>; the texts   TSMeta
//   tsmeta_summary, tsuids                as tsmeta     tsuid, metric and tags; the tsuid
//   annotation    tsuid, description, notes, custom.<key>                   the annotation
//
// The texts are displayName, description, notes, custom.<key> and of a series units and dataType.
// Thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "server/http/http_message.h"
#include "server/query/query_run.h"

namespace hourcell {

enum class SearchType : uint8_t { kUidMeta, kSeriesMeta, kSeriesSummary, kTsuids, kAnnotation };

// Of the last part of a path, in lower case.
std::optional<SearchType> ParseSearchType(std::string_view word);

// Answers GET (query, limit, start_index) and POST (the same as JSON, with startIndex); the
// response has a producer, which borrows both. limit is 25 by default; 0 lists all. 400: the
// query is missing or malformed.
HttpResponse AnswerSearch(SearchType type, const HttpRequest& request, const QueryService& service);

}  // namespace hourcell
