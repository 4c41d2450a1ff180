// /api/uid: UIDs for names.
//
//   assign   GET metric=a,b&tagk=...&tagv=...; POST {"metric":["a"],"tagk":[...],"tagv":[...]}.
//            {"metric":{"a":"000001"},
//             "metric_errors":{"b":"Name already exists with UID: 000042"}}, with the requested
//            kinds; 400 if there is an error. Names are assigned one by one: the others get UIDs
//            even if a name is invalid or already exists
//   rename   GET metric|tagk|tagv=<old>&name=<new>; POST the same as an object.
//            {"result":"true"}, or 400 {"result":"false","error":"..."}
//
// Anything else under /api/uid is 501. Thread-safe.

#pragma once

#include "engine/tsdb.h"
#include "server/http/http_message.h"

namespace hourcell {

HttpResponse HandleUid(const HttpRequest& request, Tsdb* tsdb);

}  // namespace hourcell
