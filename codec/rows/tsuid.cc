#include "codec/rows/tsuid.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"

namespace hourcell {

std::string EncodeTsuid(const Layout& layout, Uid metric, std::span<const TagUids> tags) {
  HOURCELL_CHECK(!tags.empty() && tags.size() <= kTagsMax);
  HOURCELL_CHECK(metric <= MaxUnsigned(layout.metric_width));

  // UIDs are stored big-endian in one width a kind, so numeric order is byte order.
  TagUids sorted[kTagsMax];
  TagUids* const end = std::copy(tags.begin(), tags.end(), sorted);
  std::sort(sorted, end);

  std::string tsuid;
  tsuid.reserve(layout.metric_width + tags.size() * layout.pair_width());
  AppendBigEndian(metric, layout.metric_width, &tsuid);
  for (const TagUids* tag = sorted; tag != end; ++tag) {
    HOURCELL_CHECK(tag->tagk <= MaxUnsigned(layout.tagk_width));
    HOURCELL_CHECK(tag->tagv <= MaxUnsigned(layout.tagv_width));
    AppendBigEndian(tag->tagk, layout.tagk_width, &tsuid);
    AppendBigEndian(tag->tagv, layout.tagv_width, &tsuid);
  }
  return tsuid;
}

absl::StatusOr<SeriesUids> ParseTsuid(const Layout& layout, std::string_view tsuid) {
  const size_t pair = layout.pair_width();
  const size_t tag_bytes = tsuid.size() - std::min(tsuid.size(), layout.metric_width);
  if (tag_bytes == 0 || tag_bytes % pair != 0 || tag_bytes / pair > kTagsMax) {
    return absl::InvalidArgumentError(fmt::format(
        "tsuid {}: expected a metric of {} and 1 to {} tags of {}, got {} bytes",
        ToUpperHex(tsuid.substr(0, 64)), layout.metric_width, kTagsMax, pair, tsuid.size()));
  }

  SeriesUids series{.metric = LoadBigEndian(tsuid.data(), layout.metric_width), .tags = {}};
  series.tags.reserve(tag_bytes / pair);
  for (size_t at = layout.metric_width; at < tsuid.size(); at += pair) {
    series.tags.push_back(
        {.tagk = LoadBigEndian(tsuid.data() + at, layout.tagk_width),
         .tagv = LoadBigEndian(tsuid.data() + at + layout.tagk_width, layout.tagv_width)});
  }
  return series;
}

}  // namespace hourcell
