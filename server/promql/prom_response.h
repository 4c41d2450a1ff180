// Responses in the form of Prometheus' API:
//
//   {"status":"success","data":...}
//   {"status":"error","errorType":"bad_data","error":"..."}
//
//   errorType    status   of
//   bad_data     400      a parameter
//   execution    422      the evaluation; a limit of queries
//   canceled     503
//   timeout      503
//   unavailable  503      the store is closed, or another process writes it
//   internal     500      the store
//
// No I/O; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "server/http/http_message.h"

namespace hourcell {

// `data`: JSON.
HttpResponse PromSuccess(std::string_view data);

// bad_data.
HttpResponse PromBadData(std::string_view message);
// bad_data: invalid parameter "query": ...
HttpResponse PromBadParameter(std::string_view name, std::string_view message);
HttpResponse PromBadParameter(std::string_view name, const absl::Status& status);

// The response to work that failed after its parameters were accepted.
HttpResponse PromFailure(const absl::Status& status);

}  // namespace hourcell
