// InfluxDB's write API: /write, /api/v2/write, /ping, and the statements of /query that agents send
// before they write. docs/inputs.md describes the mapping of measurements, fields, tags and types.
//
// 204 means the same as for /api/put. A faulty line stores nothing; the other lines of the body are
// stored. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
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

// Limit of the database names kept for SHOW DATABASES.
inline constexpr size_t kInfluxDatabasesMax = 64;

class InfluxHandler {
 public:
  struct Parts {
    Tsdb* tsdb = nullptr;             // borrowed, outlives the object
    const NameRule* names = nullptr;  // borrowed, outlives the object
    WallClock* clock = nullptr;       // borrowed; for lines without a timestamp
    AppendInPlace append = {};        // for tests
  };

  // Counts rpc.put.* and rpc.inputs.* of type=influx.
  InfluxHandler(Parts parts, InputSettings settings);

  // POST /write?db=&rp=&precision= and /api/v2/write?org=&bucket=&precision=. 204; 400 with
  // {"error":"partial write: line 2: expected ..., got ...\n..."}; {"error":"write failed: ..."}
  // with 503 and Retry-After if the store is full, with 500 if it is broken. `work` is borrowed
  // and may be null.
  HttpResponse Write(const HttpRequest& request, BodyWork* work = nullptr) const;

  // GET /query and POST /query: 200 with an empty result for CREATE DATABASE; for SHOW DATABASES
  // the database of the URL and those created since the start, or "hourcell" if there are none; 400
  // for other statements.
  HttpResponse Query(const HttpRequest& request) const;

  // GET /ping: 204.
  static HttpResponse Ping(const HttpRequest& request);

 private:
  void AddLine(const InfluxLines& lines,
               const InfluxUnit& unit,
               int64_t now_ms,
               InputWriter* out) const;
  HttpResponse CreateDatabase(std::string_view name) const;
  HttpResponse ShowDatabases(const HttpRequest& request) const;
  std::string MetricFault(const InfluxLine& line) const;
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
  mutable Mutex mutex_;
  mutable std::set<std::string, std::less<>> databases_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
