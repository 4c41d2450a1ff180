// tests/data/promql.json: series, expressions, and what Prometheus 2.42 answers.

#include "tests/support/vectors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "promql/evaluation/evaluator.h"
#include "promql/text/parser.h"
#include "tests/promql/list_source.h"
#include "tests/support/source_dir.h"
#include "tests/support/status_matchers.h"

namespace hourcell::promql {
namespace {

using simdjson::dom::element;

constexpr int64_t kMinuteMs = 60'000;

struct Expected {
  Labels labels;
  double value = 0;
};

// {a="1"} 5, or m{a="1"} 5, or 5.
Expected ExpectedOf(std::string_view line) {
  Expected expected;
  if (line.find('{') != line.npos || line.find_first_of(" \t") != line.npos)
    expected.labels = TakeLabels(&line);
  line.remove_prefix(line.find_first_not_of(" \t"));
  HOURCELL_CHECK(ParseNumber(line, &expected.value));
  return expected;
}

// Results that the vectors give with fewer digits than others.
constexpr std::array<std::string_view, 2> kRoundedResults = {"stddev_over_time(metric[1m])",
                                                             "rate(metric[1m])"};

// Equal, or different in the last digits.
bool AreClose(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return true;
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

std::string TextOfVector(const Vector& vector, size_t step) {
  std::string text;
  for (const SeriesColumn& series : vector)
    text += fmt::format("{} {}; ", series.labels.Text(), NumberText(series.values[step]));
  return text;
}

// The elements of the result at a step, of a scalar as a vector.
Vector ElementsOf(const Evaluation& evaluation, size_t step) {
  if (const auto* scalar = std::get_if<ScalarResult>(&evaluation.value))
    return {{.labels = Labels(), .values = {scalar->values[step]}}};
  Vector elements;
  for (const SeriesColumn& series : std::get<VectorResult>(evaluation.value).series) {
    if (!IsNoValue(series.values[step]))
      elements.push_back({.labels = series.labels, .values = {series.values[step]}});
  }
  return elements;
}

class VectorsRunner {
 public:
  int evaluations() const { return evaluations_; }

  void Run(element step) {
    if (Has(step, "clear")) source_.Clear();
    if (Has(step, "load")) {
      const int64_t interval_ms = *ParseDuration(TextOf(step, "load"));
      for (const element series : simdjson::dom::array(step["series"]))
        source_.Load(interval_ms, std::string_view(series));
    }
    if (Has(step, "eval")) {
      ++evaluations_;
      Check(step);
    }
  }

 private:
  void Check(element step) {
    const std::string text = TextOf(step, "eval");
    const int64_t at_ms = *ParseDuration(TextOf(step, "at"));
    SCOPED_TRACE(fmt::format("{} at {}", text, TextOf(step, "at")));
    const absl::StatusOr<Evaluation> evaluation = EvaluateText(text, at_ms, at_ms);
    if (Has(step, "fails")) {
      EXPECT_FALSE(evaluation.ok());
      return;
    }
    ASSERT_OK(evaluation);
    std::vector<Expected> expected;
    for (const element line : simdjson::dom::array(step["expect"]))
      expected.push_back(ExpectedOf(std::string_view(line)));
    tolerance_ = std::ranges::count(kRoundedResults, text) > 0 ? 1e-6 : 1e-12;
    Compare(ElementsOf(*evaluation, 0), expected, Has(step, "ordered"));
    if (Has(step, "ordered")) return;
    const auto range = EvaluateText(text, at_ms - kMinuteMs, at_ms + kMinuteMs);
    ASSERT_OK(range);
    SCOPED_TRACE("as a step of a range");
    Compare(ElementsOf(*range, 1), expected, /*is_ordered=*/false);
  }

  absl::StatusOr<Evaluation> EvaluateText(const std::string& text,
                                          int64_t start_ms,
                                          int64_t end_ms) {
    const absl::StatusOr<ExpressionPtr> expression = ParseQuery(text);
    if (!expression.ok()) return expression.status();
    const auto count = static_cast<size_t>((end_ms - start_ms) / kMinuteMs) + 1;
    return Evaluate(**expression,
                    {.steps = {.start_ms = start_ms, .step_ms = kMinuteMs, .count = count},
                     .is_instant = count == 1},
                    &source_);
  }

  void Compare(const Vector& got, const std::vector<Expected>& want, bool is_ordered) const {
    SCOPED_TRACE("got " + TextOfVector(got, 0));
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      const auto found = is_ordered ? got.begin() + static_cast<std::ptrdiff_t>(i)
                                    : std::ranges::find(got, want[i].labels, &SeriesColumn::labels);
      ASSERT_NE(found, got.end()) << "no series " << want[i].labels.Text();
      EXPECT_EQ(found->labels, want[i].labels);
      EXPECT_TRUE(AreClose(found->values.front(), want[i].value, tolerance_))
          << want[i].labels.Text() << ": expected " << NumberText(want[i].value) << ", got "
          << NumberText(found->values.front());
    }
  }

  ListSource source_;
  int evaluations_ = 0;
  double tolerance_ = 0;
};

TEST(PromqlVectorsTest, AllEvaluationsGiveWhatPrometheusAnswers) {
  simdjson::dom::parser parser;
  element document;
  ASSERT_FALSE(parser.load(SourcePath("tests/data/promql.json")).get(document));

  int evaluations = 0;
  for (const element area : simdjson::dom::array(document)) {
    SCOPED_TRACE(TextOf(area, "area"));
    VectorsRunner runner;
    for (const element step : simdjson::dom::array(area["steps"]))
      runner.Run(step);
    evaluations += runner.evaluations();
  }

  EXPECT_EQ(evaluations, 369);
}

}  // namespace
}  // namespace hourcell::promql
