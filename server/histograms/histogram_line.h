// A telnet line of a histogram, without the command:
//
//   <metric> <timestamp> <text> <tagk=tagv> ...            text: codec/histograms/histogram_text.h
//   <metric> <timestamp> <id> <base64> <tagk=tagv> ...
//
// A third word that is a number of 32 bits is the ID of a codec. Pure; thread-safe.

#pragma once

#include <string_view>

#include "codec/text/number.h"
#include "codec/text/point_text.h"
#include "server/histograms/sent_histogram.h"

namespace hourcell {

// Errors as PointText::Parse's for names, time and tags, with "not enough arguments (need least 5,
// got N)", which counts the command; as ParseHistogramText's and DecodeSentValue's for the value.
Parsed<SentHistogram> ParseHistogramLine(const HistogramCodecs& codecs,
                                         std::string_view words,
                                         const PointLimits& limits);

}  // namespace hourcell
