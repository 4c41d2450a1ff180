// The rows of `hourcell scan` and `export`, and the histograms of `export`: from the store of a
// directory, or from a running server by /api/admin/scan. Both give the same in the same order,
// byte for byte.
//
// Thread-compatible.

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/tsdb.h"
#include "server/cli/local_store.h"
#include "server/http/http_client.h"

namespace hourcell {

struct RowSourceOptions {
  StoreOptions store = {};
  std::string url = {};  // empty = the store
  TlsTrust trust = {};
};

// Visits the rows until `visit` returns false. Errors of a store are those of Queries::Scan; of
// a server are kUnavailable: it refuses, does not answer to the end, or the answer is unexpected.
using VisitRows = std::function<absl::Status(const std::function<bool(const ScannedRow&)>& visit)>;

// Visits the import lines of histograms until `visit` returns false. Errors: as VisitRows.
using VisitHistogramLines =
    std::function<absl::Status(const std::function<bool(std::string_view line)>& visit)>;

struct RowSource {
  VisitRows rows;
  VisitHistogramLines histograms;
};

// The target of /api/admin/scan for these rows.
std::string ScanTarget(const ScanSpec& spec);

// Returns functions that visit the rows and the histograms of `spec`. Opens the store; for a
// server, only parses the URL. kInvalidArgument: the URL; else as OpenStore.
absl::StatusOr<RowSource> OpenRowSource(const ScanSpec& spec, const RowSourceOptions& options);

// The rows of OpenRowSource.
absl::StatusOr<VisitRows> OpenRows(const ScanSpec& spec, const RowSourceOptions& options);

}  // namespace hourcell
