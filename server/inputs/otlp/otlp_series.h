// OtlpSeries: converts the data points of a request to points of series: the mapping from
// OpenTelemetry's metric kinds to OpenTSDB.
//
//   gauge, sum                 <name>
//   histogram                  <name>_bucket with the tag le, <name>_sum, <name>_count
//   exponential histogram      <name>, whole; without InputSettings::has_whole_histograms as above
//   summary                    <name> with the tag quantile, <name>_sum, <name>_count
//
// Tags are the attributes of the data point, and the resource attributes named in the settings.
// Kind, unit and description are the metadata of <name>.
// Thread-compatible.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "server/inputs/input_settings.h"
#include "server/inputs/input_writer.h"
#include "server/inputs/metric_metadata.h"
#include "server/inputs/name_rule.h"
#include "server/inputs/otlp/otlp_buckets.h"
#include "server/inputs/otlp/otlp_metrics.h"

namespace hourcell {

// Limit of the tag bytes of all series of a data point: each of its buckets has a copy.
inline constexpr size_t kOtlpTagsOfPointMax = size_t{4} << 20;

// Data left out by design, without an error.
struct OtlpDropped {
  size_t no_value = 0;    // data points flagged as having no value
  size_t not_finite = 0;  // NaN and infinite values
  size_t attributes = 0;  // arrays, maps or bytes
  size_t exemplars = 0;
};

class OtlpSeries : public OtlpSink {
 public:
  // All are borrowed. A data point is an item of the writer, by its number in the request.
  OtlpSeries(const NameRule* names,
             const InputSettings* settings,
             InputWriter* out,
             NewMetadata* metadata)
      : names_(names), settings_(settings), out_(out), metadata_(metadata) {}

  void TakeResource(const OtlpAttributes& attributes) override;
  bool Step() override { return out_->Step(); }
  bool TakePoint(const OtlpMetric& metric, const OtlpPoint& point) override;
  void TakeMetric(const OtlpMetric& metric) override;

  const OtlpDropped& dropped() const { return dropped_; }

 private:
  // Refuses the data point; `text` makes the reason.
  template <typename Make>
  void Refuse(const Make& text);
  bool IsWrong(const OtlpMetric& metric, const OtlpPoint& point) const;
  // The fault of a data point. REQUIRES: IsWrong.
  std::string FaultOf(const OtlpMetric& metric, const OtlpPoint& point) const;
  // A fault for which the store would refuse some of the data point's series and accept others.
  std::string FaultOfSome(const OtlpMetric& metric, const OtlpPoint& point) const;
  void AddPoints(const OtlpMetric& metric, const OtlpPoint& point);
  void AddNumber(const OtlpMetric& metric, const OtlpPoint& point);
  void AddBuckets(const OtlpMetric& metric, const OtlpPoint& point);
  void AddWhole(const OtlpMetric& metric, const OtlpPoint& point);
  void AddQuantiles(const OtlpMetric& metric, const OtlpPoint& point);
  void AddSumAndCount(const OtlpMetric& metric, const OtlpPoint& point);
  void Add(std::string_view metric, std::string_view tags, Value value);

  std::string_view WriteTags(const OtlpPoint& point);
  std::string_view WithTag(std::string_view key, double number);
  std::string_view WriteMetric(std::string_view name, std::string_view suffix);

  const NameRule* const names_;
  const InputSettings* const settings_;
  InputWriter* const out_;
  NewMetadata* const metadata_;
  std::vector<std::string> resource_texts_;  // keys and values alternate
  std::vector<TagView> resource_tags_;       // views of resource_texts_
  size_t number_ = 0;                        // of the data point
  Timestamp timestamp_;                      // of the data point
  std::string_view tags_;                    // of the data point
  std::vector<TagView> all_tags_;
  std::vector<OtlpBucket> buckets_;
  bool resource_is_too_large_ = false;
  OtlpDropped dropped_;
};

}  // namespace hourcell
