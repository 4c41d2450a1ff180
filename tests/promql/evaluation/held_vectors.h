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

// {__name__="m", a="1"} 1 _ 3: _ is a step without element.
inline std::string TextOfSeries(const SeriesColumn& series) {
  std::string text = series.labels.Text();
  for (const double value : series.values)
    text += " " + (IsNoValue(value) ? std::string("_") : NumberText(value));
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
