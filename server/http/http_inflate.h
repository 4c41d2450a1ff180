// Inflates compressed request bodies under a limit. No I/O; thread-safe.

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
  kDeflate,  // a zlib stream, or raw deflate, which some clients send under that name
  kSnappy,   // a snappy block, not the framing format; as Prometheus sends it
};

// Inflates `bytes`, never holding more than `bytes_max` of output: a bomb is refused early. `hold`:
// the share of `bytes` in the body budget; it grows with the output. Null = not counted.
//
// Errors:
//   kInvalidArgument    damaged or truncated, or followed by other data
//   kResourceExhausted  more than `bytes_max` bytes
//   kUnavailable        the body budget is used up for now
absl::StatusOr<std::string> Inflate(std::string_view bytes,
                                    Compression compression,
                                    size_t bytes_max,
                                    RequestBodyBudget::Hold* hold = nullptr);

// True if request->body declares more than `bytes` of inflated size. The declaration may be wrong.
// False for a body without one.
bool ClaimsMoreThan(size_t bytes, const HttpRequest& request);

// True if `bytes` are exactly one snappy block. Reads all bytes.
bool IsSnappyBlock(std::string_view bytes);

// Inflates request->body in place by its Content-Encoding and removes that header. Leaves empty
// bodies unchanged even with that header, because clients set it on GET, too. `hold` may be null;
// it then has the share of the inflated body.
//
// Errors: those of Inflate; kUnimplemented for an encoding other than gzip, x-gzip, deflate, snappy
// and identity.
absl::Status InflateBody(size_t bytes_max,
                         HttpRequest* request,
                         RequestBodyBudget::Hold* hold = nullptr);

}  // namespace hourcell
