// The JSON of /api/put, as a client sends and receives it. Thread-safe.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "codec/point.h"
#include "engine/append.h"

namespace hourcell {

// The points as a body of /api/put, a JSON array. Keeps seconds, milliseconds, and the values'
// types.
std::string PutBody(std::span<const PointView> points);

// Reads the answer to PutBody(points) with `details` and lists the refused points. The answer has
// points, not positions; they are searched in order. kDataLoss: the answer is invalid, or has
// points that are not found.
absl::Status ParsePutReply(std::string_view body,
                           std::span<const PointView> points,
                           std::vector<RefusedPoint>* refused);

}  // namespace hourcell
