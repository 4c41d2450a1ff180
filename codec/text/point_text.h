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

// Differences between the sources of text.
enum class PointSyntax : uint8_t {
  kTelnet,  // timestamp: all dots removed, then an integer
  kImport,  // timestamp: an integer, or one with its unit: 1500ms, 0s
};

// Limits of a point; from the settings.
struct PointLimits {
  size_t tags_max = kTagsMaxDefault;
};

// A timestamp of OpenTSDB's magnitude rule: any bit above the 32nd set = milliseconds.
// Errors: kInvalidValue (not a number), kIllegalArgument "invalid timestamp: n" (<= 0),
// "bad timestamp=n: after 4294967295999 ms; expected seconds or milliseconds since 1970".
Parsed<Timestamp> ParseTimestampText(std::string_view text, PointSyntax syntax);
Parsed<Timestamp> TimestampFromInteger(int64_t number);

// True if the magnitude rule reads `time` back from a plain number: false for milliseconds before
// 1970-02-19T17:02:47.296Z, which it reads as seconds, and for 0.
bool IsNumberOfMagnitude(const Timestamp& time);

// The text that kImport reads back: a number, and the unit if the magnitude does not imply it.
void AppendTimestamp(const Timestamp& time, std::string* out);

// Splits one tag word at its '='. Error (kIllegalArgument): "invalid tag: <word>".
Parsed<TagView> ParseTagWord(std::string_view word);

// Tags for a message, in the form of Java's HashMap: {host=web01, dc=lga}. Each name is as
// TextForMessage (codec/base/strings.h) makes it; further tags after 1 KiB are "...".
std::string TagsText(std::span<const TagView> tags);

class PointText {
 public:
  // Parses `line`, without its line end and without "put ". The point's views point into `line` and
  // into this object until the next call. Converts names to UTF-8, but does not check them
  // (name.h).
  //
  // Errors, in the order of the checks: not enough arguments (need least 4, got N); empty metric
  // name; timestamp; empty value; invalid tag; duplicate tag with another value; value; tag count
  // (Need at least one tag (metric=..., tags={}); Too many tags: N maximum allowed: M, tags:
  // {...}).
  std::optional<PointError> Parse(std::string_view line,
                                  PointSyntax syntax,
                                  const PointLimits& limits);

  // Parses the name of a series: a metric, and its tags as the rest of a line. The point's
  // timestamp and value are then undefined. Errors: Parse's for the metric and the tags.
  std::optional<PointError> ParseSeries(std::string_view metric,
                                        std::string_view tags,
                                        const PointLimits& limits);

  // The same for a point with tags in either form. Its `has_any_names` selects the form.
  std::optional<PointError> ParseSeries(const LinePoint& point, const PointLimits& limits);

  // The point of the last Parse or ParseSeries that returned no error.
  const PointView& point() const { return point_; }

 private:
  std::optional<PointError> ParseTags(std::span<const std::string_view> words);
  std::optional<PointError> ParseAnyTags(std::string_view tags);
  // `word`: the tag as received; empty: `tag` is already UTF-8.
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

// The words for special values (Value::is_special) as the value of an import line.
inline constexpr std::string_view kStaleMarkerWord = "StaleNaN";
inline constexpr std::string_view kNanWord = "NaN";
inline constexpr std::string_view kInfinityWord = "Infinity";
inline constexpr std::string_view kMinusInfinityWord = "-Infinity";
// Empty for another value. NaNs other than the stale marker are one word.
std::string_view SpecialValueWord(Value value);

// The import line of a point: `metric timestamp value tagk=tagv ...`, time in its own precision,
// floats as Java prints them, special values as SpecialValueWord. A name with a blank or '=', or
// one that begins with '"', is quoted (quoted_name.h). No line end.
void AppendImportLine(const PointView& point, std::string* out);

// Appends a metric, a key or a value in the form of such a line.
void AppendLineName(std::string_view name, std::string* out);

}  // namespace hourcell
