// Request bodies that came compressed, inflated under a limit. Pure; thread-safe.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "server/http/http_message.h"
#include "server/http/request_body_budget.h"

namespace hourcell {

enum class Compression : unsigned char {
  kGzip,     // one or more gzip members
  kDeflate,  // a zlib stream; raw deflate too, which some clients call by that name
  kSnappy,   // a block of snappy, not its framing format, as Prometheus sends it
};

// Inflates `bytes`, never holding more than `bytes_max` of output: a bomb is refused early. `hold`:
// what `bytes` have of the memory of all bodies; it grows with the output. Null = not counted.
//
// Errors:
//   kInvalidArgument    damaged or cut short, or followed by something else
//   kResourceExhausted  more than `bytes_max` bytes
//   kUnavailable        the memory of all bodies has no room for it now
absl::StatusOr<std::string> Inflate(std::string_view bytes,
                                    Compression compression,
                                    size_t bytes_max,
                                    RequestBodyBudget::Hold* hold = nullptr);

// Whether request->body has more than `bytes` once it is inflated, by what it says of itself; it
// may lie. A body that says nothing has not.
bool ClaimsMoreThan(size_t bytes, const HttpRequest& request);

// Whether `bytes` are one whole block of snappy. Costs a pass over them.
bool IsSnappyBlock(std::string_view bytes);

// Inflates request->body in place as its Content-Encoding says and takes that header away. Empty
// bodies are left alone whatever the header says: clients set it on GET, too. `hold`, which may be
// null, has the share of the body that the request has then.
//
// Errors: Inflate's; kUnimplemented for an encoding other than gzip, x-gzip, deflate, snappy and
// identity.
absl::Status InflateBody(size_t bytes_max,
                         HttpRequest* request,
                         RequestBodyBudget::Hold* hold = nullptr);

}  // namespace hourcell
