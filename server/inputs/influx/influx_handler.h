// InfluxDB's writing side: /write, /api/v2/write, /ping, and of /query what agents send before they
// write. docs/inputs.md says what becomes of measurements, fields, tags and types.
//
// An answer of 204 means the same as that of /api/put. A line with a fault stores nothing; the
// other lines of its body are stored. Thread-safe.

#pragma once

#include <cstdint>
#include <string>

#include "codec/base/clock.h"
#include "engine/stats.h"
#include "engine/tsdb.h"
#include "server/http/http_message.h"
#include "server/inputs/influx/influx_lines.h"
#include "server/inputs/influx/influx_time.h"
#include "server/inputs/input_counters.h"
#include "server/inputs/input_settings.h"
#include "server/inputs/input_writer.h"
#include "server/inputs/name_rule.h"
#include "server/put/put_writer.h"

namespace hourcell {

class InfluxHandler {
 public:
  struct Parts {
    Tsdb* tsdb = nullptr;             // borrowed, outlives the object
    const NameRule* names = nullptr;  // the same
    Clock* clock = nullptr;           // the same; of lines without a timestamp
    AppendInPlace append = {};        // for tests
  };

  // Counts rpc.put.* and rpc.inputs.* of type=influx.
  InfluxHandler(Parts parts, InputSettings settings);

  // POST /write?db=&rp=&precision= and /api/v2/write?org=&bucket=&precision=. 204; 400 with
  // {"error":"partial write: line 2: got ...; want ...\n..."}; {"error":"write failed: ..."} with
  // 503 and Retry-After when the store is full, with 500 when it is broken.
  // `work` is borrowed, and may be null.
  HttpResponse Write(const HttpRequest& request, BodyWork* work = nullptr) const;

  // GET /query and POST /query: 200 with an empty result for CREATE DATABASE, 400 for all else.
  static HttpResponse Query(const HttpRequest& request);

  // GET /ping: 204.
  static HttpResponse Ping(const HttpRequest& request);

 private:
  void AddLine(const InfluxLines& lines,
               const InfluxUnit& unit,
               int64_t now_ms,
               InputWriter* out) const;
  std::string_view WriteTags(const InfluxLine& line, PointBatch* batch) const;
  void WritePoints(const InfluxLine& line,
                   Timestamp timestamp,
                   size_t item,
                   PointBatch* batch) const;

  const Parts parts_;
  const InputSettings settings_;
  const PutWriter writer_;
  const InputCounters counters_;
  Counter* const strings_;
};

}  // namespace hourcell
