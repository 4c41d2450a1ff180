// PromWriteHandler: Prometheus remote write, 1.0 and 2.0. docs/inputs.md describes the mapping of
// labels, samples and histograms.
//
// Metadata that is new is written after the points, and never refuses any (metric_metadata.h).
//
// 2xx means the same as for /api/put. Nothing of a malformed body is stored; bad series are
// refused, and the others are stored. Thread-safe.

#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "engine/stats.h"
#include "engine/tsdb.h"
#include "server/http/http_message.h"
#include "server/inputs/input_counters.h"
#include "server/inputs/input_settings.h"
#include "server/inputs/input_writer.h"
#include "server/inputs/metric_metadata.h"
#include "server/inputs/name_rule.h"
#include "server/inputs/prometheus/prom_write_request.h"
#include "server/put/put_writer.h"

namespace hourcell {

class PromWriteHandler {
 public:
  struct Parts {
    Tsdb* tsdb = nullptr;                // borrowed, outlives the object
    const NameRule* names = nullptr;     // borrowed, outlives the object
    AppendInPlace append = {};           // for tests
    MetadataKeeper* metadata = nullptr;  // borrowed, outlives the object; null: none is kept
  };

  // Counts rpc.put.* and rpc.inputs.* of type=prometheus.
  PromWriteHandler(Parts parts, InputSettings settings);

  // POST /api/v1/write, with an inflated body. 204; 400 or 415 with the fault as text, after which
  // Prometheus does not retry; 503 with Retry-After if the store is full and 500 if it is broken,
  // after which it does. For version 2, headers report the numbers written: samples and exemplars
  // left out by design count, because the sender cannot repair them. With
  // InputSettings::has_whole_histograms, native histograms are stored; otherwise they are a fault
  // of their series.
  HttpResponse Write(const HttpRequest& request, BodyWork* work = nullptr) const;

  // 415 for a request whose header names another message, or another compression than snappy. A
  // missing Content-Encoding is accepted.
  static std::optional<HttpResponse> RefuseHead(const HttpRequest& head);

 private:
  // Data left out by design from series without a fault.
  struct Dropped {
    size_t histograms = 0;  // all if they are refused
    size_t exemplars = 0;
    size_t stale_histograms = 0;  // stored, as points
  };

  HttpResponse Store(const HttpRequest& request, PromWriteVersion version, BodyWork* work) const;
  HttpResponse RefuseBody(const std::string& fault, PromWriteVersion version) const;
  // Adds the numbers of written points to an answer of version 2.
  static void AddWrittenOf(const InputWriter& out, const Dropped& dropped, HttpResponse* response);
  void AddSeries(const PromWriteRequest& request, InputWriter* out, Dropped* dropped) const;
  void AddSamples(const PromWriteRequest& request, const LinePoint& names, InputWriter* out) const;
  void AddHistograms(const PromWriteRequest& request,
                     const LinePoint& names,
                     InputWriter* out,
                     Dropped* dropped) const;
  std::string_view WriteTags(const PromSeries& series, PointBatch* batch) const;
  void CountDropped(const Dropped& dropped) const;

  const Parts parts_;
  const InputSettings settings_;
  const PutWriter writer_;
  const InputCounters counters_;
  Counter* const histograms_;
  Counter* const exemplars_;
};

}  // namespace hourcell
