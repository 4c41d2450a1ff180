// /api/admin/scan and /api/admin/uid: stored rows and the mappings of names, for the tools of a
// running server.
//
//   GET    /api/admin/scan?start=MS&end=MS&metric=NAME&tag=TAGK%3DTAGV     all are optional
//   GET    /api/admin/scan?...&aggregate=NAMES&by=KEY&value=TEST&groups=N  totals of these rows
//   GET    /api/admin/scan?...&histograms                                  histograms, not rows
//   GET    /api/admin/uid?kind=KIND&grep=RE[&ignore_case]                  mappings by expression
//   GET    /api/admin/uid?kind=KIND&name=NAME, or &uid=N                   one mapping
//   DELETE /api/admin/uid?kind=KIND&name=NAME                              removes a mapping
//
// A body is lines of JSON, sent while they are read:
//
//   {"key":"<hex>","metric":"cpu","tags":{"host":"a"},"base":1356998400,
//    "qualifiers":"<hex>","values":"<hex>"}                       a row, on one line
//   {"line":"histogram m 1356998400 42 AAIA host=a"}              a histogram as an import line
//   {"kind":"metrics","name":"cpu","uid":"000001"}                a mapping
//   {"lines":2}                                                   the last: the number before it
//   {"error":"<message>"}                                         or the error that ended the body
//
// With `aggregate` the body is one object (row_aggregate_json.h); only points from start to end
// count. `by` and `value` may be repeated.
//
// All are listed, bounded and cancelled as queries: they count in tsd.query.concurrent, end at
// tsd.query.timeout, and keep one row and one piece of the body in memory.
// Thread-safe.

#pragma once

#include "server/http/http_message.h"
#include "server/query/query_run.h"

namespace hourcell {

// `service` and `request` are borrowed until the body is done. 400: a malformed or missing
// parameter; 404: an unknown name; 413: more groups than `groups`; otherwise as queries.
HttpResponse HandleScan(const HttpRequest& request, const QueryService& service);
HttpResponse HandleNames(const HttpRequest& request, const QueryService& service);

}  // namespace hourcell
