// PointSink: where an import's points go: into a store of this process, or to a running server.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "codec/point.h"
#include "engine/tsdb.h"
#include "server/cli/http_client.h"

namespace hourcell {

// Thread-compatible.
class PointSink {
 public:
  virtual ~PointSink() = default;

  // Stores a batch. Bad points are refused one by one, in `*refused`, ascending by index; OK means
  // that the others are acknowledged. Waits while the store asks for patience.
  // Errors: the store or the server cannot go on; what was acknowledged stays.
  virtual absl::Status Write(std::span<const LinePoint> points,
                             std::vector<RefusedPoint>* refused) = 0;
};

// When points are with the disk that a Write has acknowledged.
enum class SinkSync : uint8_t {
  kLater,  // as the store's settings say
  kEach,   // then: a power loss takes none of them
};

// Appends to a store. `tsdb` is borrowed.
std::unique_ptr<PointSink> MakeStoreSink(Tsdb* tsdb, SinkSync sync = SinkSync::kLater);

// Sends to /api/put?details in gzip'd pieces. kUnavailable: no server there, or it stays busy.
std::unique_ptr<PointSink> MakeHttpSink(HttpUrl url, SinkSync sync = SinkSync::kLater);

// The points as a body of /api/put, a JSON array. Seconds and milliseconds as given; the value's
// type is kept.
std::string PutBody(std::span<const PointView> points);

// Reads the answer to PutBody(points) with `details`: which points were refused. The answer names
// points, not positions; they are found again in order. kDataLoss: the answer is not understood, or
// it names more points than can be found.
absl::Status ParsePutReply(std::string_view body,
                           std::span<const PointView> points,
                           std::vector<RefusedPoint>* refused);

}  // namespace hourcell
