// AnnotationStore: the annotations of series and the global ones, in a table of their own.
//
// An annotation is one row: its key is the series' row key with the qualifier of its instant
// (annotation_key.h), its value OpenTSDB's JSON (annotation_cell.h). So there is one for each
// series and instant; a time in seconds and the same in milliseconds are one instant. Retention
// counts them as points: what has expired is not shown and not taken, but stays on disk.
//
// Writes are rare: one at a time, read-modify-write under a lock that is held across the write. A
// store without annotations answers reads without looking at its table.
//
// Thread-safe. Errors beside those named: the table's.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "codec/rows/row_key.h"
#include "engine/annotations/annotation_scan.h"
#include "engine/query/annotation.h"
#include "engine/query/memory_account.h"
#include "engine/table/retention.h"
#include "engine/table/tables.h"

namespace hourcell {

// Bytes of an annotation as it is stored.
inline constexpr size_t kAnnotationBytesMax = size_t{1} << 20;
// Bytes of all annotations that one read answers with, stored as they are.
inline constexpr size_t kAnnotationReadBytesMax = size_t{64} << 20;

// Sorts by start, those of one instant by tsuid. REQUIRES: as they are stored.
void SortByStart(std::vector<Annotation>* annotations);

class AnnotationStore {
 public:
  // What it works on; borrowed, outlives it.
  struct Parts {
    const RowKeyCodec* row_keys = nullptr;
    Tables* tables = nullptr;
    const RowExpiry* expiry = nullptr;  // null: nothing expires
  };

  // Looks whether there are any. With `sync` every write is synced before it is done.
  static absl::StatusOr<std::unique_ptr<AnnotationStore>> Open(const Parts& parts, bool sync);

  // Of a store that another process writes: looks again.
  absl::Status LookAgain();

  // The annotation of a series (hex; empty = global) at an instant; nothing if there is none.
  // kInvalidArgument: no tsuid of this store's layout, no instant.
  absl::StatusOr<std::optional<Annotation>> Get(std::string_view tsuid, int64_t start_time) const;

  // Makes or changes annotations, all or none; of two edits of one the later adds to the earlier.
  // Returns each as it is stored then, its tsuid in upper case, its custom entries by name.
  //
  // A series need not exist: a tsuid is taken if it could be one's, with UIDs of the right widths
  // that are not zero and tag keys that ascend.
  // kInvalidArgument: as Get; an edit that sets nothing, is of an expired instant, has text that is
  // not UTF-8, or makes more than kAnnotationBytesMax; kResourceExhausted: they are more than
  // `memory` has, which counts them and is not given them back; null: nothing counts them.
  absl::StatusOr<std::vector<Annotation>> Put(std::span<const AnnotationEdit> edits,
                                              AnnotationWrite write,
                                              MemoryAccount* memory = nullptr);

  // Removes one; no error if there is none. kInvalidArgument: as Get.
  absl::Status Delete(std::string_view tsuid, int64_t start_time);

  // Removes those of the series and, with `global`, the global ones, with
  // start_ms <= start <= end_ms; a piece at a time. Returns how many. kInvalidArgument: as Get.
  absl::StatusOr<uint64_t> DeleteRange(std::span<const std::string> tsuids,
                                       bool global,
                                       int64_t start_ms,
                                       int64_t end_ms);

  // Calls `change` while none is written.
  absl::Status WithoutEdits(const std::function<absl::Status()>& change);

  // The annotations of series (bytes, ascending, no two alike) with start_ms <= start <= end_ms, by
  // start. Does not look at a store known to have none.
  // kResourceExhausted: more than kAnnotationReadBytesMax, or than `memory` has, if there is one;
  // it counts the answer, and is not given it back; kDataLoss: damage.
  absl::StatusOr<std::vector<Annotation>> OfSeries(TableView* view,
                                                   std::span<const std::string_view> tsuids,
                                                   int64_t start_ms,
                                                   int64_t end_ms,
                                                   MemoryAccount* memory = nullptr) const;

  // Global ones, by start. As OpenTSDB has it, those that end after `end_ms` are left out, and
  // those in the second of `start_ms` are not. Differently from OpenTSDB, times in milliseconds are
  // compared as such, and those that start after `end_ms` are left out, end or no end. Errors as
  // OfSeries.
  absl::StatusOr<std::vector<Annotation>> Global(TableView* view,
                                                 int64_t start_ms,
                                                 int64_t end_ms,
                                                 MemoryAccount* memory = nullptr) const;

  // Tsdb::VisitAnnotations. kDataLoss: damage.
  absl::Status VisitAll(const std::function<absl::Status(const Annotation&)>& visit) const;

  // False if there was never one since the store was opened.
  bool has_any() const { return has_any_.load(std::memory_order_acquire); }

 private:
  struct Place;
  class Reading;

  AnnotationStore(const Parts& parts, bool sync) : parts_(parts), sync_(sync) {}

  absl::StatusOr<Place> PlaceOf(std::string_view tsuid, int64_t start_time) const;
  // Points of the series (bytes; empty = global) before this instant are expired.
  int64_t ExpiresBeforeMs(std::string_view tsuid) const;
  absl::StatusOr<std::optional<Annotation>> Read(TableView* view, const Place& place) const;
  absl::Status CheckEdit(const AnnotationEdit& edit, const Place& place) const;
  absl::Status ApplyDeletes(std::vector<Mutation>* group) const;

  const Parts parts_;
  const bool sync_;
  std::atomic<bool> has_any_{false};
  Mutex edit_;  // one write at a time, from its read to its end
};

}  // namespace hourcell
