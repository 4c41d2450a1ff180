#include "engine/annotations.h"

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "engine/read/query_meter.h"
#include "engine/store/gates.h"
#include "engine/store/tsdb_impl.h"

namespace hourcell {
namespace {

// A series with an annotation is in lists.
absl::Status ListSeriesOf(const StoreWriter& store, std::span<const Annotation> annotations) {
  if (!store->series->unlisted()->is_any()) return absl::OkStatus();
  std::vector<SeriesNumber> numbers;
  for (const Annotation& annotation : annotations) {
    if (annotation.tsuid.empty()) continue;
    HOURCELL_ASSIGN_OR_RETURN(const std::string tsuid, FromHex(annotation.tsuid));
    HOURCELL_ASSIGN_OR_RETURN(const SeriesNumber number, store->series->NumberOf(tsuid));
    numbers.push_back(number);
  }
  store->series->unlisted()->Show(numbers);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::optional<Annotation>> Annotations::Get(std::string_view tsuid,
                                                           int64_t start_time) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  return store->losses.Note(store->annotations->Get(tsuid, start_time));
}

absl::StatusOr<std::vector<Annotation>> Annotations::Put(std::span<const AnnotationEdit> edits,
                                                         AnnotationWrite write,
                                                         MemoryAccount* memory) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  QueryControl own;
  MemoryLease lease(store.reads().executor.memory(), &own);
  absl::StatusOr<std::vector<Annotation>> put =
      store->annotations->Put(edits, write, memory == nullptr ? &lease : memory);
  if (put.ok()) {
    HOURCELL_RETURN_IF_ERROR(store.NoteAnnotation());
    HOURCELL_RETURN_IF_ERROR(ListSeriesOf(store, *put));
  }
  HOURCELL_RETURN_IF_ERROR(store.Acknowledge(put.status()));
  return put;
}

absl::Status Annotations::Delete(std::string_view tsuid, int64_t start_time) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  return store.Acknowledge(store->annotations->Delete(tsuid, start_time));
}

absl::StatusOr<uint64_t> Annotations::DeleteRange(std::span<const std::string> tsuids,
                                                  bool global,
                                                  int64_t start_ms,
                                                  int64_t end_ms) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreWriter store, gates_->BeginWrite());
  absl::StatusOr<uint64_t> deleted =
      store->annotations->DeleteRange(tsuids, global, start_ms, end_ms);
  HOURCELL_RETURN_IF_ERROR(store.Acknowledge(deleted.status()));
  return deleted;
}

absl::Status Annotations::Visit(const std::function<absl::Status(const Annotation&)>& visit) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  return store->losses.Note(store->annotations->VisitAll(visit));
}

absl::StatusOr<std::vector<Annotation>> Annotations::Global(int64_t start_ms,
                                                            int64_t end_ms,
                                                            MemoryAccount* memory) {
  HOURCELL_ASSIGN_OR_RETURN(const StoreReader store, gates_->BeginRead());
  if (end_ms < 1) return absl::InvalidArgumentError("The end timestamp has not been set");
  if (end_ms < start_ms) {
    return absl::InvalidArgumentError("The end timestamp cannot be less than the start timestamp");
  }
  QueryControl own;
  MemoryLease lease(store.reads().executor.memory(), &own);
  return store->annotations->Global(store->tables->Snapshot().get(), start_ms, end_ms,
                                    memory == nullptr ? &lease : memory);
}

}  // namespace hourcell
