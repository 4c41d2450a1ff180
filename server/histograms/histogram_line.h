// A line of a histogram, in OpenTSDB's line protocol and in files of an import. Without the
// command:
//
//   <metric> <timestamp> <text> <tagk=tagv> ...            text: codec/histograms/histogram_text.h
//   <metric> <timestamp> <id> <base64> <tagk=tagv> ...
//
// A third word that is a number of 32 bits is the ID of a codec; 254 is that of an exponential
// histogram. Pure; thread-safe.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "codec/text/number.h"
#include "codec/text/point_text.h"
#include "engine/append.h"
#include "server/histograms/sent_histogram.h"

namespace hourcell {

// Limit of an import line; the longest that AppendHistogramLine writes is shorter.
inline constexpr size_t kHistogramLineBytesMax = size_t{1} << 20;

// True if an import line is a histogram. False for a point of a metric "histogram": its second word
// is a time, and its fourth word a tag.
bool IsHistogramLine(std::string_view line);

// In an import line, names may be quoted. Errors as PointText::Parse's and ParseQuotedLine's for
// names, time and tags, with "not enough arguments (need least 5, got N)", which counts the
// command; as ParseHistogramText's and DecodeSentValue's for the value; kHistogramsAreOff.
Parsed<SentHistogram> ParseHistogramLine(const HistogramCodecs& codecs,
                                         std::string_view words,
                                         PointSyntax syntax,
                                         const PointLimits& limits);

// Appends the import line of a histogram: "histogram <metric> <timestamp> <id> <base64> ...", names
// and time as in AppendImportLine. No line end. `cell` has the ID and the bytes, as a store keeps
// them; not empty.
void AppendHistogramLine(const HistogramPoint& histogram, std::string* out);
void AppendHistogramLine(const PointView& point, std::string_view cell, std::string* out);

}  // namespace hourcell
