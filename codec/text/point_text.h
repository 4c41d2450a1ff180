// A point as text: the words of a telnet put and of an import line.
//
//   put <metric> <timestamp> <value> <tagk=tagv> [<tagk=tagv> ...]      telnet, "put " taken off
//   <metric> <timestamp> <value> <tagk=tagv> [<tagk=tagv> ...]          import
//
// Words are separated by single blanks; empty words among the tags are skipped. Checks come in
// OpenTSDB's order with its texts. Thread-compatible: a PointText holds the storage of its views
// and is reused from line to line, so that a good line allocates nothing.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/limits.h"
#include "codec/point.h"
#include "codec/text/number.h"
#include "codec/text/point_error.h"

namespace hourcell {

// What differs between the places text comes from.
enum class PointSyntax : uint8_t {
  kTelnet,  // timestamp: all dots removed, then an integer
  kImport,  // timestamp: an integer, or one with its unit: 1500ms, 0s
};

// How many of what a point may have; from the settings.
struct PointLimits {
  size_t tags_max = kTagsMaxDefault;
};

// A timestamp of OpenTSDB's magnitude rule: any bit above the 32nd set = milliseconds.
// Errors: kInvalidValue (not a number), kIllegalArgument "invalid timestamp: n" (<= 0),
// "bad timestamp=n: after 4294967295999 ms; want seconds or milliseconds since 1970".
Parsed<Timestamp> ParseTimestampText(std::string_view text, PointSyntax syntax);
Parsed<Timestamp> TimestampFromInteger(int64_t number);

// Whether the magnitude rule gives back a time that is written as a number: not for milliseconds
// before 1970-02-19T17:02:47.296Z, which are read as seconds, nor for 0.
bool IsNumberOfMagnitude(const Timestamp& time);

// As kImport reads it back: a number, and the unit if the magnitude does not say it.
void AppendTimestamp(const Timestamp& time, std::string* out);

// Splits one tag word at its '='. Error (kIllegalArgument): "invalid tag: <word>".
Parsed<TagView> ParseTagWord(std::string_view word);

class PointText {
 public:
  // Parses `line`, without its line end and without "put ". The point's views point into `line` and
  // into this object until the next call. Names are not checked here (name.h), but converted to
  // UTF-8.
  //
  // Errors, in the order they are found: not enough arguments (need least 4, got N); empty metric
  // name; timestamp; empty value; invalid tag; duplicate tag with another value; value; tag count
  // (Need at least one tag (metric=..., tags={}); Too many tags: N maximum allowed: M, tags:
  // {...}).
  std::optional<PointError> Parse(std::string_view line,
                                  PointSyntax syntax,
                                  const PointLimits& limits);

  // Parses what names a series: a metric, and its tags as the rest of a line. The point's timestamp
  // and value mean nothing then. Errors: Parse's that concern the metric and the tags.
  std::optional<PointError> ParseSeries(std::string_view metric,
                                        std::string_view tags,
                                        const PointLimits& limits);

  // The same of a point, whatever the form of its tags is. The point says whether it has any names.
  std::optional<PointError> ParseSeries(const LinePoint& point, const PointLimits& limits);

  // The point of the last Parse or ParseSeries that returned no error.
  const PointView& point() const { return point_; }

 private:
  std::optional<PointError> ParseTags(std::span<const std::string_view> words);
  std::optional<PointError> ParseAnyTags(std::string_view tags);
  // `word`: the tag as it came; empty: as it is.
  std::optional<PointError> AddTag(const TagView& tag, std::string_view word);
  std::optional<PointError> CheckTagCount(std::string_view metric, const PointLimits& limits) const;
  // A word of the line, or a part of one, as UTF-8.
  std::string_view Utf8(std::string_view text);

  PointView point_;
  std::vector<std::string_view> words_;
  std::vector<TagView> tags_;
  bool is_utf8_ = true;                 // the whole line
  std::vector<std::string> converted_;  // texts of a line that is not UTF-8; rare
};

// The value of an import line that is a stale marker (Value::StaleMarker).
inline constexpr std::string_view kStaleMarkerWord = "StaleNaN";

// The import line of a point: `metric timestamp value tagk=tagv ...`, time in the precision it has,
// floats as Java prints them, a stale marker as kStaleMarkerWord. A name with a blank or '=', or
// one that begins with '"', is quoted (quoted_name.h). No line end.
void AppendImportLine(const PointView& point, std::string* out);

// Appends a metric, a key or a value as such a line has it.
void AppendLineName(std::string_view name, std::string* out);

}  // namespace hourcell
