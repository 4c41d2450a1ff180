// Where `hourcell scan` and `export` have their rows from: the store in a directory, or a running
// server by /api/admin/scan. Both give the same rows in the same order, byte for byte.
//
// Thread-compatible.

#pragma once

#include <functional>
#include <string>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/tsdb.h"
#include "server/cli/http_client.h"
#include "server/cli/local_store.h"

namespace hourcell {

struct RowSourceOptions {
  StoreOptions store = {};
  std::string url = {};  // empty = the store
  TlsTrust trust = {};
};

// Visits the rows until `visit` returns false. kNotFound: a name is unknown; kUnavailable: the
// server refuses, or does not answer to the end; kDataLoss: it answers something else.
using VisitRows = std::function<absl::Status(const std::function<bool(const ScannedRow&)>& visit)>;

// The rows of `spec`. Opens the store; of a server, reads the URL only.
// kInvalidArgument: the URL; else as OpenStore.
absl::StatusOr<VisitRows> OpenRows(const ScanSpec& spec, const RowSourceOptions& options);

}  // namespace hourcell
