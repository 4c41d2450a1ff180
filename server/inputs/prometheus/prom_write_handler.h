// PromWriteHandler: Prometheus remote write, 1.0 and 2.0. docs/inputs.md says what becomes of
// labels, samples and histograms.
//
// An answer of 2xx means the same as that of /api/put. Of a body that is no such message nothing is
// stored; of one with bad series the others are. Thread-safe.

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
#include "server/inputs/name_rule.h"
#include "server/inputs/prometheus/prom_write_request.h"
#include "server/put/put_writer.h"

namespace hourcell {

class PromWriteHandler {
 public:
  struct Parts {
    Tsdb* tsdb = nullptr;             // borrowed, outlives the object
    const NameRule* names = nullptr;  // the same
    AppendInPlace append = {};        // for tests
  };

  // Counts rpc.put.* and rpc.inputs.* of type=prometheus.
  PromWriteHandler(Parts parts, InputSettings settings);

  // POST /api/v1/write, its body inflated. 204; 400, 415 with what is wrong as text, after which
  // Prometheus does not send it again; 503 with Retry-After when the store is full and 500 when it
  // is broken, after which it does. To version 2 the answers say in headers how much was written:
  // a sample or an exemplar that the store leaves out by design counts, since the sender has
  // nothing to repair. A native histogram is a fault of its series.
  HttpResponse Write(const HttpRequest& request, BodyWork* work = nullptr) const;

  // 415 for a request whose head names another message, or another compression than snappy. No
  // Content-Encoding at all is taken.
  static std::optional<HttpResponse> RefuseHead(const HttpRequest& head);

 private:
  // What has no place in a store, of series without a fault.
  struct Dropped {
    size_t unfinite = 0;  // samples that are NaN or infinite
    size_t histograms = 0;
    size_t exemplars = 0;
  };

  HttpResponse Store(const HttpRequest& request, PromWriteVersion version, BodyWork* work) const;
  HttpResponse RefuseBody(const std::string& fault, PromWriteVersion version) const;
  void AddSeries(const PromWriteRequest& request, InputWriter* out, Dropped* dropped) const;
  std::string_view WriteTags(const PromSeries& series, PointBatch* batch) const;
  void CountDropped(const Dropped& dropped) const;

  const Parts parts_;
  const InputSettings settings_;
  const PutWriter writer_;
  const InputCounters counters_;
  Counter* const unfinite_;
  Counter* const histograms_;
  Counter* const exemplars_;
};

}  // namespace hourcell
