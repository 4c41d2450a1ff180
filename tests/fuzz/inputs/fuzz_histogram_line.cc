#include <algorithm>
#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "server/histograms/histogram_line.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

bool IsName(std::string_view text) {
  return !text.empty() && std::ranges::none_of(text, [](char c) { return c >= 0 && c < ' '; });
}

}  // namespace
}  // namespace hourcell

// Any line and any setting of codecs is refused, or gives a histogram that can be stored, and whose
// import line gives it again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  const std::string text(InputText(data, size));
  // A path would make it read files.
  if (!text.ends_with(".json")) static_cast<void>(ParseHistogramCodecs(text));
  const HistogramCodecs codecs{.simple = 42};
  const PointSyntax syntax = size % 2 == 0 ? PointSyntax::kTelnet : PointSyntax::kImport;
  const Parsed<SentHistogram> sent = ParseHistogramLine(codecs, text, syntax, PointLimits{});
  if (!sent.ok()) {
    HOURCELL_CHECK(!sent.error().text.empty());
    return 0;
  }
  HOURCELL_CHECK(!sent->metric.empty() && !sent->tags.empty());
  bool are_names = IsName(sent->metric);
  for (const auto& [key, value] : sent->tags)
    are_names = are_names && IsName(key) && IsName(value);
  if (!are_names) return 0;  // no store takes them
  const HistogramPoints points({&*sent, 1});
  std::string line;
  AppendHistogramLine(points.points()[0], &line);
  HOURCELL_CHECK(IsHistogramLine(line));
  const std::string_view words = std::string_view(line).substr(line.find(' ') + 1);
  const auto again = ParseHistogramLine(codecs, words, PointSyntax::kImport, PointLimits{});
  HOURCELL_CHECK(again.ok() && again->codec == sent->codec && again->metric == sent->metric);
  HOURCELL_CHECK(again->timestamp.ms == sent->timestamp.ms && again->tags == sent->tags);
  HOURCELL_CHECK(again->histogram == sent->histogram);
  return 0;
}
