// Annotations: notes of series (by tsuid in hex) or global ones (an empty tsuid), one for each
// instant. Of `Tsdb::annotations`, and lives as long as its Tsdb.
//
// Times of an annotation are seconds, or milliseconds if they do not fit 32 bits; a time in seconds
// and the same in milliseconds are one instant. Retention counts annotations as points: expired
// ones are not returned and cannot be written. A write is acknowledged when it returns. Query
// results contain annotations, too.
//
// kInvalidArgument: not a tsuid of this store's layout, or not an instant. kFailedPrecondition: the
// store is closed, or a write in a process that only reads it. kUnavailable: another process writes
// the store now. kDataLoss: damage. Other errors are the storage's. Thread-safe.

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

  // Creates or changes annotations, all or none. A later edit of the same annotation adds to an
  // earlier one with kMerge, and replaces it otherwise. Returns each in the form that is stored:
  // its tsuid in upper case, its custom entries by name. A series need not exist: a tsuid is
  // accepted if its UIDs have the right widths and are not zero, and its tag keys ascend.
  //
  // The bytes of the result count in `memory`, from Queries::LeaseQueryMemory, and are not
  // returned; null: they count during the call. Also kInvalidArgument: an edit sets nothing, is of
  // an expired instant, has text that is not UTF-8, or makes more than 1 MiB.
  // kResourceExhausted: the result needs more than `memory` has.
  absl::StatusOr<std::vector<Annotation>> Put(std::span<const AnnotationEdit> edits,
                                              AnnotationWrite write,
                                              MemoryAccount* memory = nullptr);

  // Removes an annotation; OK if it does not exist.
  absl::Status Delete(std::string_view tsuid, int64_t start_time);

  // Removes annotations of the series and, with `global`, global ones, that start in [start_ms,
  // end_ms], in several writes. Returns the number removed.
  absl::StatusOr<uint64_t> DeleteRange(std::span<const std::string> tsuids,
                                       bool global,
                                       int64_t start_ms,
                                       int64_t end_ms);

  // Visits all annotations that have not expired, in key order, until `visit` returns an error,
  // which is returned.
  absl::Status Visit(const std::function<absl::Status(const Annotation&)>& visit);

  // Global annotations, by start. As in OpenTSDB, it omits those that end after `end_ms`, and
  // includes those in the second of `start_ms`. Unlike OpenTSDB, it compares milliseconds exactly,
  // and omits all that start after `end_ms`, even without an end. `memory` as of Put. Also
  // kInvalidArgument: an end below 1 or before the start. kResourceExhausted: the result needs more
  // than 64 MiB, or than `memory` has.
  absl::StatusOr<std::vector<Annotation>> Global(int64_t start_ms,
                                                 int64_t end_ms,
                                                 MemoryAccount* memory = nullptr);

 private:
  StoreGates* const gates_;
};

}  // namespace hourcell
