// The `meta` table: what a store is. Written once, when it is created, in one synced batch.
//
//   key       value
//   format    the version of this format, decimal text: "1"
//   layout    codec/layout.h's text, one key=value a line

#pragma once

#include <absl/status/statusor.h>

#include "codec/layout.h"
#include "engine/options.h"
#include "engine/table.h"

namespace hourcell {

// The layout of the store in `tables`. A store without one, just created, gets options.layout.
//
// kFailedPrecondition: a newer format; another layout than options.layout when options.check_layout
// (each difference is named). kDataLoss: the record does not decode, or rows exist without one.
absl::StatusOr<Layout> ReadOrCreateMeta(const Options& options, TableStore* tables);

}  // namespace hourcell
