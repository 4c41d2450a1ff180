#include "promql/evaluation/evaluator.h"

#include <algorithm>
#include <numbers>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "promql/evaluation/aggregation.h"
#include "promql/evaluation/binary.h"
#include "promql/evaluation/calls.h"
#include "promql/evaluation/held_vector.h"
#include "promql/evaluation/histogram.h"
#include "promql/evaluation/invariants.h"
#include "promql/evaluation/range_calls.h"
#include "promql/evaluation/ranking.h"
#include "promql/evaluation/selectors.h"
#include "promql/evaluation/vector_matching.h"
#include "promql/histograms/histogram_values.h"
#include "promql/values/label_functions.h"
#include "promql/values/value_functions.h"

namespace hourcell::promql {
namespace {

using HeldResult = absl::StatusOr<HeldVector>;

// The columns of the scalar arguments of a call.
struct Scalars {
  std::vector<HeldVector> held;
  std::vector<std::span<const double>> columns;
};

// REQUIRES: the type is a string, which is a literal.
std::string_view TextOf(const Expression& expression) {
  return std::get<StringLiteral>(WithoutParentheses(expression).node).value;
}

std::string_view NameOf(const Call& call) {
  return SignatureOf(call.function).name;
}

bool TakesHistograms(AggregateOperator op) {
  return op == AggregateOperator::kSum || op == AggregateOperator::kCount ||
         op == AggregateOperator::kGroup;
}

bool IsRange(const Expression& expression) {
  return expression.type == ValueType::kMatrix;
}

// Evaluates the nodes of one expression, from its leaves to its root.
class TreeEvaluator final {
 public:
  TreeEvaluator(const Expression& root,
                const EvaluationOptions& options,
                SeriesSource* source,
                Budget* budget)
      : options_(options),
        times_{.start_ms = options.steps.start_ms, .end_ms = options.steps.end_ms()},
        invariants_(root),
        source_(source),
        budget_(budget) {}

  // REQUIRES: the type is a scalar or an instant vector.
  HeldResult Evaluate(const Expression& expression, const Steps& steps);
  // REQUIRES: the type is a range vector; one step.
  absl::StatusOr<std::vector<SeriesPoints>> EvaluateRange(const Expression& expression,
                                                          const Steps& steps);
  std::vector<std::string> TakeWarnings() { return std::move(warnings_); }

 private:
  HeldResult EvaluateNode(const Expression& expression, const Steps& steps);
  // Without histograms, which `user` does not take.
  HeldResult EvaluateNumbers(const Expression& expression,
                             const Steps& steps,
                             std::string_view user);
  void LeaveOutHistograms(std::string_view user, HeldVector* vector);
  void WarnOfHistograms(std::string_view user);
  HeldResult EvaluateSelector(const VectorSelector& selector,
                              const Steps& steps,
                              Selected selected);
  HeldResult EvaluateUnary(const Unary& unary, const Steps& steps);
  HeldResult EvaluateBinary(const Binary& binary, const Steps& steps);
  HeldResult EvaluateAggregation(const Aggregation& aggregation, const Steps& steps);
  HeldResult EvaluateCall(const Call& call, const Steps& steps);
  HeldResult EvaluateOfValues(const Call& call, const Steps& steps);
  HeldResult EvaluateOfRange(const Call& call, const Steps& steps);
  HeldResult EvaluateTimestamp(const Expression& argument, const Steps& steps);
  HeldResult EvaluateSort(const Call& call, const Steps& steps);
  HeldResult EvaluateLabelReplace(const Call& call, const Steps& steps);
  HeldResult EvaluateLabelJoin(const Call& call, const Steps& steps);
  HeldResult EvaluateHistogramQuantile(const Call& call, const Steps& steps);
  HeldResult EvaluateOfNativeHistograms(const Call& call, const Steps& steps);
  absl::StatusOr<Scalars> EvaluateScalars(const Call& call, const Steps& steps);
  Windows WindowsOfRange(const Expression& range, const Steps& steps) const;
  absl::Status VisitRange(const Expression& range,
                          const Windows& windows,
                          WindowNeeds needs,
                          VisitPoints visit);

  const EvaluationOptions& options_;
  const QueryTimes times_;
  const InvariantParts invariants_;
  SeriesSource* const source_;
  Budget* const budget_;
  std::vector<std::string> warnings_;
};

HeldResult TreeEvaluator::Evaluate(const Expression& expression, const Steps& steps) {
  if (steps.count == 1 || !invariants_.Contains(expression)) return EvaluateNode(expression, steps);
  HOURCELL_ASSIGN_OR_RETURN(
      HeldVector value,
      EvaluateNode(expression, {.start_ms = steps.start_ms, .step_ms = steps.step_ms, .count = 1}));
  HOURCELL_RETURN_IF_ERROR(value.Repeat(steps.count));
  return value;
}

HeldResult TreeEvaluator::EvaluateNode(const Expression& expression, const Steps& steps) {
  const auto& node = expression.node;
  if (const auto* number = std::get_if<NumberLiteral>(&node))
    return ConstantScalar(budget_, steps.count, number->value);
  if (const auto* selector = std::get_if<VectorSelector>(&node))
    return EvaluateSelector(*selector, steps, Selected::kValue);
  if (const auto* call = std::get_if<Call>(&node)) return EvaluateCall(*call, steps);
  if (const auto* aggregation = std::get_if<Aggregation>(&node))
    return EvaluateAggregation(*aggregation, steps);
  if (const auto* binary = std::get_if<Binary>(&node)) return EvaluateBinary(*binary, steps);
  if (const auto* unary = std::get_if<Unary>(&node)) return EvaluateUnary(*unary, steps);
  const auto* parentheses = std::get_if<Parentheses>(&node);
  HOURCELL_CHECK(parentheses != nullptr);
  return Evaluate(*parentheses->inner, steps);
}

HeldResult TreeEvaluator::EvaluateNumbers(const Expression& expression,
                                          const Steps& steps,
                                          std::string_view user) {
  HOURCELL_ASSIGN_OR_RETURN(HeldVector vector, Evaluate(expression, steps));
  LeaveOutHistograms(user, &vector);
  return vector;
}

void TreeEvaluator::LeaveOutHistograms(std::string_view user, HeldVector* vector) {
  if (vector->RemoveHistograms()) WarnOfHistograms(user);
}

void TreeEvaluator::WarnOfHistograms(std::string_view user) {
  std::string warning = fmt::format("{}: native histograms are left out", user);
  if (std::ranges::find(warnings_, warning) == warnings_.end()) {
    warnings_.push_back(std::move(warning));
  }
}

HeldResult TreeEvaluator::EvaluateSelector(const VectorSelector& selector,
                                           const Steps& steps,
                                           Selected selected) {
  const Windows windows = WindowsOf(selector.shift, options_.lookback_ms, steps, times_);
  return SelectInstant(selector, windows, selected, source_, budget_);
}

HeldResult TreeEvaluator::EvaluateUnary(const Unary& unary, const Steps& steps) {
  HOURCELL_ASSIGN_OR_RETURN(HeldVector value, Evaluate(*unary.inner, steps));
  if (!unary.negate) return value;
  LeaveOutHistograms("unary -", &value);
  for (SeriesColumn& series : value.series()) {
    HOURCELL_RETURN_IF_ERROR(budget_->Work(steps.count));
    for (double& element : series.values)
      if (!IsNoValue(element)) element = -element;
  }
  HOURCELL_RETURN_IF_ERROR(DropMetricNames(&value, EqualLabels::kRefuse));
  return value;
}

HeldResult TreeEvaluator::EvaluateBinary(const Binary& binary, const Steps& steps) {
  const bool is_left_scalar = binary.left->type == ValueType::kScalar;
  const bool is_right_scalar = binary.right->type == ValueType::kScalar;
  HOURCELL_ASSIGN_OR_RETURN(HeldVector left, Evaluate(*binary.left, steps));
  HOURCELL_ASSIGN_OR_RETURN(HeldVector right, Evaluate(*binary.right, steps));
  const bool has_scalar = is_left_scalar || is_right_scalar;
  if (has_scalar || !(IsSetOperator(binary.op) || binary.op == BinaryOperator::kAdd)) {
    LeaveOutHistograms(BinaryOperatorText(binary.op), &left);
    LeaveOutHistograms(BinaryOperatorText(binary.op), &right);
  }
  if (is_left_scalar && is_right_scalar)
    return CombineScalars(binary.op, std::move(left), std::move(right));
  if (is_right_scalar) {
    return CombineWithScalar(binary.op, std::move(left), std::move(right), ScalarSide::kRight,
                             binary.return_bool);
  }
  if (is_left_scalar) {
    return CombineWithScalar(binary.op, std::move(right), std::move(left), ScalarSide::kLeft,
                             binary.return_bool);
  }
  const VectorMatching matching = binary.matching.value_or(VectorMatching{});
  if (IsSetOperator(binary.op))
    return CombineSets(binary.op, matching, std::move(left), std::move(right));
  return CombineVectors(binary.op, matching, binary.return_bool, std::move(left), std::move(right));
}

HeldResult TreeEvaluator::EvaluateAggregation(const Aggregation& aggregation, const Steps& steps) {
  const GroupingRule grouping{.only_names = !aggregation.without, .names = aggregation.grouping};
  const std::string_view name = AggregateOperatorText(aggregation.op);
  if (aggregation.op == AggregateOperator::kCountValues) {
    HOURCELL_ASSIGN_OR_RETURN(const HeldVector inner,
                              EvaluateNumbers(*aggregation.inner, steps, name));
    return CountValues(TextOf(*aggregation.parameter), grouping, inner);
  }
  if (aggregation.parameter == nullptr) {
    HOURCELL_ASSIGN_OR_RETURN(HeldVector inner, Evaluate(*aggregation.inner, steps));
    if (!TakesHistograms(aggregation.op)) LeaveOutHistograms(name, &inner);
    return Aggregate(aggregation.op, grouping, inner);
  }
  HOURCELL_ASSIGN_OR_RETURN(const HeldVector parameter, Evaluate(*aggregation.parameter, steps));
  HOURCELL_ASSIGN_OR_RETURN(HeldVector inner, EvaluateNumbers(*aggregation.inner, steps, name));
  if (aggregation.op == AggregateOperator::kQuantile)
    return AggregateQuantile(parameter.scalar(), grouping, inner);
  const RankOrder order =
      aggregation.op == AggregateOperator::kTopk ? RankOrder::kDescending : RankOrder::kAscending;
  HOURCELL_RETURN_IF_ERROR(KeepRanked(order, parameter.scalar(), grouping, &inner));
  return inner;
}

HeldResult TreeEvaluator::EvaluateCall(const Call& call, const Steps& steps) {
  const std::vector<ExpressionPtr>& arguments = call.arguments;
  if (IsRangeFunction(call.function) || call.function == Function::kAbsentOverTime)
    return EvaluateOfRange(call, steps);
  switch (call.function) {
    case Function::kTime:
      return TimeScalar(steps, budget_);
    case Function::kPi:
      return ConstantScalar(budget_, steps.count, std::numbers::pi);
    case Function::kVector:
      return Evaluate(*arguments[0], steps);
    case Function::kScalar: {
      HOURCELL_ASSIGN_OR_RETURN(const HeldVector vector,
                                EvaluateNumbers(*arguments[0], steps, NameOf(call)));
      return ScalarOfVector(vector);
    }
    case Function::kAbsent: {
      HOURCELL_ASSIGN_OR_RETURN(const HeldVector vector, Evaluate(*arguments[0], steps));
      return Absent(AbsentLabels(*arguments[0]), vector);
    }
    case Function::kTimestamp:
      return EvaluateTimestamp(*arguments[0], steps);
    case Function::kSort:
    case Function::kSortDesc:
      return EvaluateSort(call, steps);
    case Function::kLabelReplace:
      return EvaluateLabelReplace(call, steps);
    case Function::kLabelJoin:
      return EvaluateLabelJoin(call, steps);
    case Function::kHistogramQuantile:
      return EvaluateHistogramQuantile(call, steps);
    case Function::kHistogramCount:
    case Function::kHistogramSum:
    case Function::kHistogramFraction:
      return EvaluateOfNativeHistograms(call, steps);
    default:
      return EvaluateOfValues(call, steps);
  }
}

HeldResult TreeEvaluator::EvaluateOfValues(const Call& call, const Steps& steps) {
  if (call.arguments.empty()) {  // hour() is hour(vector(time()))
    HOURCELL_ASSIGN_OR_RETURN(HeldVector time, TimeScalar(steps, budget_));
    return CallOfValues(call.function, {}, std::move(time));
  }
  HOURCELL_ASSIGN_OR_RETURN(HeldVector vector,
                            EvaluateNumbers(*call.arguments.front(), steps, NameOf(call)));
  HOURCELL_ASSIGN_OR_RETURN(const Scalars scalars, EvaluateScalars(call, steps));
  return CallOfValues(call.function, scalars.columns, std::move(vector));
}

HeldResult TreeEvaluator::EvaluateOfRange(const Call& call, const Steps& steps) {
  const auto found = std::ranges::find_if(
      call.arguments, [](const ExpressionPtr& argument) { return IsRange(*argument); });
  HOURCELL_CHECK(found != call.arguments.end());
  const Expression& range = WithoutParentheses(**found);
  HOURCELL_ASSIGN_OR_RETURN(const Scalars scalars, EvaluateScalars(call, steps));
  const Windows windows = WindowsOfRange(range, steps);
  const WindowNeeds needs = NeedsOf(call.function);
  const auto visit_series = [&](VisitPoints visit) {
    return VisitRange(range, windows, needs, visit);
  };
  if (call.function == Function::kAbsentOverTime)
    return AbsentOverTime(windows, AbsentLabels(range), visit_series, budget_);
  bool leaves_out = false;
  HeldResult result =
      CallOfRange(call.function, windows, scalars.columns, visit_series, budget_, &leaves_out);
  if (leaves_out) WarnOfHistograms(NameOf(call));
  return result;
}

HeldResult TreeEvaluator::EvaluateTimestamp(const Expression& argument, const Steps& steps) {
  const Expression& inner = WithoutParentheses(argument);
  if (const auto* selector = std::get_if<VectorSelector>(&inner.node)) {
    HOURCELL_ASSIGN_OR_RETURN(HeldVector times,
                              EvaluateSelector(*selector, steps, Selected::kTime));
    HOURCELL_RETURN_IF_ERROR(DropMetricNames(&times));
    return times;
  }
  HOURCELL_ASSIGN_OR_RETURN(HeldVector vector, Evaluate(inner, steps));
  return Timestamps(steps, std::move(vector));
}

HeldResult TreeEvaluator::EvaluateSort(const Call& call, const Steps& steps) {
  HOURCELL_ASSIGN_OR_RETURN(HeldVector vector, Evaluate(*call.arguments[0], steps));
  SortByValue(call.function == Function::kSort ? RankOrder::kAscending : RankOrder::kDescending,
              &vector);
  return vector;
}

HeldResult TreeEvaluator::EvaluateLabelReplace(const Call& call, const Steps& steps) {
  const std::vector<ExpressionPtr>& arguments = call.arguments;
  HOURCELL_ASSIGN_OR_RETURN(HeldVector vector, Evaluate(*arguments[0], steps));
  HOURCELL_ASSIGN_OR_RETURN(const LabelReplacement replacement,
                            LabelReplacement::Create(TextOf(*arguments[1]), TextOf(*arguments[2]),
                                                     TextOf(*arguments[3]), TextOf(*arguments[4])));
  HOURCELL_RETURN_IF_ERROR(
      ChangeLabels([&](const Labels& labels) { return replacement.Apply(labels); }, &vector));
  return vector;
}

HeldResult TreeEvaluator::EvaluateLabelJoin(const Call& call, const Steps& steps) {
  const std::vector<ExpressionPtr>& arguments = call.arguments;
  HOURCELL_ASSIGN_OR_RETURN(HeldVector vector, Evaluate(*arguments[0], steps));
  const std::string_view target = TextOf(*arguments[1]);
  const std::string_view separator = TextOf(*arguments[2]);
  std::vector<std::string> sources;
  for (size_t i = 3; i < arguments.size(); ++i)
    sources.emplace_back(TextOf(*arguments[i]));
  HOURCELL_RETURN_IF_ERROR(CheckLabelJoin(target, sources));
  HOURCELL_RETURN_IF_ERROR(ChangeLabels(
      [&](const Labels& labels) { return JoinLabels(labels, target, separator, sources); },
      &vector));
  return vector;
}

HeldResult TreeEvaluator::EvaluateHistogramQuantile(const Call& call, const Steps& steps) {
  HOURCELL_ASSIGN_OR_RETURN(const HeldVector quantile, Evaluate(*call.arguments[0], steps));
  HOURCELL_ASSIGN_OR_RETURN(const HeldVector vector, Evaluate(*call.arguments[1], steps));
  return HistogramQuantile(quantile.scalar(), vector);
}

HeldResult TreeEvaluator::EvaluateOfNativeHistograms(const Call& call, const Steps& steps) {
  HOURCELL_ASSIGN_OR_RETURN(const Scalars scalars, EvaluateScalars(call, steps));
  HOURCELL_ASSIGN_OR_RETURN(const HeldVector vector, Evaluate(*call.arguments.back(), steps));
  const auto number_of = [&](size_t step, const NativeHistogram& histogram) {
    if (call.function == Function::kHistogramCount) return histogram.count;
    if (call.function == Function::kHistogramSum) return histogram.sum;
    return NativeFraction(scalars.columns[0][step], scalars.columns[1][step], histogram);
  };
  return NumbersOfHistograms(number_of, vector);
}

absl::StatusOr<Scalars> TreeEvaluator::EvaluateScalars(const Call& call, const Steps& steps) {
  Scalars scalars;
  for (const ExpressionPtr& argument : call.arguments) {
    if (argument->type != ValueType::kScalar) continue;
    HOURCELL_ASSIGN_OR_RETURN(HeldVector value, Evaluate(*argument, steps));
    scalars.held.push_back(std::move(value));
    scalars.columns.push_back(scalars.held.back().scalar());
  }
  return scalars;
}

Windows TreeEvaluator::WindowsOfRange(const Expression& range, const Steps& steps) const {
  if (const auto* subquery = std::get_if<Subquery>(&range.node))
    return WindowsOf(subquery->shift, subquery->range_ms, steps, times_);
  const auto& matrix = std::get<MatrixSelector>(range.node);
  const auto& selector = std::get<VectorSelector>(matrix.selector->node);
  return WindowsOf(selector.shift, matrix.range_ms, steps, times_);
}

absl::Status TreeEvaluator::VisitRange(const Expression& range,
                                       const Windows& windows,
                                       WindowNeeds needs,
                                       VisitPoints visit) {
  if (const auto* matrix = std::get_if<MatrixSelector>(&range.node)) {
    const auto& selector = std::get<VectorSelector>(matrix->selector->node);
    return SelectRange(selector, windows, needs, source_, budget_, visit);
  }
  const auto& subquery = std::get<Subquery>(range.node);
  const auto steps = StepsOfSubquery(subquery, windows, options_.default_subquery_step_ms);
  if (!steps.has_value()) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(const HeldVector vector, Evaluate(*subquery.inner, *steps));
  return VisitColumns(vector, *steps, visit);
}

absl::StatusOr<std::vector<SeriesPoints>> TreeEvaluator::EvaluateRange(const Expression& expression,
                                                                       const Steps& steps) {
  std::vector<SeriesPoints> matrix;
  size_t bytes = 0;
  const Expression& range = WithoutParentheses(expression);
  const auto visit = [&](const Labels& labels, PointsView points) -> absl::Status {
    const size_t taken = sizeof(SeriesPoints) + labels.MemoryBytes() +
                         points.size() * (sizeof(int64_t) + sizeof(double)) +
                         BytesOfHistograms(points.histograms);
    HOURCELL_RETURN_IF_ERROR(budget_->Take(taken));
    bytes += taken;
    matrix.push_back({.labels = labels,
                      .times = {points.times.begin(), points.times.end()},
                      .values = {points.values.begin(), points.values.end()},
                      .histograms = {points.histograms.begin(), points.histograms.end()}});
    return absl::OkStatus();
  };
  const absl::Status status =
      VisitRange(range, WindowsOfRange(range, steps), WindowNeeds::kPoints, visit);
  if (!status.ok()) {
    budget_->GiveBack(bytes);
    return status;
  }
  std::ranges::sort(matrix, {}, &SeriesPoints::labels);
  return matrix;
}

absl::Status CheckType(const Expression& expression, const EvaluationOptions& options) {
  const bool is_for_instants =
      expression.type == ValueType::kMatrix || expression.type == ValueType::kString;
  if (options.is_instant || !is_for_instants) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "invalid expression type \"{}\" for range query, must be Scalar or instant Vector",
      ValueTypeText(expression.type)));
}

}  // namespace

absl::StatusOr<Evaluation> Evaluate(const Expression& expression,
                                    const EvaluationOptions& options,
                                    SeriesSource* source) {
  HOURCELL_CHECK(options.steps.count >= 1 && options.steps.step_ms >= 1);
  HOURCELL_CHECK(!options.is_instant || options.steps.count == 1);
  HOURCELL_RETURN_IF_ERROR(CheckType(expression, options));
  if (expression.type == ValueType::kString)
    return Evaluation{.value = StringResult{std::string(TextOf(expression))}, .warnings = {}};

  Budget budget(options.memory, options.check);
  TreeEvaluator evaluator(expression, options, source, &budget);
  if (expression.type == ValueType::kMatrix) {
    HOURCELL_ASSIGN_OR_RETURN(std::vector<SeriesPoints> matrix,
                              evaluator.EvaluateRange(expression, options.steps));
    return Evaluation{.value = MatrixResult{std::move(matrix)},
                      .warnings = evaluator.TakeWarnings()};
  }
  HOURCELL_ASSIGN_OR_RETURN(HeldVector held, evaluator.Evaluate(expression, options.steps));
  Vector series = std::move(held).Release();
  if (expression.type == ValueType::kScalar)
    return Evaluation{.value = ScalarResult{std::move(series.front().values)},
                      .warnings = evaluator.TakeWarnings()};
  if (!options.is_instant) SortByLabels(&series);
  return Evaluation{.value = VectorResult{std::move(series)}, .warnings = evaluator.TakeWarnings()};
}

}  // namespace hourcell::promql
