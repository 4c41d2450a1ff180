// InfluxLines: parses a body in InfluxDB's line protocol, line by line.
//
//   <measurement>[,<tag>=<value>...] <field>=<value>[,<field>=<value>...] [<timestamp>]
//
//   1  1.5  -2e3    a float        "text"   a string: \" and \\ are escapes; may have line ends
//   42i             an integer     t T true True TRUE, f F false False FALSE
//   42u             an unsigned integer
//
// A backslash escapes a comma, a blank or '=' in a name; every other backslash is literal. Blanks
// separate the parts; empty lines and lines that begin with '#' are skipped; \r\n also ends a line.
// A byte order mark before the first line is skipped. After an unterminated string the rest of the
// body is one line, as in InfluxDB.
//
//   InfluxLines lines(body);
//   while (lines.Next()) {
//     if (!lines.fault().empty()) ...            // "expected ..., got ..."; the line is empty then
//     else ... lines.line() ...
//   }
//
// Copies nothing, and allocates nothing per line except the text of a fault, which is built only on
// request. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/point.h"

namespace hourcell {

// Limit of fields per line; InfluxDB has none.
inline constexpr size_t kInfluxFieldsMax = 4096;

struct InfluxField {
  std::string_view key;
  Value value;
};

// Names as in the body: 1 to kNameBytesMax bytes, with escapes (InfluxName).
struct InfluxLine {
  std::string_view measurement;
  std::span<const TagView> tags;        // at most kTagsMax
  std::string_view tag_text;            // all tags, as in the line
  std::span<const InfluxField> fields;  // numeric fields: booleans are 1 and 0, integers over
                                        // 2^63-1 are floats
  size_t strings = 0;                   // number of string fields; a line may have only these
  std::optional<int64_t> timestamp;     // in the unit of the request
  bool has_escapes = false;             // in names
};

class InfluxLines {
 public:
  // `text` is borrowed.
  explicit InfluxLines(std::string_view text);

  // Parses the next line that is not skipped. False at the end. `wants_text`: the caller reads
  // fault(); otherwise a fault has an arbitrary text.
  bool Next(bool wants_text = true);

  // The line parsed: its number, from 1, counting line ends; its fault, or ""; its content, valid
  // until Next. REQUIRES: Next returned true.
  size_t number() const { return number_; }
  const std::string& fault() const { return fault_; }
  const InfluxLine& line() const { return line_; }

 private:
  enum class Part : uint8_t { kMeasurement, kTagKey, kTagValue, kFieldKey };

  // These advance a cursor; nullptr = the line has a fault.
  const char* ReadLine(const char* at);
  const char* ReadTags(const char* at);
  const char* ReadFields(const char* at);
  const char* ReadField(const char* at);
  const char* ReadName(const char* at, Part part, std::string_view* name);
  const char* RefuseName(Part part, size_t bytes);
  const char* ReadValue(const char* at, std::string_view key);
  const char* ReadNumber(const char* at, std::string_view key);
  const char* ReadOddNumber(const char* at, std::string_view key);
  const char* SkipString(const char* at, std::string_view key);
  const char* ReadTimestamp(const char* at);
  const char* AddField(const char* end, std::string_view key, Value value);

  const char* SkipBlanks(const char* at) const;
  bool EndsLine(const char* at) const { return at == end_ || *at == '\n'; }
  bool EndsValue(const char* at) const;
  const char* TokenEnd(const char* at) const;
  std::string GotText(const char* at) const;
  template <typename Make>
  const char* Fault(const Make& make);
  const char* EndOfBadLine(const char* at) const;

  const char* at_;
  const char* const end_;
  size_t next_number_ = 1;
  size_t number_ = 0;
  bool wants_text_ = true;
  std::string fault_;
  InfluxLine line_;
  std::vector<TagView> tags_;
  std::vector<InfluxField> fields_;
};

// Unescapes a name. Returns `text` itself if it has no escapes, else a view of `*buffer`.
std::string_view InfluxName(std::string_view text, std::string* buffer);

}  // namespace hourcell
