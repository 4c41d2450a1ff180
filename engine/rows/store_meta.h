// The `meta` table: what a store is, written once, when it is created, in one synced batch; how far
// its journal is in cells; and how long its points are kept.
//
//   key         value
//   format      the version of the store's format, store_format.h
//   layout      codec/rows/layout.h's text, one key=value a line
//   salt_epochs codec/rows/salt_epochs.h's text; absent = one, of the layout's salt_buckets
//   low_mark    the first journal block that is not in cells yet, decimal text; absent = all
//   active_mark the low mark that the last program left which kept the active sets (active_sets.h).
//               Another one than low_mark's, or absent: some hours are in no active set
//   ttl         how long points are kept whose metric has no TTL of its own: seconds, decimal text;
//               0 = for ever; absent = for ever, as no open has said anything else
//   ttl/<UID>   how long the points of the metric of that UID, in hex, are kept: seconds, decimal
//               text; 0 = for ever
//   aside/...   a cell that could not be sealed into its row, see Sealer, or that fsck.h replaced
//   region/..., transition/...   region_catalogue.h; rolling/...   rolling_split_state.h

#pragma once

#include <cstdint>
#include <optional>

#include <absl/container/flat_hash_map.h>
#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "codec/rows/salt_epochs.h"
#include "codec/rows/uid.h"
#include "engine/options.h"
#include "engine/table/tables.h"

namespace hourcell {

// The layout of the store in `tables`. A store without one, just created, gets the directory of its
// journal, and then options.layout: one that has a layout and no journal has lost its journal.
//
// kNotFound: there is none, and options.follow.
// kFailedPrecondition: a newer format; another layout than options.layout when options.check_layout
// (each difference is named). kDataLoss: the record does not decode, or rows exist without one.
absl::StatusOr<Layout> ReadOrCreateMeta(const Options& options, Tables* tables);

// The salt epochs of a store of that layout; one bucket if rows are not salted. kDataLoss: the
// record does not decode.
absl::StatusOr<SaltEpochs> ReadSaltEpochs(const Layout& layout, Tables* tables);

// Writes them, synced, and that programs which know no epochs must not open the store.
absl::Status WriteSaltEpochs(const SaltEpochs& epochs, Tables* tables);

// The journal's low mark; 0 if it was never moved. kDataLoss: the record does not decode.
absl::StatusOr<uint64_t> ReadLowMark(Tables* tables);

// Moves it, synced, and with it everything that was applied before. `keeps_active_sets`: all hours
// before that block are in active sets.
absl::Status WriteLowMark(uint64_t block, bool keeps_active_sets, Tables* tables);

// Whether all hours before the low mark are in active sets. kDataLoss: a record does not decode.
absl::StatusOr<bool> ReadActiveSetsAreKept(Tables* tables);

// The TTL of a store in seconds. `given`, if it is something else than what is kept, is kept from
// now on, synced; nothing: what is kept. kDataLoss: the record does not decode.
absl::StatusOr<int64_t> ReadOrReplaceStoreTtl(std::optional<int64_t> given, Tables* tables);

// The metrics with a TTL of their own, in seconds. kDataLoss: a record does not decode.
absl::StatusOr<absl::flat_hash_map<Uid, int64_t>> ReadMetricTtls(Tables* tables);

// Gives a metric a TTL of its own, or takes it back; synced.
absl::Status WriteMetricTtl(const Layout& layout,
                            Uid metric,
                            std::optional<int64_t> ttl_s,
                            Tables* tables);

}  // namespace hourcell
