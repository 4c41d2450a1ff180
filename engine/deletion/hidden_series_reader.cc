#include "engine/deletion/hidden_series_reader.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codec/base/status_macros.h"

namespace hourcell {

absl::StatusOr<std::shared_ptr<const HiddenSeries>> HiddenSeriesOf(const DeletionRow& row,
                                                                   const SeriesTable& series) {
  std::vector<std::string> tsuids;
  absl::Status found = series.TsuidsFound(row.series, &tsuids);
  if (absl::IsDataLoss(found)) {
    tsuids.assign(row.series.size(), {});
    std::vector<std::string> one;
    for (size_t i = 0; i < row.series.size(); ++i) {
      found = series.TsuidsFound(std::span(row.series).subspan(i, 1), &one);
      if (found.ok()) tsuids[i] = std::move(one.front());
      if (!found.ok() && !absl::IsDataLoss(found)) return found;
    }
  } else if (!found.ok()) {
    return found;
  }
  std::vector<std::string> tags;
  for (const std::string& tsuid : tsuids)
    if (!tsuid.empty()) tags.push_back(tsuid.substr(series.layout().metric_width));
  return std::make_shared<const HiddenSeries>(HiddenSeries{.id = row.id,
                                                           .metric = row.metric,
                                                           .start_ms = row.start_ms,
                                                           .end_ms = row.end_ms,
                                                           .tags = TagsSet(std::move(tags))});
}

absl::StatusOr<HiddenPoints::List> ReadHiddenSeries(const Layout& layout,
                                                    const SeriesTable& series,
                                                    Tables* tables) {
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<DeletionRow> rows,
                            ReadDeletionRows(layout, tables->Snapshot().get()));
  HiddenPoints::List list;
  for (const DeletionRow& row : rows) {
    if (!row.hides()) continue;
    HOURCELL_ASSIGN_OR_RETURN(std::shared_ptr<const HiddenSeries> hidden,
                              HiddenSeriesOf(row, series));
    list.push_back(std::move(hidden));
  }
  return list;
}

}  // namespace hourcell
