// The split keys a new store's data table gets: tsd.region.presplit.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "codec/rows/layout.h"
#include "engine/table/table_store.h"

namespace hourcell {

// Cuts the data table as `specification` says (regions/presplit.h), whose file is read from disk. A
// table that has rows, or was cut before, stays as it is; so does one for an empty specification.
// The normaliser leaves the regions alone for 30 days from `now_ms`.
// kInvalidArgument: a specification that does not parse, does not go with the layout, or names a
// file that cannot be read. kUnimplemented: the storage engine, named `engine`, divides tables
// without this store. Else storage's.
absl::Status PresplitIfNew(const std::string& specification,
                           const Layout& layout,
                           uint64_t now_ms,
                           std::string_view engine,
                           TableStore* store);

}  // namespace hourcell
