// Vectors from texts, and texts of vectors, for the tests of this folder.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/base/check.h"
#include "promql/evaluation/held_vector.h"
#include "promql/values/number_text.h"
#include "tests/promql/list_source.h"

namespace hourcell::promql {

// "m{a="1"}" and its values at each step.
using SeriesText = std::pair<std::string_view, std::vector<double>>;

// REQUIRES: at least one series, all of the same number of steps.
inline HeldVector Held(Budget* budget, const std::vector<SeriesText>& list) {
  HeldVector vector(budget, list.front().second.size());
  for (const auto& [labels, values] : list) {
    const auto column = vector.Add(LabelsOf(labels));
    HOURCELL_CHECK(column.ok());
    std::ranges::copy(values, column->begin());
  }
  return vector;
}

// h(6 10.5 0.5*1 n2:1 0:2 1:3 /-1): count, sum, the threshold and the count of zero, the negative
// buckets, the others, and the schema, if it is not 0.
inline std::string TextOfHistogram(const NativeHistogram& histogram) {
  std::string text = "h(" + NumberText(histogram.count) + " " + NumberText(histogram.sum);
  if (histogram.zero_count != 0 || histogram.zero_threshold != 0) {
    text += " " + NumberText(histogram.zero_threshold) + "*" + NumberText(histogram.zero_count);
  }
  for (const NativeBucket& bucket : histogram.negative)
    text += " n" + std::to_string(bucket.index) + ":" + NumberText(bucket.count);
  for (const NativeBucket& bucket : histogram.positive)
    text += " " + std::to_string(bucket.index) + ":" + NumberText(bucket.count);
  if (histogram.schema != 0) text += " /" + std::to_string(histogram.schema);
  return text + ")";
}

// {__name__="m", a="1"} 1 _ 3: _ is a step without element.
inline std::string TextOfSeries(const SeriesColumn& series) {
  std::string text = series.labels.Text();
  for (size_t i = 0; i < series.values.size(); ++i) {
    const double value = series.values[i];
    text += " ";
    if (IsHistogram(value)) {
      text += TextOfHistogram(*series.histograms[i]);
    } else {
      text += IsNoValue(value) ? std::string("_") : NumberText(value);
    }
  }
  return text;
}
inline std::vector<std::string> TextsOf(const Vector& vector) {
  std::vector<std::string> texts;
  for (const SeriesColumn& series : vector)
    texts.push_back(TextOfSeries(series));
  return texts;
}
inline std::vector<std::string> TextsOf(const HeldVector& vector) {
  return TextsOf(vector.series());
}

}  // namespace hourcell::promql
