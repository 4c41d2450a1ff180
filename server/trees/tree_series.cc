#include "server/trees/tree_series.h"

#include <cstddef>

#include "codec/base/bytes.h"

namespace hourcell {
namespace {

const CustomFields* CustomFieldsOf(const MetaFields& fields) {
  return fields.custom.has_value() ? &*fields.custom : nullptr;
}

// A name that was deleted is its UID in hex.
bool IsUnnamed(std::string_view uid, std::string_view name) {
  return name.size() == 2 * uid.size() && name == ToUpperHex(uid);
}

}  // namespace

const CustomFields* TreeSeriesReader::FieldsOf(UidKind kind, std::string_view uid) const {
  if (fields_ == nullptr) return nullptr;
  return CustomFieldsOf(fields_->Of({.kind = kind, .id = std::string(uid)}));
}

std::optional<TreeSeries> TreeSeriesReader::Read(const FoundSeries& series) {
  size_t at = 0;
  bool is_named = true;
  const auto next = [&](UidKind kind, std::string_view name) {
    const std::string_view uid = series.tsuid.substr(at, layout_.width(kind));
    at += uid.size();
    is_named = is_named && !IsUnnamed(uid, name);
    return FieldsOf(kind, uid);
  };
  tsuid_ = ToUpperHex(series.tsuid);
  tags_.clear();
  const CustomFields* const metric_fields = next(UidKind::kMetric, series.metric);
  for (const TagView& tag : series.tags) {
    TreeTag& read = tags_.emplace_back(TreeTag{.key = tag.key, .value = tag.value});
    read.key_fields = next(UidKind::kTagk, tag.key);
    read.value_fields = next(UidKind::kTagv, tag.value);
  }
  if (!is_named) return std::nullopt;
  return TreeSeries{
      .tsuid = tsuid_, .metric = series.metric, .metric_fields = metric_fields, .tags = tags_};
}

TreeSeries TreeSeriesReader::Read(const SeriesMeta& meta) {
  tags_.clear();
  for (size_t i = 0; i + 1 < meta.tags.size(); i += 2) {
    const UidMeta& key = meta.tags[i];
    const UidMeta& value = meta.tags[i + 1];
    tags_.push_back({.key = key.name,
                     .value = value.name,
                     .key_fields = CustomFieldsOf(key.fields),
                     .value_fields = CustomFieldsOf(value.fields)});
  }
  return {.tsuid = meta.tsuid,
          .metric = meta.metric.name,
          .metric_fields = CustomFieldsOf(meta.metric.fields),
          .tags = tags_};
}

}  // namespace hourcell
