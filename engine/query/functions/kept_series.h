// KeptSeries: a copy of a SeriesView, whose memory counts in a MemoryAccount until it is destroyed.
// Thread-compatible.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/query/annotation.h"
#include "engine/query/columns.h"
#include "engine/query/memory_account.h"
#include "engine/query/query_result.h"

namespace hourcell {

class KeptSeries {
 public:
  // `memory` is borrowed. kResourceExhausted: it has less than the copy needs.
  static absl::StatusOr<std::unique_ptr<KeptSeries>> CopyOf(const SeriesView& series,
                                                            MemoryAccount* memory);

  // Errors: those of the sink.
  absl::Status GiveTo(QuerySink* sink) const;

  size_t query_index() const { return query_index_; }
  const std::string& metric() const { return metric_; }
  const std::vector<std::pair<std::string, std::string>>& tags() const { return tags_; }
  const std::vector<std::string>& aggregate_tags() const { return aggregate_tags_; }
  const std::vector<std::string>& tsuids() const { return tsuids_; }
  bool nan_as_null() const { return nan_as_null_; }
  const Span& points() const { return points_; }

 private:
  explicit KeptSeries(MemoryAccount* memory) : hold_(memory) {}

  MemoryHold hold_;
  size_t query_index_ = 0;
  std::string metric_;
  std::vector<std::pair<std::string, std::string>> tags_;
  std::vector<std::string> aggregate_tags_;
  std::vector<std::string> tsuids_;
  bool nan_as_null_ = false;
  std::vector<Annotation> annotations_;
  Span points_;
};

}  // namespace hourcell
