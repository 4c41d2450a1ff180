// The one mapping of an error's code to an HTTP status. A code means the same wherever it comes
// from, but for a few differences, which are named: what OpenTSDB answers to queries, and HTTP to
// bodies.
//
// Pure; thread-safe.

#pragma once

#include <cstdint>
#include <string_view>

#include <absl/status/status.h>

#include "server/http/http_message.h"

namespace hourcell {

// What failed.
enum class Failed : uint8_t {
  kStore,   // anything that is none of the others
  kQuery,   // a query, or what reads and writes for a client as a query does
  kBody,    // the reading of a request's body or target
  kChange,  // a change of what the store is, such as its regions: it may not fit its state
  kBackup,  // a backup, into the directory that a setting names
};

// REQUIRES: `code` is not kOk. A code that Abseil does not name is 500.
int HttpStatusOf(Failed what, absl::StatusCode code);

// The response for `error` with that status, and its message. REQUIRES: it is not OK.
HttpResponse FailureResponse(Failed what, const absl::Status& error);

// The response for work of an admin that failed. Where the status is 500 or more, the message says
// what became of the work, `ended` if it was cancelled, and the details are those of `error`.
HttpResponse WorkFailure(Failed what, std::string_view ended, const absl::Status& error);

}  // namespace hourcell
