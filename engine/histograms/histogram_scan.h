// Visits the histograms of a store, or of some series, for programs that copy them. Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "codec/limits.h"
#include "codec/rows/row_key.h"
#include "engine/append.h"
#include "engine/table/retention.h"
#include "engine/table/table.h"
#include "uid/uid_directory.h"

namespace hourcell {

// Borrowed.
struct HistogramScan {
  const RowKeyCodec* row_keys = nullptr;
  TableView* view = nullptr;
  UidDirectory* uids = nullptr;
  const RowExpiry* expiry = nullptr;  // null: nothing expires
};

struct HistogramSelection {
  // Bytes, ascending, without repeats; nullopt: all series.
  std::optional<std::vector<std::string>> tsuids = {};
  int64_t start_ms = 0;
  int64_t end_ms = kTimestampMsMax;  // inclusive
};

// Queries::VisitHistograms.
absl::Status VisitHistograms(
    const HistogramScan& parts,
    const HistogramSelection& selection,
    const std::function<absl::Status(std::span<const HistogramPoint>)>& visit);

}  // namespace hourcell
