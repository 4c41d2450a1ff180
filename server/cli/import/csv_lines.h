// Lines of CSV (RFC 4180, without line ends in fields), by a list of fields:
//
//   time,metric,value,tag:host,tag:dc     one point a line
//   time,tag:host,value:cpu,value:load,-  a point for each value that is not empty; - is skipped
//
// time: seconds or milliseconds since 1970; the magnitude tells which. Or a date of ISO 8601, in
// UTC unless it names an offset: 2014-02-14 14:30:00, 2014-02-14T14:30:00.250Z, 2014-02-14. A line
// of blanks has no point.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "server/cli/import/import_lines.h"

namespace hourcell {

struct CsvField {
  enum class Kind : uint8_t { kTime, kMetric, kValue, kTag, kSkipped } kind = Kind::kSkipped;
  std::string name = {};  // of a tag; of a value: its metric, or empty: the field `metric` says it

  friend bool operator==(const CsvField&, const CsvField&) = default;
};

// kInvalidArgument, with what is wrong: an unknown field, no time or two, no value, a value without
// a metric, a metric without a value that needs it.
absl::StatusOr<std::vector<CsvField>> ParseCsvFields(std::string_view text);

// Milliseconds since 1970 of such a date; nothing for any other text. Digits beyond the third of a
// fraction are cut off.
std::optional<int64_t> IsoDateMs(std::string_view text);

// Cuts a line into fields, without their quotes. False if a quote is not closed, or text follows
// one.
bool SplitCsv(std::string_view line, std::vector<std::string>* fields);

class CsvLines : public LineTranslator {
 public:
  // REQUIRES: ParseCsvFields takes the fields.
  explicit CsvLines(const ForeignRules& rules);
  void Translate(std::string_view line, ImportLines* out) override;

 private:
  const ForeignRules rules_;
  const std::vector<CsvField> fields_;
  std::vector<std::string> values_;
  ForeignSeries series_{.any_names = rules_.any_names};
};

}  // namespace hourcell
