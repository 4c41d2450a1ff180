// Visits the histograms of a store, for programs that copy them. Thread-safe.

#pragma once

#include <functional>
#include <span>

#include <absl/status/status.h>

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

// Queries::VisitHistograms.
absl::Status VisitHistograms(
    const HistogramScan& parts,
    const std::function<absl::Status(std::span<const HistogramPoint>)>& visit);

}  // namespace hourcell
