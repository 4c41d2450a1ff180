// OtlpHandler: OpenTelemetry's metrics protocol over HTTP, OTLP/HTTP, as protobuf and as JSON.
// docs/inputs.md describes the mapping of resources, metric kinds and values.
//
// Metadata that is new is written after the points, and never refuses any (metric_metadata.h).
//
// An acknowledged data point means the same as a point of /api/put. Nothing of a malformed body is
// stored; bad data points are refused, and the others are stored. Thread-safe.

#pragma once

#include <absl/status/status.h>

#include "engine/stats.h"
#include "engine/tsdb.h"
#include "server/http/http_message.h"
#include "server/inputs/input_counters.h"
#include "server/inputs/input_settings.h"
#include "server/inputs/metric_metadata.h"
#include "server/inputs/name_rule.h"
#include "server/inputs/otlp/otlp_series.h"
#include "server/put/put_writer.h"

namespace hourcell {

class OtlpHandler {
 public:
  struct Parts {
    Tsdb* tsdb = nullptr;                // borrowed, outlives the object
    const NameRule* names = nullptr;     // borrowed, outlives the object
    AppendInPlace append = {};           // for tests
    MetadataKeeper* metadata = nullptr;  // borrowed, outlives the object; null: none is kept
  };

  // Counts rpc.put.* and rpc.inputs.* of type=otlp.
  OtlpHandler(Parts parts, InputSettings settings);

  // POST /v1/metrics, with an inflated body. Responses have the request's Content-Type: 200 with an
  // ExportMetricsServiceResponse, whose partial_success has the number of refused data points and
  // the reasons; 400 with a google.rpc.Status if the body is malformed; 415 for other content
  // types; 503 with Retry-After if the store is full, 500 if it is broken.
  HttpResponse Write(const HttpRequest& request, BodyWork* work = nullptr) const;

 private:
  HttpResponse RefuseBody(const absl::Status& fault, bool is_json) const;
  HttpResponse Store(const HttpRequest& request, bool is_json, BodyWork* work) const;
  void CountDropped(const OtlpDropped& dropped) const;

  const Parts parts_;
  const InputSettings settings_;
  const PutWriter writer_;
  const InputCounters counters_;
  Counter* const no_value_;
  Counter* const not_finite_;
  Counter* const attributes_;
  Counter* const exemplars_;
};

}  // namespace hourcell
