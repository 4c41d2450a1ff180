#include "tests/model/queries/case_regions.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "codec/rows/row_key.h"

namespace hourcell {

std::vector<std::string> CutKeys(const QueryCase& stored,
                                 const Layout& layout,
                                 const std::map<std::string, Uid>& metrics,
                                 size_t count) {
  const RowKeyCodec codec(layout);
  const uint32_t buckets = layout.salt_width == 0 ? 1 : layout.salt_buckets;
  std::set<std::string> starts;
  for (const CaseStep& step : stored.steps) {
    if (step.kind != CaseStep::Kind::kPut) continue;
    for (uint32_t bucket = 0; bucket < buckets; ++bucket) {
      std::string start;
      codec.AppendHourPrefix(metrics.at(step.metric), bucket, kHourSpan.BaseS(step.time.ms),
                             &start);
      starts.insert(std::move(start));
    }
  }
  const std::vector<std::string> all(starts.begin(), starts.end());
  std::vector<std::string> keys;
  const size_t parts = std::min(count + 1, all.size());
  for (size_t i = 1; i < parts; ++i)
    keys.push_back(all[all.size() * i / parts]);
  return keys;
}

std::string KeyText(std::string_view key) {
  std::string text;
  for (const char byte : key)
    text += fmt::format("\\x{:02X}", static_cast<uint8_t>(byte));
  return text;
}

}  // namespace hourcell
