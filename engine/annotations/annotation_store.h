// AnnotationStore: the annotations of series and the global ones, in the annotation table.
//
// An annotation is one row: its key is the series' row key with the qualifier of its instant
// (annotation_key.h), its value OpenTSDB's JSON (annotation_cell.h). So a series has at most one
// for each instant. Expired ones stay on disk.
//
// The functions of engine/annotations.h are documented there, with their errors; here `memory` may
// be null, which means no limit.
//
// Writes are rare: one at a time, read-modify-write under a lock that is held during the write.
// Reads of a store without annotations skip the table.
//
// Thread-safe.

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

// Limit of the stored bytes of an annotation.
inline constexpr size_t kAnnotationBytesMax = size_t{1} << 20;
// Limit of the stored bytes of all annotations that one read returns.
inline constexpr size_t kAnnotationReadBytesMax = size_t{64} << 20;

// Sorts by start, then by tsuid. REQUIRES: in the form that is stored.
void SortByStart(std::vector<Annotation>* annotations);

class AnnotationStore {
 public:
  // The parts are borrowed and outlive the store.
  struct Parts {
    const RowKeyCodec* row_keys = nullptr;
    Tables* tables = nullptr;
    const RowExpiry* expiry = nullptr;  // null: nothing expires
  };

  // Looks for annotations. With `sync` every write is synced before it returns.
  static absl::StatusOr<std::unique_ptr<AnnotationStore>> Open(const Parts& parts, bool sync);

  // Looks for annotations again, in a store that another process writes.
  absl::Status LookAgain();

  // Annotations::Get, Put, Delete and DeleteRange.
  absl::StatusOr<std::optional<Annotation>> Get(std::string_view tsuid, int64_t start_time) const;
  absl::StatusOr<std::vector<Annotation>> Put(std::span<const AnnotationEdit> edits,
                                              AnnotationWrite write,
                                              MemoryAccount* memory = nullptr);
  absl::Status Delete(std::string_view tsuid, int64_t start_time);
  absl::StatusOr<uint64_t> DeleteRange(std::span<const std::string> tsuids,
                                       bool global,
                                       int64_t start_ms,
                                       int64_t end_ms);

  // Calls `change` while no annotation is written.
  absl::Status WithoutEdits(const std::function<absl::Status()>& change);

  // The annotations of series (bytes, ascending, without repeats) with start_ms <= start <= end_ms,
  // by start. Skips the table if the store has none. kResourceExhausted: more than
  // kAnnotationReadBytesMax, or than `memory` has; takes the bytes of the result from `memory` and
  // does not return them; null: no limit. kDataLoss: damage.
  absl::StatusOr<std::vector<Annotation>> OfSeries(TableView* view,
                                                   std::span<const std::string_view> tsuids,
                                                   int64_t start_ms,
                                                   int64_t end_ms,
                                                   MemoryAccount* memory = nullptr) const;

  // Annotations::Global, without its checks of the times.
  absl::StatusOr<std::vector<Annotation>> Global(TableView* view,
                                                 int64_t start_ms,
                                                 int64_t end_ms,
                                                 MemoryAccount* memory = nullptr) const;

  // Annotations::Visit.
  absl::Status VisitAll(const std::function<absl::Status(const Annotation&)>& visit) const;

  // False if LookAgain found no annotations and none was written since.
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
  Mutex edit_;  // held from the read of a write to its end
};

}  // namespace hourcell
