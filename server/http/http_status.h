// Maps error codes to HTTP statuses. A code means the same wherever it comes from, except for a few
// listed exceptions: OpenTSDB's responses to queries, and HTTP's to bodies.
//
// No I/O; thread-safe.

#pragma once

#include <cstdint>
#include <string_view>

#include <absl/status/status.h>

#include "server/http/http_message.h"

namespace hourcell {

// The kind of operation that failed.
enum class Failed : uint8_t {
  kStore,   // anything else
  kQuery,   // a query, or a client's read or write that behaves like one
  kBody,    // reading a request's body or target
  kChange,  // a change of the store itself, such as its regions: its state may not allow it
  kBackup,  // a backup, into the directory that a setting names
};

// REQUIRES: `code` is not kOk. 500 for codes unknown to Abseil.
int HttpStatusOf(Failed what, absl::StatusCode code);

// The response for `error` with that status and its message. REQUIRES: `error` is not OK.
HttpResponse FailureResponse(Failed what, const absl::Status& error);

// The response for failed admin work. If the status is 500 or more, the message describes the
// outcome, `ended` if the work was cancelled, and the details are the message of `error`.
HttpResponse WorkFailure(Failed what, std::string_view ended, const absl::Status& error);

}  // namespace hourcell
