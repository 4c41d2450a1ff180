// ImportLines: import lines translated from lines of another format; and LineTranslator, which
// makes them.
//
// A foreign line may give any number of points. Each becomes a separate line, or a fault.
// Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/limits.h"
#include "codec/text/point_error.h"

namespace hourcell {

// The name of another system's series, by the rule of server/inputs/name_rule.h.
struct ForeignSeries {
  bool any_names = false;   // the store takes them (NameEncoding::kAny)
  std::string metric = {};  // as in an import line, quoted if necessary
  std::string tags = {};    // " tagk=tagv" for each

  void Clear();
  void SetMetric(std::string_view foreign);
  // Skips a tag with an empty value: in most systems, it means that the tag is absent.
  void AddTag(std::string_view foreign_key, std::string_view foreign_value);
};

class ImportLines {
 public:
  struct Unit {
    size_t begin = 0;  // of its text
    size_t size = 0;
    uint32_t line = 0;              // index of its foreign line
    std::optional<uint32_t> fault;  // index into the faults; the unit then lacks text
  };

  void Clear();
  // Later units belong to this line.
  void BeginLine(uint32_t line) { line_ = line; }
  // Adds a point. The parser of the line checks the texts later; a text with a blank is a fault.
  void AddPoint(const ForeignSeries& series, std::string_view time, std::string_view value);
  // The same with an instant in milliseconds; whole seconds are written as seconds. It is a fault
  // if an import line would read the instant as seconds.
  void AddPointAtMs(const ForeignSeries& series, std::string_view time_ms, std::string_view value);
  void AddFault(PointError error);

  size_t size() const { return units_.size(); }
  const Unit& unit(size_t i) const { return units_[i]; }
  std::string_view TextOf(const Unit& unit) const {
    return std::string_view(text_).substr(unit.begin, unit.size);
  }
  const PointError& FaultOf(const Unit& unit) const { return faults_[*unit.fault]; }

 private:
  std::string text_;
  std::vector<Unit> units_;
  std::vector<PointError> faults_;
  uint32_t line_ = 0;
};

// Translates lines of one format. Thread-compatible.
class LineTranslator {
 public:
  virtual ~LineTranslator() = default;
  // Adds the points and faults of a line, given without its end. A line may have zero points.
  virtual void Translate(std::string_view line, ImportLines* out) = 0;
};

// File formats of an import.
enum class ImportFormat : uint8_t { kOpenTsdb, kVm, kGraphite, kCsv, kInflux, kWhisper };

// Rules for lines of another format.
struct ForeignRules {
  ImportFormat format = ImportFormat::kOpenTsdb;
  bool any_names = false;        // the store's names may have any characters
  std::string default_tag = {};  // " tagk=tagv" for series without tags; empty = they are faults
  std::string csv_columns = {};  // a list for ParseCsvFields (csv_lines.h)
  std::string influx_precision = "ns";  // a name for FindInfluxUnit (influx_time.h)
  std::string influx_separator = "_";   // between a measurement and a field
};

// Null for kOpenTsdb. For kWhisper, it translates the lines of WhisperDump (whisper_dump.h).
// REQUIRES: the fields of kCsv parse, the precision of kInflux is known.
std::unique_ptr<LineTranslator> MakeLineTranslator(const ForeignRules& rules);

// The limit of a format for the bytes of a line. Only lines of histograms may be as long as that of
// kOpenTsdb.
size_t LineBytesMaxOf(ImportFormat format);

// Gives a series without tags the default tag. False, and adds a fault, if it still lacks a metric
// or tags.
bool CompleteSeries(const ForeignRules& rules, ForeignSeries* series, ImportLines* out);

}  // namespace hourcell
