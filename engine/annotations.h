// Annotations: notes of series (by tsuid in hex) or global ones (an empty tsuid), one for each
// instant. Of `Tsdb::annotations`, and lives as long as its Tsdb.
//
// Times of an annotation are seconds, or milliseconds if they do not fit 32 bits. A write is
// acknowledged when it returns. Query results contain annotations, too.
//
// kInvalidArgument: a tsuid that does not fit this store's layout, an invalid time, an edit that
// sets nothing, has an expired instant, is too long or not UTF-8. See
// engine/annotations/annotation_store.h. kFailedPrecondition: the store is closed, or a write in a
// process that only reads it. kUnavailable: another process writes the store now. Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/query.h"

namespace hourcell {

class StoreGates;

class Annotations final {
 public:
  explicit Annotations(StoreGates* gates) : gates_(gates) {}  // for Tsdb; borrowed

  // nullopt: not found.
  absl::StatusOr<std::optional<Annotation>> Get(std::string_view tsuid, int64_t start_time);

  // Creates or changes annotations, all or none; returns each in its new state. Their memory,
  // including printed ones, counts in `memory`, from Queries::LeaseQueryMemory; null: during the
  // call only.
  absl::StatusOr<std::vector<Annotation>> Put(std::span<const AnnotationEdit> edits,
                                              AnnotationWrite write,
                                              MemoryAccount* memory = nullptr);

  // Removes an annotation; OK if it does not exist.
  absl::Status Delete(std::string_view tsuid, int64_t start_time);

  // Removes annotations of the series and, with `global`, global ones, that start in [start_ms,
  // end_ms]. Returns the number removed.
  absl::StatusOr<uint64_t> DeleteRange(std::span<const std::string> tsuids,
                                       bool global,
                                       int64_t start_ms,
                                       int64_t end_ms);

  // Visits all annotations that have not expired, in key order, until `visit` returns an error,
  // which is returned.
  absl::Status Visit(const std::function<absl::Status(const Annotation&)>& visit);

  // Global ones that start at or after `start_ms` and end by `end_ms`, by start. Also
  // kInvalidArgument: an end below 1 or before the start; kResourceExhausted: too many. `memory` as
  // of Put.
  absl::StatusOr<std::vector<Annotation>> Global(int64_t start_ms,
                                                 int64_t end_ms,
                                                 MemoryAccount* memory = nullptr);

 private:
  StoreGates* const gates_;
};

}  // namespace hourcell
