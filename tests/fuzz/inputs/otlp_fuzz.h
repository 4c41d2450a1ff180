// Properties of every request of OpenTelemetry's protocol, in both forms.

#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "codec/base/strings.h"
#include "server/inputs/otlp/otlp_buckets.h"
#include "server/inputs/otlp/otlp_metrics.h"
#include "tests/fuzz/inputs/metadata_fuzz.h"

namespace hourcell {

class CheckingOtlpSink : public OtlpSink {
 public:
  void TakeResource(const OtlpAttributes& attributes) override { CheckAttributes(attributes); }

  bool TakePoint(const OtlpMetric& /*metric*/, const OtlpPoint& point) override {
    ++points_;
    CheckAttributes(point.attributes);
    HOURCELL_CHECK(point.counts.size() <= kOtlpBucketsMax);
    HOURCELL_CHECK(point.bounds.size() <= kOtlpBucketsMax);
    HOURCELL_CHECK(point.quantiles.size() <= kOtlpBucketsMax);
    std::vector<OtlpBucket> buckets;
    if (BucketsOfBounds(point, &buckets).empty()) CheckRise(buckets);
    BucketsOfPowers(point, &buckets);
    for (const OtlpBucket& bucket : buckets)
      HOURCELL_CHECK(!std::isinf(bucket.le) || bucket.le == point.zero_threshold);
    return true;
  }

  void TakeMetric(const OtlpMetric& metric) override {
    ++metrics_;
    CheckMetadataText({.metric = metric.name, .unit = metric.unit, .help = metric.description});
  }

  size_t points() const { return points_; }
  size_t metrics() const { return metrics_; }

 private:
  static void CheckAttributes(const OtlpAttributes& attributes) {
    HOURCELL_CHECK(attributes.tags().size() <= kOtlpAttributesMax);
    for (const TagView& tag : attributes.tags())
      HOURCELL_CHECK(!tag.value.empty());
  }
  static void CheckRise(const std::vector<OtlpBucket>& buckets) {
    HOURCELL_CHECK(std::ranges::is_sorted(buckets, {}, &OtlpBucket::le));
  }

  size_t points_ = 0;
  size_t metrics_ = 0;
};

// How many data points and metrics a body has before its end or its error; the same twice.
inline void CheckOtlpBody(absl::Status (*read)(std::string_view, OtlpSink*),
                          std::string_view body) {
  CheckingOtlpSink first;
  CheckingOtlpSink second;
  const absl::Status status = read(body, &first);
  HOURCELL_CHECK(IsUtf8(MessageOf(status)));
  HOURCELL_CHECK(read(body, &second).ok() == status.ok());
  HOURCELL_CHECK(first.points() == second.points());
  HOURCELL_CHECK(first.metrics() == second.metrics());
}

}  // namespace hourcell
