// InfluxLines: the lines of a body in InfluxDB's line protocol, one after the other.
//
//   <measurement>[,<tag>=<value>...] <field>=<value>[,<field>=<value>...] [<timestamp>]
//
//   1  1.5  -2e3    a float        "text"   a string: \" and \\ are escapes; may have line ends
//   42i             an integer     t T true True TRUE, f F false False FALSE
//   42u             an unsigned integer
//
// A comma, a blank or '=' of a name is escaped by a backslash before it; every other backslash
// stands for itself. Blanks separate the parts; lines that are empty or begin with '#' are skipped;
// \r\n ends a line, too. A byte order mark before the first line is skipped. A string that is not
// closed makes the rest of the body one line, as it does for InfluxDB.
//
//   InfluxLines lines(body);
//   while (lines.Next()) {
//     if (!lines.fault().empty()) ...            // "got ...; want ..."; the line has nothing then
//     else ... lines.line() ...
//   }
//
// Nothing is copied, and nothing allocated per line but for the text of a fault, which is left out
// where nobody wants it. Thread-compatible.

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

// The most fields of a line; InfluxDB has no limit.
inline constexpr size_t kInfluxFieldsMax = 4096;

struct InfluxField {
  std::string_view key;
  Value value;
};

// Names as they stand in the body: 1 to kNameBytesMax bytes, escapes and all (InfluxName).
struct InfluxLine {
  std::string_view measurement;
  std::span<const TagView> tags;        // at most kTagsMax
  std::string_view tag_text;            // all of them, as they stand in the line
  std::span<const InfluxField> fields;  // those that are numbers: booleans are 1 and 0, integers
                                        // over 2^63-1 floats
  size_t strings = 0;                   // fields that are strings; a line may have no others
  std::optional<int64_t> timestamp;     // in the unit of the request
  bool has_escapes = false;             // in names
};

class InfluxLines {
 public:
  // `text` is borrowed.
  explicit InfluxLines(std::string_view text);

  // Reads the next line that has something. False at the end. `wants_text`: what fault() says is
  // read; else any text stands for a fault.
  bool Next(bool wants_text = true);

  // Of the line read: its number, from 1, which counts line ends; what is wrong with it, empty if
  // nothing is; what it says, until Next. REQUIRES: Next was true.
  size_t number() const { return number_; }
  const std::string& fault() const { return fault_; }
  const InfluxLine& line() const { return line_; }

 private:
  enum class Part : uint8_t { kMeasurement, kTagKey, kTagValue, kFieldKey };

  // The cursors; nullptr = the line has a fault.
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

// A name of a line without its escapes. Returns `text` itself if it has none, else a view of
// `*buffer`.
std::string_view InfluxName(std::string_view text, std::string* buffer);

}  // namespace hourcell
