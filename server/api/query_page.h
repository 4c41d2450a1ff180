// /q: OpenTSDB's old page of queries, for scripts that read it.
//
//   ?ascii   lines "metric seconds value tagk=tagv ...", of all hours read, not only of
//            [start, end]; points that are NaN are left out
//   ?json    {"plotted":N,"points":N,"etags":[[tagk,...],...],"timing":ms}: points in the range,
//            points read, aggregated tags of each sub query
//   ?png     501: graphs are not drawn
//   else     an HTML page with the lines of ?ascii, but of the range only
//
// Errors are pages, or {"err":"..."} with ?json. Options for graphs are accepted and mean nothing.

#pragma once

#include <cstdint>
#include <string_view>

#include "engine/query/query_spec.h"
#include "server/http/http_message.h"
#include "server/query/query_run.h"

namespace hourcell {

// The response may have a producer, which borrows both. Thread-safe.
HttpResponse AnswerQueryPage(const HttpRequest& request, const QueryService& service);

// For how many seconds an answer may be kept: not at all if the range ends in the future; a day if
// it is absolute and ended over an hour ago; else 1/1024 of the range. `start` and `end` are the
// times as they were given.
int64_t PageMaxAgeS(const QuerySpec& spec,
                    std::string_view start,
                    std::string_view end,
                    int64_t now_ms);

}  // namespace hourcell
