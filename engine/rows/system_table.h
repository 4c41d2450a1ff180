// The system table, column family `meta`: the description of a store, written at its creation,
// in one synced batch; the progress of its journal into cells; and the TTLs of its points.
//
//   key         value
//   format      the version of the store's format, store_format.h
//   layout      codec/rows/layout.h's text, one key=value a line
//   salt_epochs codec/rows/salt_epochs.h's text; absent = one, of the layout's salt_buckets
//   low_mark    the first journal block that is not in cells yet, decimal text; absent = all
//   active_mark the low mark of the last program that kept the active sets (active_sets.h). If
//               absent or different from low_mark, some hours are not in an active set
//   rollup_mark the low mark of the last program that kept marks of rollups (rollup_marks.h), as
//               active_mark
//   ttl         TTL of points whose metric lacks its own: seconds, decimal text; 0 or absent =
//               unlimited
//   ttl/<UID>   TTL of points of the metric with that UID, in hex: seconds, decimal text; 0 =
//               unlimited
//   virtual/...   the expression of a virtual metric, engine/names/virtual_metrics.h
//   document/...  a text of a UID or a series, engine/names/meta_documents.h
//   view/<name>  a saved view, engine/documents/saved_view_store.h
//   tree/<id>    the definition of a tree, engine/documents/tree_store.h
//   metadata/<metric>  type, unit and help text of a metric, server/inputs/metric_metadata.h
//   aside/...   a cell that could not be sealed into its row, see Sealer, or that fsck.h replaced
//   rollup/...  engine/rollups/marks/rollup_rows.h
//   region/..., transition/...   region_catalogue.h; rolling/...   rolling_split_state.h
//   D..., U...  deletion records and the points that they hide, deletion_row.h
//   T..., R...  shortened TTLs and renames that can be undone, engine/undo/ttl_row.h, rename_row.h

#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include <absl/container/flat_hash_map.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "codec/rows/salt_epochs.h"
#include "codec/rows/uid.h"
#include "engine/options.h"
#include "engine/table/tables.h"

namespace hourcell {

// The layout of the store in `tables`. A new store gets options.layout, after `make_journal`, which
// makes the place of its journal; null: the engine has made it. A store with a layout but without a
// journal has thus lost its journal. The format of an older store is raised (store_format.h), but
// not by a follower.
//
// kNotFound: the store does not exist, and options.follow.
// kFailedPrecondition: a newer format; another layout than options.layout when options.check_layout
// (the message names each difference). kDataLoss: the record does not decode, or rows exist without
// one.
absl::StatusOr<Layout> ReadOrCreateLayout(const Options& options,
                                          Tables* tables,
                                          const std::function<absl::Status()>& make_journal = {});

// True if the data table may have rows of days, by the store's format.
absl::StatusOr<bool> ReadHasDayRows(Tables* tables);

// Raises the format to one with rows of days, synced.
absl::Status WriteHasDayRows(Tables* tables);

// Raises the format of the store, before its first histogram (store_format.h); reads one row if
// that is done.
absl::Status RaiseFormatForHistograms(Tables* tables);

// The same, before the first deletion record (deletion_row.h) or record of a shortened TTL.
absl::Status RaiseFormatForDeletions(Tables* tables);

// The salt epochs of a store of that layout; one bucket if rows are not salted. kDataLoss: the
// record does not decode.
absl::StatusOr<SaltEpochs> ReadSaltEpochs(const Layout& layout, Tables* tables);

// Writes them, synced. A store that was opened for writing has a format that programs without
// epochs do not open.
absl::Status WriteSaltEpochs(const SaltEpochs& epochs, Tables* tables);

// The journal's low mark; 0 before the first write. kDataLoss: the record does not decode.
absl::StatusOr<uint64_t> ReadLowMark(Tables* tables);

// The records that a program keeps of all hours before a low mark.
struct KeptOfHours {
  bool active_sets = false;   // they are in active sets
  bool rollup_marks = false;  // they were computed or marked, if their metric has a watermark
};

// Writes the low mark, synced, and syncs everything applied before.
absl::Status WriteLowMark(uint64_t block, KeptOfHours kept, Tables* tables);

// True if all hours before the low mark are in active sets. kDataLoss: a record does not decode.
absl::StatusOr<bool> ReadActiveSetsAreKept(Tables* tables);

// True if all hours before the low mark were computed or marked. kDataLoss: as above.
absl::StatusOr<bool> ReadRollupMarksAreKept(Tables* tables);

// The TTL of a store in seconds. kDataLoss: the record does not decode.
absl::StatusOr<int64_t> ReadStoreTtl(Tables* tables);

// The metrics' own TTLs, in seconds. kDataLoss: a record does not decode.
absl::StatusOr<absl::flat_hash_map<Uid, int64_t>> ReadMetricTtls(Tables* tables);

// The write that sets a metric's own TTL, or removes it (nullopt); kNoUid: the store's TTL.
absl::StatusOr<Mutation> TtlSettingRow(const Layout& layout,
                                       Uid metric,
                                       std::optional<int64_t> ttl_s);

}  // namespace hourcell
