// /q: OpenTSDB's old query page, for scripts that read it.
//
//   ?ascii   lines "metric seconds value tagk=tagv ...", of all hours read, not only of
//            [start, end]; points that are NaN are left out
//   ?json    {"plotted":N,"points":N,"etags":[[tagk,...],...],"timing":ms}: points in the range,
//            points read, aggregated tags of each sub query
//   ?png     a graph (server/graph); ?svg: the same as SVG, an addition to OpenTSDB
//   else     an HTML page with the lines of ?ascii, but of the range only
//
// Errors are pages, or {"err":"..."} with ?json.

#pragma once

#include "server/http/http_message.h"
#include "server/query/query_run.h"

namespace hourcell {

// The response may have a producer, which borrows both arguments. Thread-safe.
HttpResponse AnswerQueryPage(const HttpRequest& request, const QueryService& service);

}  // namespace hourcell
