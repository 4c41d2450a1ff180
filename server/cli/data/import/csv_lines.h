// Reads lines of CSV (RFC 4180, without line ends in fields) by a list of fields:
//
//   time,metric,value,tag:host,tag:dc     one point a line
//   time,tag:host,value:cpu,value:load,-  a point for each value that is not empty; skips -
//
// time: seconds or milliseconds since 1970, by magnitude; or a date of ISO 8601, in UTC unless it
// has an offset: 2014-02-14 14:30:00, 2014-02-14T14:30:00.250Z, 2014-02-14. A line of blanks gives
// zero points.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "server/cli/data/import/import_lines.h"

namespace hourcell {

struct CsvField {
  enum class Kind : uint8_t { kTime, kMetric, kValue, kTag, kSkipped } kind = Kind::kSkipped;
  std::string name = {};  // of a tag; of a value: its metric, or empty: the field `metric` has it

  friend bool operator==(const CsvField&, const CsvField&) = default;
};

// kInvalidArgument: an unknown field, no time or two, no value, a value without a metric, a metric
// without a value that needs it. The message names the fault.
absl::StatusOr<std::vector<CsvField>> ParseCsvFields(std::string_view text);

// Milliseconds since 1970 of such a date; nullopt for other text. Drops digits after the third of a
// fraction.
std::optional<int64_t> IsoDateMs(std::string_view text);

// Splits a line into fields, without their quotes. False if a quote is not closed, or text follows
// a closing quote.
bool SplitCsv(std::string_view line, std::vector<std::string>* fields);

class CsvLines : public LineTranslator {
 public:
  // REQUIRES: ParseCsvFields accepts the fields.
  explicit CsvLines(const ForeignRules& rules);
  void Translate(std::string_view line, ImportLines* out) override;

 private:
  const ForeignRules rules_;
  const std::vector<CsvField> fields_;
  std::vector<std::string> values_;
  ForeignSeries series_{.any_names = rules_.any_names};
};

}  // namespace hourcell
