// The functions of /api/query/gexp: tests/data/expressions.json has texts with their trees, and
// series with the results of each function. "upstream" is the result of OpenTSDB, if it differs.

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/expressions/function_call.h"
#include "engine/expressions/function_tree.h"
#include "engine/query/functions/mapping.h"
#include "engine/query/functions/series_function.h"
#include "engine/query/result_collector.h"
#include "tests/engine/query/functions/counted_memory.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::function_vectors_test {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;

double NumberOf(element value) {
  double number = std::numeric_limits<double>::quiet_NaN();  // "NaN"
  if (value.is_number()) number = double(value);
  return number;
}

// A series of a vector as a view.
struct GivenSeries {
  explicit GivenSeries(element given) : metric(TextOf(given, "name")) {
    for (const auto [tagk, tagv] : simdjson::dom::object(given["tags"]))
      tags.emplace_back(tagk, std::string_view(tagv));
    for (const element point : array(given["pts"])) {
      const element value = point.at(1);
      points.push_back(int64_t(point.at(0)), value.is_int64() ? Value::Integer(int64_t(value))
                                                              : Value::Float(NumberOf(value)));
    }
  }
  SeriesView View() const {
    SeriesView view;
    view.metric = metric;
    view.tags = tags;
    view.points = {.t = points.t, .v = points.v, .is_float = points.is_float};
    return view;
  }

  std::string metric;
  std::vector<std::pair<std::string_view, std::string_view>> tags;
  Span points;
};

// The points from `start` on: those before are not of the query.
void CutBefore(int64_t start, Span* points) {
  Span rest;
  for (size_t i = 0; i < points->size(); ++i) {
    if (points->t[i] >= start) rest.push_back(points->t[i], points->value(i));
  }
  *points = std::move(rest);
}

using Sets = std::vector<std::vector<GivenSeries>>;

Sets SetsOf(element given) {
  Sets sets;
  const auto add = [&](element series) {
    std::vector<GivenSeries> set;
    for (const element one : array(series))
      set.emplace_back(one);
    sets.push_back(std::move(set));
  };
  if (Has(given, "series")) add(given["series"]);
  if (Has(given, "sets")) {
    for (const element set : array(given["sets"]))
      add(set);
  }
  if (Has(given, "start")) {
    for (GivenSeries& series : sets[0])
      CutBefore(IntOf(given, "start"), &series.points);
  }
  return sets;
}

absl::StatusOr<QueryNode> TreeOf(std::string_view text, std::vector<std::string>* sub_queries) {
  const absl::StatusOr<FunctionCall> call = ParseFunctionCall(text);
  if (!call.ok()) return call.status();
  return MakeFunctionTree(*call, [&](std::string_view sub_query) -> absl::StatusOr<size_t> {
    sub_queries->emplace_back(sub_query);
    return sub_queries->size() - 1;
  });
}

// The call of a vector: its function, a sub query for each set, its parameters.
std::string TextOfCall(element given, size_t sets) {
  std::string text = TextOf(given, "fn") + "(";
  for (size_t i = 0; i < sets; ++i)
    text += fmt::format("{}sum:m{}", i > 0 ? "," : "", i);
  if (Has(given, "params")) {
    for (const element parameter : array(given["params"]))
      text += fmt::format(",{}", std::string_view(parameter));
  }
  return text + ")";
}

QueryResult Evaluate(const QueryNode& node, const Sets& sets) {
  CountedMemory memory;
  QueryResult result;
  {
    ResultCollector out(&result);
    const auto function = MakeSeriesFunction(node.function, node.inputs.size(), &memory);
    for (size_t input = 0; input < sets.size(); ++input) {
      for (const GivenSeries& series : sets[input])
        EXPECT_OK(function->Add(input, series.View(), &out));
    }
    EXPECT_OK(function->Finish(&out));
  }
  EXPECT_EQ(memory.held, 0u);
  return result;
}

void ExpectResult(const QueryResult& got, element want) {
  if (Has(want, "order")) {
    std::vector<std::string> order;
    for (const element name : array(want["order"]))
      order.emplace_back(std::string_view(name));
    std::vector<std::string> metrics;
    for (const ResultSeries& series : got.series)
      metrics.push_back(series.metric);
    EXPECT_EQ(metrics, order);
  }
  if (!Has(want, "out")) return;
  const array out(want["out"]);
  ASSERT_EQ(got.series.size(), out.size());
  for (size_t i = 0; i < out.size(); ++i) {
    const array points(out.at(i));
    ASSERT_EQ(got.series[i].points.size(), points.size());
    for (size_t at = 0; at < points.size(); ++at) {
      const ResultPoint& point = got.series[i].points[at];
      EXPECT_EQ(point.ms, int64_t(points.at(at).at(0)));
      const bool is_integer = point.value.is_integer();
      if (Has(want, "integers")) {
        EXPECT_EQ(is_integer, bool(want["integers"]));
      }
      const double number =
          is_integer ? static_cast<double>(point.value.integer()) : point.value.floating();
      const double expected = NumberOf(points.at(at).at(1));
      EXPECT_TRUE(number == expected || (std::isnan(number) && std::isnan(expected)))
          << number << " instead of " << expected;
    }
  }
}

void RunSeries(const TestVector& vector) {
  const Sets sets = SetsOf(vector.given);
  std::vector<std::string> sub_queries;
  const absl::StatusOr<QueryNode> node =
      TreeOf(TextOfCall(vector.given, sets.size()), &sub_queries);
  EXPECT_EQ(node.ok(), !vector.wants_error()) << node.status();
  if (node.ok()) ExpectResult(Evaluate(*node, sets), vector.expect);
}

std::string TextOfTree(const FunctionCall& call) {
  if (call.kind == FunctionCall::Kind::kSubQuery) return fmt::format("{{\"m\":\"{}\"}}", call.text);
  if (call.kind == FunctionCall::Kind::kText) return fmt::format("{{\"p\":\"{}\"}}", call.text);
  std::string arguments;
  for (const FunctionCall& argument : call.arguments)
    arguments += (arguments.empty() ? "" : ",") + TextOfTree(argument);
  return fmt::format("{{\"f\":\"{}\",\"args\":[{}]}}", call.text, arguments);
}

void RunParse(const TestVector& vector) {
  const std::string text = TextOf(vector.given, "exp");
  std::vector<std::string> sub_queries;
  const absl::StatusOr<QueryNode> node = TreeOf(text, &sub_queries);
  EXPECT_EQ(node.ok(), !vector.wants_error()) << node.status();
  if (!node.ok() || vector.wants_error()) return;
  EXPECT_EQ(TextOfTree(*ParseFunctionCall(text)), simdjson::to_string(vector.expect["tree"]));
  std::vector<std::string> metrics;
  for (const element metric : array(vector.expect["metrics"]))
    metrics.emplace_back(std::string_view(metric));
  EXPECT_EQ(sub_queries, metrics);
}

void RunSpan(const TestVector& vector, const absl::StatusOr<int64_t>& ms) {
  EXPECT_EQ(ms.ok(), !vector.wants_error()) << ms.status();
  if (ms.ok() && !vector.wants_error()) {
    EXPECT_EQ(*ms, IntOf(vector.expect, "ms"));
  }
}

void RunAlias(const TestVector& vector) {
  std::vector<std::pair<std::string_view, std::string_view>> tags;
  for (const auto [tagk, tagv] : simdjson::dom::object(vector.given["tags"]))
    tags.emplace_back(tagk, std::string_view(tagv));
  EXPECT_EQ(AliasOf(TextOf(vector.given, "template"), tags), TextOf(vector.expect, "metric"));
}

TEST(FunctionVectorsTest, EachFunctionHasItsNumbers) {
  int series = 0;
  int parsed = 0;
  int spans = 0;
  int aliases = 0;
  for (const TestVector& vector : LoadVectors("expressions.json", "gexp-function")) {
    SCOPED_TRACE(simdjson::to_string(vector.given));
    if (Has(vector.given, "parse_window")) {
      RunSpan(vector, ParseWindowSpan(TextOf(vector.given, "parse_window")));
      ++spans;
    } else if (Has(vector.given, "parse_shift")) {
      RunSpan(vector, ParseTimeShift(TextOf(vector.given, "parse_shift")));
      ++spans;
    } else if (Has(vector.given, "template")) {
      RunAlias(vector);
      ++aliases;
    } else if (TextOf(vector.given, "fn") == "parse") {
      RunParse(vector);
      ++parsed;
    } else {
      RunSeries(vector);
      ++series;
    }
  }
  EXPECT_EQ(series, 35);
  EXPECT_EQ(parsed, 10);
  EXPECT_EQ(spans, 17);
  EXPECT_EQ(aliases, 3);
}

}  // namespace
}  // namespace hourcell::function_vectors_test
