// Queries of random virtual metrics against a model: the plain queries of their inputs, combined by
// hand.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/engine/virtuals/virtual_fixture.h"

namespace hourcell::virtual_model_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Points by time, of series by the text of their join key.
using ModelPoints = std::map<int64_t, double>;
using ModelSeries = std::map<std::string, ModelPoints>;

// A part of a formula: its text, and its value for given values of the inputs.
struct Term {
  std::string text;
  std::function<double(const std::vector<double>& inputs)> value;
};

Term Combined(char sign, const Term& left, const Term& right) {
  const auto value = [sign, left, right](const std::vector<double>& inputs) {
    const double a = left.value(inputs);
    const double b = right.value(inputs);
    if (sign == '+') return a + b;
    if (sign == '-') return a - b;
    if (sign == '*') return a * b;
    return b == 0 ? 0 : a / b;
  };
  return {.text = fmt::format("({} {} {})", left.text, sign, right.text), .value = value};
}

// A formula of all inputs, and some numbers.
Term RandomFormula(Random* random, size_t inputs) {
  static constexpr std::string_view kSigns = "+-*/";
  const auto sign = [random] { return kSigns[random->Below(kSigns.size())]; };
  const auto term_of = [](size_t input) {
    return Term{.text = ExpressionVariable(input),
                .value = [input](const std::vector<double>& values) { return values[input]; }};
  };
  Term formula = term_of(0);
  for (size_t i = 1; i < inputs; ++i) {
    const Term other = term_of(i);
    formula =
        random->Below(2) == 0 ? Combined(sign(), formula, other) : Combined(sign(), other, formula);
    if (random->Below(3) != 0) continue;
    const auto number = static_cast<double>(random->Below(4));
    formula = Combined(sign(), formula,
                       {.text = fmt::format("{}", number),
                        .value = [number](const std::vector<double>&) { return number; }});
  }
  return formula;
}

class VirtualModelTest : public VirtualTest, public testing::WithParamInterface<uint64_t> {
 protected:
  // Series of three metrics by host, dc and cpu, each with gaps; some are missing.
  void PutRandomSeries(Random* random) {
    for (const std::string_view metric : {"m0", "m1", "m2"}) {
      for (const std::string_view host : {"a", "b", "c", "d"}) {
        for (const int cpu : {0, 1}) {
          if (random->Below(5) == 0) continue;
          const std::string tags =
              fmt::format("host={} dc={} cpu={}", host, host < "c" ? "east" : "west", cpu);
          for (int64_t at = 0; at < 2 * 3600; at += 60) {
            if (random->Below(4) == 0) continue;
            Put(std::string(metric), tags, kStart + at, static_cast<double>(random->Below(100)));
          }
        }
      }
    }
  }

  static SubQuery RandomInput(Random* random, bool is_none) {
    constexpr Aggregator kAggregators[] = {Aggregator::kSum, Aggregator::kAvg, Aggregator::kMax,
                                           Aggregator::kMimmin};
    constexpr std::string_view kDownsamples[] = {"", "1m-avg", "5m-max", "10m-sum-zero",
                                                 "7m-avg-nan"};
    SubQuery input = ByHost(fmt::format("m{}", random->Below(3)));
    input.aggregator = is_none ? Aggregator::kNone : kAggregators[random->Below(4)];
    if (is_none) input.filters.clear();
    const std::string_view downsample = kDownsamples[random->Below(5)];
    if (!downsample.empty()) input.downsample = *ParseDownsampleSpec(downsample);
    if (random->Below(4) == 0) input.rate = RateSpec();
    if (random->Below(4) == 0) {
      input.filters.push_back(Filter("dc", FilterType::kLiteralOr, "east", false));
    }
    return input;
  }

  // The results of a plain query. Those of grouped inputs are keyed by host alone.
  ModelSeries Plain(const SubQuery& query, bool by_all_tags) {
    QuerySpec spec{.start_ms = kStart * 1000, .end_ms = kEnd * 1000, .queries = {query}};
    const absl::StatusOr<QueryResult> result = tsdb_->queries().Query(spec);
    EXPECT_OK(result.status());
    ModelSeries series;
    if (!result.ok()) return series;
    for (const ResultSeries& one : result->series) {
      std::string key;
      for (const auto& [tagk, tagv] : one.tags)
        if (by_all_tags || tagk == "host") key += fmt::format("{}={} ", tagk, tagv);
      ModelPoints& points = series[key];
      for (const ResultPoint& point : one.points)
        points[point.ms] = point.value.ToDouble();
    }
    return series;
  }

  // The virtual metric's series, from the plain queries of its inputs.
  ModelSeries Calculated(const MetricExpression& expression, const Term& formula, bool is_none) {
    std::vector<ModelSeries> inputs;
    std::set<std::string> keys;
    for (const SubQuery& input : expression.inputs) {
      inputs.push_back(Plain(input, is_none));
      for (const auto& [key, points] : inputs.back())
        keys.insert(key);
    }
    ModelSeries calculated;
    for (const std::string& key : keys) {
      std::set<int64_t> times;
      for (const ModelSeries& input : inputs)
        if (const auto found = input.find(key); found != input.end())
          for (const auto& [ms, value] : found->second)
            times.insert(ms);
      ModelPoints points;
      for (const int64_t ms : times) {
        const double value = ValueAt(inputs, key, ms, expression.missing.value_or(kNan), formula);
        if (std::isfinite(value)) points[ms] = value;
      }
      if (!points.empty()) calculated[key] = std::move(points);
    }
    return calculated;
  }

  static double ValueAt(const std::vector<ModelSeries>& inputs,
                        const std::string& key,
                        int64_t ms,
                        double missing,
                        const Term& formula) {
    std::vector<double> values;
    for (const ModelSeries& input : inputs) {
      const auto series = input.find(key);
      double value = kNan;
      if (series != input.end()) {
        if (const auto point = series->second.find(ms); point != series->second.end()) {
          value = point->second;
        }
      }
      values.push_back(std::isnan(value) ? missing : value);
      if (std::isnan(values.back())) return kNan;
    }
    return formula.value(values);
  }

  // The sums over ten minutes of all series.
  static ModelPoints SumsOf(const ModelSeries& series) {
    constexpr int64_t kBucketMs = 600'000;
    ModelPoints sums;
    for (const auto& [key, points] : series)
      for (const auto& [ms, value] : points)
        sums[ms - ms % kBucketMs] += value;
    return sums;
  }
};

void ExpectNear(const ModelPoints& answered, const ModelPoints& want) {
  ASSERT_EQ(answered.size(), want.size());
  for (auto a = answered.begin(), w = want.begin(); a != answered.end(); ++a, ++w) {
    EXPECT_EQ(a->first, w->first);
    EXPECT_NEAR(a->second, w->second, 1e-9 * std::max(1.0, std::abs(w->second))) << w->first;
  }
}

TEST_P(VirtualModelTest, AnswersAreThoseOfPlainQueriesCombinedByHand) {
  Random random(GetParam());
  SCOPED_TRACE(fmt::format("seed {}", GetParam()));
  Open();
  PutRandomSeries(&random);
  size_t answers = 0;
  for (int i = 0; i < 40; ++i) {
    const size_t inputs = 1 + random.Below(4);
    const bool is_none = random.Below(4) == 0;
    const Term formula = RandomFormula(&random, inputs);
    MetricExpression expression{.formula = formula.text, .inputs = {}};
    for (size_t at = 0; at < inputs; ++at)
      expression.inputs.push_back(RandomInput(&random, is_none));
    if (random.Below(2) == 0) expression.missing = static_cast<double>(random.Below(3));
    ASSERT_OK(tsdb_->names().DefineMetric("v", expression)) << i;

    const ModelSeries want = Calculated(expression, formula, is_none);
    SubQuery query;
    query.metric = "v";
    query.aggregator = Aggregator::kNone;
    EXPECT_EQ(Plain(query, is_none), want) << i << ' ' << formula.text;
    query.aggregator = Aggregator::kZimsum;
    query.downsample = *ParseDownsampleSpec("10m-sum");
    const ModelSeries summed = Plain(query, /*by_all_tags=*/false);
    ASSERT_EQ(summed.size(), want.empty() ? 0U : 1U) << i;
    if (want.empty()) continue;
    ExpectNear(summed.begin()->second, SumsOf(want));
    ++answers;
  }
  EXPECT_GT(answers, 20U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, VirtualModelTest, testing::Range<uint64_t>(1, 5));

}  // namespace
}  // namespace hourcell::virtual_model_test
