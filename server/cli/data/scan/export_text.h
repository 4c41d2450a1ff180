// Stored rows in the formats of `hourcell export`. Each writer appends complete lines, ends
// included, for the points of a row in [start_ms, end_ms]; a row may have zero such points.
// Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/parallel_scan.h"
#include "server/cli/data/import/csv_lines.h"

namespace hourcell {

enum class ExportFormat : uint8_t {
  kOpenTsdb,  // lines for `hourcell import` and `tsdb import`
  kVm,        // JSON lines for VictoriaMetrics' /api/v1/import, each with one hour of a series
  kCsv,       // by a list of fields
};

struct ExportRange {
  int64_t start_ms = 0;
  int64_t end_ms = kTimestampMsMax;  // inclusive
};

class RowWriter {
 public:
  virtual ~RowWriter() = default;
  // kInvalidArgument: the format cannot represent the row; `out` is unchanged then.
  virtual absl::Status Append(const ScannedRow& row, std::string* out) = 0;
  // Points written so far.
  uint64_t points() const { return points_; }

 protected:
  explicit RowWriter(const ExportRange& range) : range_(range) {}
  bool IsWanted(const Timestamp& time) const {
    return time.ms >= range_.start_ms && time.ms <= range_.end_ms;
  }
  uint64_t points_ = 0;

 private:
  const ExportRange range_;
};

// `fields`: of kCsv. REQUIRES: they have one value, and either it names a metric, or there is a
// field `metric`.
std::unique_ptr<RowWriter> MakeRowWriter(ExportFormat format,
                                         const ExportRange& range,
                                         std::vector<CsvField> fields);

// Appends a CSV field, quoted if it has a comma, a quote or a line end.
void AppendCsvField(std::string_view text, std::string* out);

}  // namespace hourcell
