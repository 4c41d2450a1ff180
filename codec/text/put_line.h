// Lines of points in a read buffer: the fast path.
//
//   put <metric> <timestamp> <value> <tagk=tagv> [<tagk=tagv> ...]\n      telnet
//   <metric> <timestamp> <value> <tagk=tagv> [<tagk=tagv> ...]            import
//
// The fast path parses a usual line only as far as its time and value; its tags stay text, for the
// store to hash. PointText parses all other lines and defines the results: a line takes the fast
// path only if both agree on it. Pure functions; thread-safe, except for the parser passed in.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "codec/point.h"
#include "codec/text/point_error.h"
#include "codec/text/point_text.h"

namespace hourcell {

// Takes a complete usual line off the front of `bytes`: a put of a metric, a timestamp of digits
// only, a plain number (ScanPlainValue) and the beginning of tags, which end at \n or \r\n.
// Returns its length with the line end, and points `*point` into `bytes`. Returns 0 if the line
// is another, too long or incomplete; `*point` is then undefined. Does not allocate.
size_t ScanPutLine(std::string_view bytes, LinePoint* point);

// Reads a timestamp of digits only, which TimestampFromInteger accepts, off the front of [begin,
// end). Returns its end; null for any other text, which may still be a timestamp.
const char* ScanTimestamp(const char* begin, const char* end, Timestamp* timestamp);

// The point of a line without its end and without "put ". `*point` points into `words`. The tags of
// a usual line are unchecked, as in LinePoint; other lines get all checks of PointText::Parse.
//
// Errors: for a usual line those of PointText::Parse that do not concern only the tags; else all of
// them. Between this and Points::Append, every line gets the error that Parse would give first.
std::optional<PointError> ParsePointLine(std::string_view words,
                                         PointSyntax syntax,
                                         const PointLimits& limits,
                                         PointText* parser,
                                         LinePoint* point);

// True if a name of an import line is quoted (quoted_name.h).
bool HasQuotedName(std::string_view line);

// The point of such a line, which may have any names. `*names` holds them. Errors: those of
// PointText::Parse; "invalid tag: ..." and "invalid metric: ..." for a name whose quotes do not
// enclose all of it, or that has a kTagSeparator.
std::optional<PointError> ParseQuotedLine(std::string_view line,
                                          const PointLimits& limits,
                                          PointText* parser,
                                          std::string* names,
                                          LinePoint* point);

}  // namespace hourcell
