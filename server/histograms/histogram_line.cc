#include "server/histograms/histogram_line.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/histograms/histogram_text.h"
#include "codec/text/put_line.h"
#include "codec/text/quoted_name.h"

namespace hourcell {
namespace {

constexpr std::string_view kHistogramCommand = "histogram ";
constexpr size_t kHistogramWordsMin = 5;  // with the command

// Takes a word and the blank after it off the front.
std::string_view TakeHistogramWord(std::string_view* words) {
  const std::string_view word = words->substr(0, words->find(' '));
  words->remove_prefix(std::min(words->size(), word.size() + 1));
  return word;
}

std::optional<int64_t> CodecIdOf(std::string_view word) {
  const Parsed<int64_t> id = ParseInteger(word);
  const bool fits = id.ok() && *id >= std::numeric_limits<int32_t>::min() &&
                    *id <= std::numeric_limits<int32_t>::max();
  return fits ? std::optional(*id) : std::nullopt;
}

PointError IllegalLine(std::string text) {
  return {.kind = PointErrorKind::kIllegalArgument, .text = std::move(text)};
}

// Takes the metric, and the blank after it, off the front. A quoted one keeps its quotes.
std::string_view TakeMetric(PointSyntax syntax, std::string_view* words) {
  const size_t quoted = syntax == PointSyntax::kImport ? TakeQuoted(*words, nullptr) : 0;
  if (quoted == 0) return TakeHistogramWord(words);
  const std::string_view metric = words->substr(0, quoted);
  words->remove_prefix(std::min(words->size(), quoted + 1));
  return metric;
}

// Takes the text, or the ID and the bytes, off the front; the fault.
std::optional<PointError> TakeValue(const HistogramCodecs& codecs,
                                    std::string_view* words,
                                    SentHistogram* sent) {
  const std::string_view value = TakeHistogramWord(words);
  const std::optional<int64_t> id = CodecIdOf(value);
  if (id.has_value()) {
    const Parsed<HistogramValue> decoded = DecodeSentValue(codecs, *id, TakeHistogramWord(words));
    if (!decoded.ok()) return decoded.error();
    sent->codec = static_cast<uint8_t>(*id);
    sent->histogram = *decoded;
    return std::nullopt;
  }
  if (!codecs.is_enabled()) return IllegalLine(std::string(kHistogramsAreOff));
  const Parsed<SimpleHistogram> histogram = ParseHistogramText(value);
  if (!histogram.ok()) return histogram.error();
  sent->codec = *codecs.simple;
  sent->histogram = *histogram;
  return std::nullopt;
}

// Parses the line of a point with the names, the time and the tags of a histogram. The names are
// those of `*point`, which borrows from `line` and from `*names`.
std::optional<PointError> ParseSeries(std::string_view line,
                                      PointSyntax syntax,
                                      const PointLimits& limits,
                                      PointText* point,
                                      std::string* names,
                                      SentHistogram* sent) {
  if (syntax == PointSyntax::kImport && HasQuotedName(line)) {
    LinePoint quoted;
    if (auto fault = ParseQuotedLine(line, limits, point, names, &quoted)) return fault;
    sent->timestamp = quoted.timestamp;
    sent->has_any_names = true;
    return point->ParseSeries(quoted, limits);
  }
  if (auto fault = point->Parse(line, syntax, limits)) return fault;
  sent->timestamp = point->point().timestamp;
  return std::nullopt;
}

void AppendLine(const PointView& point, int id, std::string_view base64, std::string* out) {
  out->append(kHistogramCommand);
  AppendLineName(point.metric, out);
  out->push_back(' ');
  AppendTimestamp(point.timestamp, out);
  fmt::format_to(std::back_inserter(*out), " {} {}", id, base64);
  for (const TagView& tag : point.tags) {
    out->push_back(' ');
    AppendLineName(tag.key, out);
    out->push_back('=');
    AppendLineName(tag.value, out);
  }
}

}  // namespace

bool IsHistogramLine(std::string_view line) {
  if (!line.starts_with(kHistogramCommand)) return false;
  line.remove_prefix(kHistogramCommand.size());
  if (!ParseTimestampText(TakeHistogramWord(&line), PointSyntax::kImport).ok()) return true;
  // A metric that looks like a time.
  TakeHistogramWord(&line);
  return CodecIdOf(TakeHistogramWord(&line)).has_value();
}

Parsed<SentHistogram> ParseHistogramLine(const HistogramCodecs& codecs,
                                         std::string_view words,
                                         PointSyntax syntax,
                                         const PointLimits& limits) {
  const auto count = static_cast<size_t>(std::ranges::count(words, ' ')) + 2;
  if (count < kHistogramWordsMin) {
    return IllegalLine(
        fmt::format("not enough arguments (need least {}, got {})", kHistogramWordsMin, count));
  }
  const std::string_view metric = TakeMetric(syntax, &words);
  const std::string_view time = TakeHistogramWord(&words);
  SentHistogram sent;
  const std::optional<PointError> wrong_value = TakeValue(codecs, &words, &sent);
  // The names, the time and the tags are those of a put.
  const std::string line = fmt::format("{} {} 0 {}", metric, time, words);
  PointText point;
  std::string names;
  if (auto fault = ParseSeries(line, syntax, limits, &point, &names, &sent))
    return *std::move(fault);
  if (wrong_value.has_value()) return *wrong_value;
  sent.metric = point.point().metric;
  for (const TagView& tag : point.point().tags)
    sent.tags.emplace_back(tag.key, tag.value);
  return sent;
}

void AppendHistogramLine(const HistogramPoint& histogram, std::string* out) {
  const int id = histogram.exponential != nullptr ? kExponentialHistogramId : histogram.codec;
  AppendLine(histogram.point, id, EncodeSentValue(histogram), out);
}

void AppendHistogramLine(const PointView& point, std::string_view cell, std::string* out) {
  HOURCELL_DCHECK(!cell.empty());
  AppendLine(point, static_cast<uint8_t>(cell.front()), EncodeSentBytes(cell.substr(1)), out);
}

}  // namespace hourcell
