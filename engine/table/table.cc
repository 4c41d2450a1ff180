#include "engine/table/table.h"

#include <algorithm>

#include "codec/base/check.h"
#include "engine/table/table_files.h"

namespace hourcell {

std::string_view TableName(TableId table) {
  switch (table) {
    case TableId::kMeta:
      return "meta";
    case TableId::kUid:
      return "uid";
    case TableId::kSeries:
      return "series";
    case TableId::kData:
      return "data";
    case TableId::kAnnotation:
      return "annotation";
  }
  HOURCELL_CHECK(false);
}

bool RowFilter::Matches(std::string_view key) const {
  if (tags.empty()) return true;
  const size_t pair_width = tagk_width + tagv_width;
  const auto has = [&](const Tag& tag) {
    for (size_t at = tags_offset; at + pair_width <= key.size(); at += pair_width) {
      if (key.substr(at, tagk_width) != tag.tagk) continue;
      return std::ranges::binary_search(tag.tagvs, key.substr(at + tagk_width, tagv_width));
    }
    return false;
  };
  return std::ranges::all_of(tags, has);
}

absl::Status TableStore::WithRegionsAtRest(const std::function<absl::Status()>& work) {
  return work();
}

absl::StatusOr<std::unique_ptr<TableFiles>> TableStore::PinFiles() {
  return absl::UnimplementedError("backup: these tables are no files");
}

}  // namespace hourcell
