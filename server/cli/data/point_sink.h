// PointSink: the destination of an import's points and histograms: a store of this process, or a
// running server.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <absl/status/status.h>

#include "codec/point.h"
#include "engine/tsdb.h"
#include "server/http/http_client.h"

namespace hourcell {

// Thread-compatible.
class PointSink {
 public:
  virtual ~PointSink() = default;

  // Stores a batch. Lists bad points in `*refused`, ascending by index; OK means that all others
  // are acknowledged. Waits while the store is overloaded. Errors: the store or the server fails;
  // acknowledged points remain stored.
  virtual absl::Status Write(std::span<const LinePoint> points,
                             std::vector<RefusedPoint>* refused) = 0;

  // The same for histograms. kFailedPrecondition: the server lacks tsd.core.histograms.config.
  virtual absl::Status WriteHistograms(std::span<const HistogramPoint> histograms,
                                       std::vector<RefusedPoint>* refused) = 0;
};

// When acknowledged points are on disk.
enum class SinkSync : uint8_t {
  kLater,  // as in the store's settings
  kEach,   // before the acknowledgement: they survive a power loss
};

// Appends to a store. Borrows `tsdb`.
std::unique_ptr<PointSink> MakeStoreSink(Tsdb* tsdb, SinkSync sync = SinkSync::kLater);

// Sends to /api/put?details and /api/histogram?details in gzip'd pieces. kUnavailable: the server
// does not answer, or remains overloaded.
std::unique_ptr<PointSink> MakeHttpSink(HttpUrl url, SinkSync sync = SinkSync::kLater);

}  // namespace hourcell
