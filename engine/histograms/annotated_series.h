// Which series have annotations or histograms. Thread-safe.

#pragma once

#include <vector>

#include <absl/status/status.h>

#include "codec/rows/row_key.h"
#include "codec/rows/uid.h"
#include "engine/rows/series_key.h"
#include "engine/series/series_table.h"
#include "engine/table/table.h"

namespace hourcell {

// Removes from `numbers`, which are of one metric, the series with annotations or histograms in the
// view. Reads the rows of the metric in the annotation table. Errors are storage's.
absl::Status RemoveAnnotated(const RowKeyCodec& row_keys,
                             const SeriesTable& series,
                             Uid metric,
                             TableView* view,
                             std::vector<SeriesNumber>* numbers);

}  // namespace hourcell
