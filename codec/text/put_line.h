// Lines of points as they stand in a read buffer: the quick way in.
//
//   put <metric> <timestamp> <value> <tagk=tagv> [<tagk=tagv> ...]\n      telnet
//   <metric> <timestamp> <value> <tagk=tagv> [<tagk=tagv> ...]            import
//
// A usual line is taken apart only as far as its time and value; its tags stay text, for the store
// to hash. Anything unusual goes to PointText, whose answers are the standard: a line is taken the
// quick way only if both ways agree on it. Pure functions; thread-safe, but for the parser given.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "codec/point.h"
#include "codec/text/point_error.h"
#include "codec/text/point_text.h"

namespace hourcell {

// Takes a whole usual line off the front of `bytes`: a put of a metric, a timestamp of digits only,
// a plain number (ScanPlainValue) and the beginning of tags, which end at \n or \r\n. Returns its
// length with the line end, and points `*point` into `bytes`. 0 if the line is another, too long or
// not whole; `*point` means nothing then. Allocates nothing.
size_t ScanPutLine(std::string_view bytes, LinePoint* point);

// Reads a timestamp of digits only off the front of [begin, end), to which TimestampFromInteger
// says yes. Returns where it ends; null for any other, which may still be a timestamp.
const char* ScanTimestamp(const char* begin, const char* end, Timestamp* timestamp);

// The point of a line without its end and without "put ". `*point` points into `words`. Its tags
// are as unchecked as LinePoint's are if the line is usual; of others all is checked that
// PointText::Parse checks.
//
// Errors: those of PointText::Parse that concern more than the tags; all of them if the line is
// unusual. Between this and Tsdb::Append, every line gets the error that Parse would give first.
std::optional<PointError> ParsePointLine(std::string_view words,
                                         PointSyntax syntax,
                                         const PointLimits& limits,
                                         PointText* parser,
                                         LinePoint* point);

// Whether a name of an import line is quoted (quoted_name.h).
bool HasQuotedName(std::string_view line);

// The point of such a line, which may have any names. `*names` is made to hold them. Errors: those
// of PointText::Parse; "invalid tag: ..." and "invalid metric: ..." of a name that is not quoted to
// its end.
std::optional<PointError> ParseQuotedLine(std::string_view line,
                                          const PointLimits& limits,
                                          PointText* parser,
                                          std::string* names,
                                          LinePoint* point);

}  // namespace hourcell
