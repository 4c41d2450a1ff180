// histogram_quantile over classic buckets: series that differ in the label `le`.

#pragma once

#include <span>

namespace hourcell::promql {

struct Bucket {
  double upper_bound = 0;
  double count = 0;  // of values up to the bound
};

// `buckets` may have any order; it is sorted, equal bounds are added, counts are made to ascend, as
// in Prometheus 2.42. NaN without a bucket +Inf or with fewer than two.
double BucketQuantile(double quantile, std::span<Bucket> buckets);

}  // namespace hourcell::promql
