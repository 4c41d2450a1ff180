#include "server/histograms/histogram_line.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "codec/histograms/histogram_text.h"

namespace hourcell {
namespace {

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

}  // namespace

Parsed<SentHistogram> ParseHistogramLine(const HistogramCodecs& codecs,
                                         std::string_view words,
                                         const PointLimits& limits) {
  const auto count = static_cast<size_t>(std::ranges::count(words, ' ')) + 2;
  if (count < kHistogramWordsMin) {
    return PointError{.kind = PointErrorKind::kIllegalArgument,
                      .text = fmt::format("not enough arguments (need least {}, got {})",
                                          kHistogramWordsMin, count)};
  }
  const std::string_view metric = TakeHistogramWord(&words);
  const std::string_view time = TakeHistogramWord(&words);
  const std::string_view value = TakeHistogramWord(&words);
  const std::optional<int64_t> id = CodecIdOf(value);
  const Parsed<SimpleHistogram> histogram =
      id.has_value() ? DecodeSentValue(codecs, *id, TakeHistogramWord(&words))
                     : ParseHistogramText(value);
  // The names, the time and the tags are those of a put.
  const std::string line = fmt::format("{} {} 0 {}", metric, time, words);
  PointText point;
  if (auto fault = point.Parse(line, PointSyntax::kTelnet, limits)) return *std::move(fault);
  if (!histogram.ok()) return histogram.error();
  SentHistogram sent{.metric = std::string(point.point().metric),
                     .timestamp = point.point().timestamp,
                     .tags = {},
                     .histogram = *histogram};
  for (const TagView& tag : point.point().tags)
    sent.tags.emplace_back(tag.key, tag.value);
  return sent;
}

}  // namespace hourcell
