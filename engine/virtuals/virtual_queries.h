// VirtualQueries: answers sub queries of virtual metrics.
//
//   inputs of the expression, each with the filters of the query
//     -> their results, as the query's snapshot has them (run_input)
//     -> joined, and calculated (input_join.h)
//     -> the stages of stored series (GroupFinisher): downsampling, rate, groups, aggregation
//
// Thread-safe.

#pragma once

#include <absl/status/status.h>

#include "codec/rows/layout.h"
#include "engine/names/virtual_metrics.h"
#include "engine/read/query_executor.h"
#include "uid/uid_directory.h"

namespace hourcell {

class VirtualQueries final : public VirtualAnswers {
 public:
  // All are borrowed.
  VirtualQueries(const Layout& layout, const VirtualMetrics* metrics, UidDirectory* uids)
      : layout_(layout), metrics_(*metrics), uids_(*uids) {}

  bool Takes(Uid metric) const override { return metrics_.Has(metric); }
  absl::Status Run(const Request& request) const override;

 private:
  const Layout& layout_;
  const VirtualMetrics& metrics_;
  UidDirectory& uids_;
};

// The input with the filters of a query, as it is read for that query.
SubQuery WithFiltersOf(const SubQuery& input, const SubQuery& query);

}  // namespace hourcell
