// ImportLines: the import lines that lines of another format stand for; and LineTranslator, which
// makes them.
//
// A foreign line may stand for any number of points. Each is a line of its own, or a fault.
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

// The name of a series of another system, by the rule of server/inputs/name_rule.h.
struct ForeignSeries {
  bool any_names = false;   // the store takes them (NameEncoding::kAny)
  std::string metric = {};  // as an import line has it, quoted if it must be
  std::string tags = {};    // " tagk=tagv" for each

  void Clear();
  void SetMetric(std::string_view foreign);
  // Adds nothing if the value is empty: there, most systems mean that there is no such tag.
  void AddTag(std::string_view foreign_key, std::string_view foreign_value);
};

class ImportLines {
 public:
  struct Unit {
    size_t begin = 0;  // of its text
    size_t size = 0;
    uint32_t line = 0;              // the foreign line it is of
    std::optional<uint32_t> fault;  // index into faults: it has no text
  };

  void Clear();
  // What is added from now on is of that line.
  void BeginLine(uint32_t line) { line_ = line; }
  // Adds a point. The texts are looked at by whoever parses the line; blanks in them are a fault.
  void AddPoint(const ForeignSeries& series, std::string_view time, std::string_view value);
  // The same with an instant in milliseconds; whole seconds are written as such. A fault if an
  // import line would take it for seconds.
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
  // Adds the points and faults of a line without its end; nothing for a line that has none.
  virtual void Translate(std::string_view line, ImportLines* out) = 0;
};

// Formats of files that an import reads.
enum class ImportFormat : uint8_t { kOpenTsdb, kVm, kGraphite, kCsv, kInflux, kWhisper };

// How lines of another format are read.
struct ForeignRules {
  ImportFormat format = ImportFormat::kOpenTsdb;
  bool any_names = false;        // the store takes them
  std::string default_tag = {};  // " tagk=tagv" of series without tags; empty = they are faults
  std::string csv_columns = {};  // ParseCsvFields (csv_lines.h) takes it
  std::string influx_precision = "ns";  // FindInfluxUnit (influx_time.h) finds it
  std::string influx_separator = "_";   // between a measurement and a field
};

// Null for kOpenTsdb. Lines of kWhisper are those that WhisperDump (whisper_dump.h) gives.
// REQUIRES: the fields of kCsv parse, the precision of kInflux is known.
std::unique_ptr<LineTranslator> MakeLineTranslator(const ForeignRules& rules);

// Bytes of the longest line of a format.
size_t LineBytesMaxOf(ImportFormat format);

// Gives a series without tags the default one. False, and a fault, if it then has no metric or tag.
bool CompleteSeries(const ForeignRules& rules, ForeignSeries* series, ImportLines* out);

}  // namespace hourcell
