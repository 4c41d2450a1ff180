#include "engine/histograms/annotated_series.h"

#include <cstddef>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_set.h>

#include "codec/base/status_macros.h"
#include "engine/rows/annotation_key.h"

namespace hourcell {

absl::Status RemoveAnnotated(const RowKeyCodec& row_keys,
                             const SeriesTable& series,
                             Uid metric,
                             TableView* view,
                             std::vector<SeriesNumber>* numbers) {
  if (numbers->empty()) return absl::OkStatus();
  absl::flat_hash_set<std::string> annotated;  // tsuids
  for (const KeyRange& range : row_keys.Ranges(metric, 0, 0)) {
    HOURCELL_RETURN_IF_ERROR(view->Scan(
        TableId::kAnnotation, {.begin = range.begin, .end = range.end},
        [&](std::string_view key, std::string_view) {
          const absl::StatusOr<AnnotationKeyView> parsed = ParseAnnotationKey(row_keys, key);
          if (!parsed.ok() || parsed->is_global()) return true;
          annotated.insert(std::string(parsed->metric) + std::string(parsed->tags));
          return true;
        }));
  }
  if (annotated.empty()) return absl::OkStatus();
  std::vector<std::string> tsuids;
  HOURCELL_RETURN_IF_ERROR(series.TsuidsFound(*numbers, &tsuids));
  size_t kept = 0;
  for (size_t i = 0; i < tsuids.size(); ++i)
    if (!annotated.contains(tsuids[i])) (*numbers)[kept++] = (*numbers)[i];
  numbers->resize(kept);
  return absl::OkStatus();
}

}  // namespace hourcell
