#include "server/text/series_text.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/quoted_name.h"

namespace hourcell {

void AppendTagMatches(std::string_view tagk, std::string_view tagv, std::vector<TagMatch>* tags) {
  size_t bar = 0;
  do {
    bar = std::min(FindOutsideQuotes(tagv, '|'), tagv.size());
    tags->push_back({.tagk = Unquoted(tagk), .tagv = Unquoted(tagv.substr(0, bar))});
    tagv.remove_prefix(std::min(bar + 1, tagv.size()));
  } while (!tagv.empty());
}

absl::Status AppendTagMatches(std::string_view tag, std::vector<TagMatch>* tags) {
  const size_t equals = FindOutsideQuotes(tag, '=');
  if (equals == std::string_view::npos) {
    return absl::InvalidArgumentError(fmt::format("invalid tag: {}", TextForMessage(tag)));
  }
  AppendTagMatches(tag.substr(0, equals), tag.substr(equals + 1), tags);
  return absl::OkStatus();
}

absl::StatusOr<SeriesText> ParseSeriesText(std::string_view text) {
  const size_t open = std::min(FindOutsideQuotes(text, '{'), text.size());
  SeriesText series{.metric = Unquoted(text.substr(0, open)), .tags = {}};
  if (open == text.size()) return series;
  if (!text.ends_with('}')) {
    return absl::InvalidArgumentError(
        fmt::format("Missing '}}' at the end of: {}", TextForMessage(text)));
  }
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  while (!rest.empty()) {
    const size_t comma = std::min(FindOutsideQuotes(rest, ','), rest.size());
    HOURCELL_RETURN_IF_ERROR(AppendTagMatches(rest.substr(0, comma), &series.tags));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return series;
}

}  // namespace hourcell
