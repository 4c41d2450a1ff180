#include "engine/rows/key_description.h"

#include <chrono>
#include <cstddef>

#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codec/base/bytes.h"
#include "codec/rows/row_key.h"
#include "engine/rows/annotation_key.h"
#include "uid/uid_directory.h"

namespace hourcell {
namespace {

constexpr size_t kBaseTimeBytes = 4;

size_t WidthOf(const Layout& layout, RowField field) {
  switch (field) {
    case RowField::kSalt:
      return layout.salt_width;
    case RowField::kMetric:
      return layout.metric_width;
    case RowField::kBaseTime:
      return kBaseTimeBytes;
    case RowField::kTags:
      break;
  }
  return 0;
}

std::string_view Take(size_t count, std::string_view* bytes) {
  const std::string_view taken = bytes->substr(0, count);
  bytes->remove_prefix(count);
  return taken;
}

}  // namespace

std::string UtcText(uint32_t time_s) {
  const std::chrono::sys_seconds time{std::chrono::seconds(time_s)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::string KeyText(const ExplainedKey& key) {
  std::vector<std::string> parts;
  if (key.salt.has_value()) parts.push_back(fmt::format("salt {}", *key.salt));
  if (key.metric.has_value()) parts.push_back(*key.metric);
  if (key.time_s.has_value()) parts.push_back(UtcText(*key.time_s));
  for (const auto& [tagk, tagv] : key.tags)
    parts.push_back(fmt::format("{}={}", tagk, tagv));
  if (!key.rest.empty()) parts.push_back("0x" + key.rest);
  return fmt::format("{}", fmt::join(parts, ", "));
}

ExplainedKey KeyDescriber::Explain(TableId table, std::string_view key) const {
  if (!SpecOf(table).row_span.is_by_time()) {
    ExplainedKey other;
    other.rest = ToUpperHex(key);
    return other;
  }
  if (table != TableId::kAnnotation) return ExplainRow(key);
  const absl::StatusOr<AnnotationKeyView> annotation = ParseAnnotationKey(row_keys_, key);
  if (!annotation.ok()) return ExplainRow(key);
  ExplainedKey explained =
      ExplainRow(key.substr(0, row_keys_.tags_offset() + annotation->tags.size()));
  explained.time_s = static_cast<uint32_t>(annotation->start_ms / 1000);
  return explained;
}

ExplainedKey KeyDescriber::ExplainRow(std::string_view key) const {
  const Layout& layout = row_keys_.layout();
  ExplainedKey explained;
  for (const RowField field : layout.fields) {
    if (field == RowField::kTags) {
      ExplainTags(&key, &explained);
      break;
    }
    const size_t width = WidthOf(layout, field);
    if (width == 0) continue;
    if (key.size() < width) break;
    const std::string_view bytes = Take(width, &key);
    if (field == RowField::kMetric) {
      explained.metric = NameOf(UidKind::kMetric, bytes);
    } else if (field == RowField::kSalt) {
      explained.salt = LoadBigEndian(bytes.data(), bytes.size());
    } else {
      const auto time = static_cast<uint32_t>(LoadBigEndian(bytes.data(), bytes.size()));
      explained.time_s = IsDayField(time) ? DayOfField(time) : time;
    }
  }
  explained.rest = ToUpperHex(key);
  return explained;
}

void KeyDescriber::ExplainTags(std::string_view* rest, ExplainedKey* explained) const {
  const Layout& layout = row_keys_.layout();
  while (rest->size() >= layout.tagk_width) {
    auto& [tagk, tagv] = explained->tags.emplace_back();
    tagk = NameOf(UidKind::kTagk, Take(layout.tagk_width, rest));
    if (rest->size() < layout.tagv_width) return;
    tagv = NameOf(UidKind::kTagv, Take(layout.tagv_width, rest));
  }
}

std::string KeyDescriber::NameOf(UidKind kind, std::string_view uid_bytes) const {
  absl::StatusOr<std::string> name =
      uids_.NameOf(kind, LoadBigEndian(uid_bytes.data(), uid_bytes.size()));
  return name.ok() ? *std::move(name) : ToUpperHex(uid_bytes);
}

}  // namespace hourcell
