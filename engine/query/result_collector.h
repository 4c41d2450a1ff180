// ResultCollector: the QuerySink that makes a QueryResult. Thread-compatible.

#pragma once

#include <span>

#include <absl/status/status.h>

#include "engine/query/query_result.h"

namespace hourcell {

class ResultCollector : public QuerySink {
 public:
  // `result` is borrowed.
  explicit ResultCollector(QueryResult* result) : result_(*result) {}

  absl::Status OnBegin(std::span<const Annotation> global_annotations) override;
  absl::Status OnSeries(const SeriesView& series) override;

 private:
  QueryResult& result_;
};

}  // namespace hourcell
