#include "tests/http/inputs/random_promql.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "tests/http/inputs/prometheus_program.h"

namespace hourcell {
namespace {

constexpr int64_t kScrapeMs = 15'000;
const double kStale = std::bit_cast<double>(uint64_t{0x7ff0000000000002});  // ends a series
constexpr double kUnit = 64;  // samples are multiples of its inverse

// Counters, gauges, gauges with special values, unequal values, information, and buckets. The first
// letter is the kind.
constexpr std::string_view kMetrics[] = {"c_total", "g_level", "n_ratio", "u_size", "i_info"};
constexpr std::string_view kBuckets = "h_bucket";
constexpr std::string_view kLabelNames[] = {"job", "inst", "code", "ver", "nosuch"};
constexpr std::string_view kJobs[] = {"a", "b"};
constexpr std::string_view kInstances[] = {"1", "2", "3"};

}  // namespace

double RandomPromql::NextValue(char kind, double before) {
  const auto step = static_cast<double>(Below(2'000)) / kUnit;
  switch (kind) {
    case 'c':
      return OneIn(40) ? 0 : before + (OneIn(4) ? 0 : step);
    case 'h':
      return before + std::floor(step);
    case 'n':
      if (OneIn(12)) return std::numeric_limits<double>::quiet_NaN();
      if (OneIn(20))
        return OneIn(2) ? std::numeric_limits<double>::infinity()
                        : -std::numeric_limits<double>::infinity();
      [[fallthrough]];
    case 'g':
      return OneIn(5) ? before : step - 1'000 / kUnit;
    case 'u':
      return before + (1 + static_cast<double>(Below(64))) / kUnit;
    default:
      return 1;
  }
}

PromTestSeries RandomPromql::Samples(std::vector<std::pair<std::string, std::string>> labels) {
  const char kind = labels.front().second.front();
  PromTestSeries series{.labels = std::move(labels)};
  // Unequal values are unequal between series, too.
  double value = kind == 'u' ? static_cast<double>(Below(1 << 20)) * 1'000 : 0;
  const bool is_sparse = kind != 'u' && OneIn(5);
  const int64_t offset_ms = OneIn(2) ? 0 : static_cast<int64_t>(Below(kScrapeMs));
  const size_t gaps = OneIn(2) ? 0 : 30;
  for (int64_t ms = offset_ms; ms <= kRandomSeconds * 1'000; ms += kScrapeMs) {
    value = std::isfinite(value) ? NextValue(kind, value) : NextValue(kind, 0);
    if (is_sparse && !OneIn(25)) continue;
    if (gaps != 0 && OneIn(gaps)) {
      const bool ends = OneIn(2);
      if (ends) series.samples.push_back({kStale, kRandomStartS * 1'000 + ms});
      ms += static_cast<int64_t>(Below(40)) * kScrapeMs;
      if (ends) continue;
    }
    series.samples.push_back({value, kRandomStartS * 1'000 + ms});
  }
  if (OneIn(8)) series.samples.resize(std::min<size_t>(series.samples.size(), 1));
  return series;
}

std::vector<PromTestSeries> RandomPromql::Series() {
  std::vector<PromTestSeries> all;
  // First, so that Prometheus takes older samples than these.
  all.push_back({.labels = {{"__name__", "u_size"}, {"job", "early"}},
                 .samples = {{0.25, (kRandomStartS - 1'800) * 1'000}}});
  for (const std::string_view job : kJobs) {
    for (const std::string_view instance : kInstances) {
      for (const std::string_view metric : kMetrics) {
        std::vector<std::pair<std::string, std::string>> labels = {
            {"__name__", std::string(metric)},
            {"inst", std::string(instance)},
            {"job", std::string(job)}};
        if (metric == "i_info") labels.emplace_back("ver", "v" + std::string(instance));
        if (metric != "c_total") {
          all.push_back(Samples(labels));
          continue;
        }
        for (const std::string code : {"200", "500"}) {
          std::vector<std::pair<std::string, std::string>> of_code = labels;
          of_code.insert(of_code.begin() + 1, {"code", code});
          all.push_back(Samples(std::move(of_code)));
        }
      }
    }
    for (const std::string le : {"+Inf", "0.1", "0.5", "2"}) {
      all.push_back(
          Samples({{"__name__", std::string(kBuckets)}, {"job", std::string(job)}, {"le", le}}));
    }
  }
  return all;
}

std::string RandomPromql::Number() {
  static constexpr std::string_view kNumbers[] = {"0",   "1",   "2",  "0.5", "-1",  "3",  "10",
                                                  "100", "0.1", "-7", "1e3", "NaN", "Inf"};
  return Pick(kNumbers);
}

std::string RandomPromql::Duration(int64_t least_s, int64_t most_s) {
  const int64_t seconds =
      least_s + static_cast<int64_t>(Below(static_cast<size_t>(most_s - least_s + 1)));
  if (OneIn(3)) return fmt::format("{}s", seconds);
  return fmt::format("{}m", std::max<int64_t>(1, seconds / 60));
}

std::string RandomPromql::Modifiers(bool may_be_fixed) {
  std::string text;
  if (OneIn(5)) text += fmt::format(" offset {}{}", OneIn(3) ? "-" : "", Duration(1, 1'800));
  if (!may_be_fixed || !OneIn(8)) return text;
  if (OneIn(2)) return text + (OneIn(2) ? " @ start()" : " @ end()");
  return text + fmt::format(" @ {}", kRandomStartS + static_cast<int64_t>(Below(kRandomSeconds)));
}

std::string RandomPromql::Matchers() {
  static constexpr std::string_view kMatchers[] = {
      "job=\"a\"", "job!=\"a\"",  "inst=~\"1|2\"", "inst!~\"2.*\"", "code=\"500\"",
      "code=\"\"", "nosuch=\"\"", "job=~\".+\"",   "nosuch=\"x\"",  "inst=~\"[13]\""};
  return Pick(kMatchers);
}

std::string RandomPromql::Labels(size_t most) {
  std::string text;
  const size_t count = Below(most + 1);
  for (size_t i = 0; i < count; ++i) {
    const std::string name = Pick(kLabelNames);
    if (text.find(name) != text.npos) continue;
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

RandomPromql::Part RandomPromql::Selector(bool may_be_fixed) {
  std::string text = Pick(kMetrics);
  const bool is_exact = text.front() != 'n';
  if (OneIn(3)) text += "{" + Matchers() + "}";
  return {text + Modifiers(may_be_fixed), is_exact};
}

RandomPromql::Part RandomPromql::Range(size_t depth, bool may_be_fixed) {
  if (depth > 0 && OneIn(3)) {
    const Part inner = Vector(depth - 1);
    const size_t step_s = 20 + Below(300);
    // Without a step it is a minute.
    const bool has_step = !OneIn(4);
    const std::string range = fmt::format("{}s", (has_step ? step_s : 60) + Below(900));
    return {fmt::format("({})[{}:{}]{}", inner.text, range,
                        has_step ? fmt::format("{}s", step_s) : "", Modifiers(may_be_fixed)),
            inner.is_exact};
  }
  std::string text = Pick(kMetrics);
  const bool is_exact = text.front() != 'n';
  if (OneIn(3)) text += "{" + Matchers() + "}";
  return {fmt::format("{}[{}]{}", text, Duration(10, 1'200), Modifiers(may_be_fixed)), is_exact};
}

std::string RandomPromql::Scalar(size_t depth) {
  switch (depth == 0 ? Below(3) : Below(7)) {
    case 0:
    case 1:
      return Number();
    case 2:
      return OneIn(2) ? "pi()" : "time()";
    case 3:
    case 4:
      return fmt::format("scalar({})", Vector(depth - 1).text);
    case 5:
      return fmt::format("-({})", Scalar(depth - 1));
    default: {
      static constexpr std::string_view kOperators[] = {"+", "-",      "*",       "/",    "%",
                                                        "^", "> bool", "== bool", "atan2"};
      return fmt::format("({} {} {})", Scalar(depth - 1), Pick(kOperators), Scalar(depth - 1));
    }
  }
}

RandomPromql::Part RandomPromql::OfRange(size_t depth) {
  static constexpr std::string_view kExact[] = {
      "sum_over_time", "min_over_time", "max_over_time", "count_over_time",   "last_over_time",
      "changes",       "resets",        "idelta",        "present_over_time", "absent_over_time"};
  static constexpr std::string_view kOthers[] = {
      "rate",          "increase",         "irate",           "delta", "deriv",
      "avg_over_time", "stddev_over_time", "stdvar_over_time"};
  switch (Below(8)) {
    case 0:
      return {
          fmt::format("predict_linear({}, {})", Range(0, /*may_be_fixed=*/false).text, Number())};
    case 1:
      return {fmt::format("quantile_over_time({}, {})", OneIn(4) ? Number() : "0.7",
                          Range(depth).text)};
    case 2:
      return {fmt::format("holt_winters({}, 0.{}, 0.{})", Range(depth).text, 1 + Below(9),
                          1 + Below(9))};
    case 3:
    case 4: {
      const Part range = Range(depth);
      return {fmt::format("{}({})", Pick(kExact), range.text), range.is_exact};
    }
    default:
      return {fmt::format("{}({})", Pick(kOthers), Range(depth).text)};
  }
}

RandomPromql::Part RandomPromql::OfVector(size_t depth) {
  static constexpr std::string_view kExact[] = {"abs", "ceil", "floor", "sgn", "-", "sort"};
  static constexpr std::string_view kOthers[] = {
      "exp",   "ln",    "log2",          "log10",       "sqrt",         "sin",
      "cos",   "tan",   "asin",          "acos",        "atan",         "sinh",
      "cosh",  "tanh",  "asinh",         "acosh",       "deg",          "rad",
      "atanh", "hour",  "month",         "day_of_week", "day_of_month", "minute",
      "year",  "round", "days_in_month", "day_of_year", "sort_desc"};
  switch (Below(6)) {
    case 0:
      return {fmt::format("timestamp({})", Selector(/*may_be_fixed=*/false).text)};
    case 1:
      return {
          fmt::format("clamp({}, {}, {})", Vector(depth - 1).text, Number(), Scalar(depth - 1))};
    case 2:
      return {fmt::format("round({}, {})", Vector(depth - 1).text, Number())};
    case 3: {
      const Part inner = Vector(depth - 1);
      return {fmt::format("{}({})", Pick(kExact), inner.text), inner.is_exact};
    }
    default:
      return {fmt::format("{}({})", Pick(kOthers), Vector(depth - 1).text)};
  }
}

// Of unequal values.
RandomPromql::Part RandomPromql::Ranking() {
  std::string by = OneIn(2) ? fmt::format(" by ({})", Labels(2)) : "";
  return {fmt::format("{}{} ({}, u_size{})", OneIn(2) ? "topk" : "bottomk", by, Below(5),
                      Modifiers(/*may_be_fixed=*/true)),
          true};
}

RandomPromql::Part RandomPromql::Aggregation(size_t depth) {
  static constexpr std::string_view kOfAny[] = {"min", "max", "count", "group"};
  const std::string by =
      OneIn(4) ? "" : fmt::format(" {} ({})", OneIn(2) ? "by" : "without", Labels(2));
  const Part inner = Vector(depth - 1);
  switch (Below(7)) {
    case 0:
      return Ranking();
    case 1:
      return {fmt::format("quantile{} ({}, {})", by, OneIn(3) ? Number() : "0.3", inner.text)};
    case 2: {
      const std::string of = OneIn(2) ? "" : fmt::format(" by ({})", Labels(2));
      return {fmt::format("count_values{} (\"ver\", {})", of, inner.text), true};
    }
    case 3:
    case 4:
      if (inner.is_exact) return {fmt::format("sum{} ({})", by, inner.text), true};
      [[fallthrough]];
    default:
      return {fmt::format("{}{} ({})", Pick(kOfAny), by, inner.text), inner.is_exact};
  }
}

RandomPromql::Part RandomPromql::WithScalar(size_t depth) {
  static constexpr std::string_view kOperators[] = {
      "+", "-", "*", "/", "%", "^", "atan2", ">", "<=", "==", "!=", "< bool", ">= bool", "== bool"};
  const std::string op = Pick(kOperators);
  const Part vector = Vector(depth - 1);
  const std::string scalar = Scalar(depth - 1);
  const bool is_filter = op == ">" || op == "<=" || op == "==" || op == "!=";
  if (OneIn(2)) return {fmt::format("(({}) {} ({}))", scalar, op, vector.text)};
  return {fmt::format("(({}) {} ({}))", vector.text, op, scalar), is_filter && vector.is_exact};
}

RandomPromql::Part RandomPromql::OfTwo(size_t depth) {
  static constexpr std::string_view kSets[] = {"and", "or", "unless"};
  static constexpr std::string_view kOperators[] = {
      "+", "-", "*", "/", "%", "^", "atan2", ">", "<=", "==", "!=", "< bool", ">= bool"};
  const Part left = Vector(depth - 1);
  const Part right = Vector(depth - 1);
  const bool is_exact = left.is_exact && right.is_exact;
  std::string on;
  if (!OneIn(3)) on = fmt::format("{} ({})", OneIn(2) ? "on" : "ignoring", Labels(3));
  if (OneIn(3)) {
    return {fmt::format("(({}) {} {} ({}))", left.text, Pick(kSets), on, right.text), is_exact};
  }
  const std::string op = Pick(kOperators);
  std::string group;
  if (!on.empty() && OneIn(3)) {
    group = OneIn(2) ? "group_left" : "group_right";
    group += OneIn(2) ? "" : OneIn(2) ? " (ver)" : " (nosuch)";
    if (group.ends_with(")") && on.find(group.substr(12)) != on.npos) group.clear();
  }
  const bool keeps_exact = op != "*" && op != "/" && op != "%" && op != "^" && op != "atan2";
  return {fmt::format("(({}) {} {} {} ({}))", left.text, op, on, group, right.text),
          is_exact && keeps_exact};
}

RandomPromql::Part RandomPromql::WithLabels(size_t depth) {
  const Part inner = Vector(depth - 1);
  switch (Below(4)) {
    case 0:
      return {fmt::format(R"(label_join({}, "{}", "{}", "{}", "inst"))", inner.text,
                          Pick(kLabelNames), OneIn(2) ? "-" : "", Pick(kLabelNames)),
              inner.is_exact};
    case 1:
    case 2: {
      static constexpr std::string_view kPatterns[] = {"(.*)", "(.)(.*)", "a", "(1|2)?", ".+"};
      static constexpr std::string_view kValues[] = {"$1", "x-$1", "", "${2}y", "1"};
      return {fmt::format(R"(label_replace({}, "{}", "{}", "{}", "{}"))", inner.text,
                          Pick(kLabelNames), Pick(kValues), Pick(kLabelNames), Pick(kPatterns)),
              inner.is_exact};
    }
    default:
      return OneIn(2) ? Part{fmt::format("absent({})", Selector().text), true}
                      : Part{fmt::format("vector({})", Scalar(depth - 1))};
  }
}

RandomPromql::Part RandomPromql::Quantile(size_t depth) {
  std::string buckets(kBuckets);
  if (OneIn(2)) buckets = fmt::format("rate({}[{}])", kBuckets, Duration(60, 900));
  // Sums of buckets are exact.
  if (OneIn(3)) buckets = fmt::format("sum by (le) ({})", kBuckets);
  if (OneIn(8)) buckets = Vector(depth - 1).text;
  return {fmt::format("histogram_quantile({}, {})", OneIn(3) ? Number() : "0.8", buckets)};
}

RandomPromql::Part RandomPromql::Vector(size_t depth) {
  if (depth == 0) return OneIn(4) ? OfRange(0) : Selector();
  switch (Below(16)) {
    case 0:
      return Selector();
    case 1:
    case 2:
    case 3:
      return OfRange(depth);
    case 4:
    case 5:
      return OfVector(depth);
    case 6:
    case 7:
    case 8:
      return Aggregation(depth);
    case 9:
    case 10:
      return WithScalar(depth);
    case 11:
    case 12:
    case 13:
      return OfTwo(depth);
    case 14:
      return WithLabels(depth);
    default:
      return Quantile(depth);
  }
}

// Of small values: the error of a sum is relative to its largest part.
std::string RandomPromql::Rounded() {
  static constexpr std::string_view kSums[] = {"sum", "avg", "stddev", "stdvar"};
  static constexpr std::string_view kSmall[] = {"c_total", "g_level", "n_ratio"};
  static constexpr std::string_view kOfRange[] = {"rate",  "increase",      "delta",
                                                  "deriv", "avg_over_time", "stddev_over_time"};
  const std::string by =
      OneIn(4) ? "" : fmt::format(" {} ({})", OneIn(2) ? "by" : "without", Labels(2));
  std::string inner = Pick(kSmall);
  if (OneIn(3)) inner += "{" + Matchers() + "}";
  if (OneIn(3)) {
    inner += Modifiers(/*may_be_fixed=*/true);
  } else {
    inner = fmt::format("{}({}[{}]{})", Pick(kOfRange), inner, Duration(10, 1'200),
                        Modifiers(/*may_be_fixed=*/true));
  }
  return fmt::format("{}{} ({})", Pick(kSums), by, inner);
}

RandomExpression RandomPromql::Expression(size_t depth) {
  if (OneIn(10)) return {.text = Rounded(), .is_rounded = true};
  return {.text = OneIn(12) ? Scalar(depth) : Vector(depth).text};
}

std::string RandomPromql::Target(const RandomExpression& expression) {
  const std::string query = "query=" + Encoded(expression.text);
  const int64_t from_s =
      kRandomStartS - 600 + static_cast<int64_t>(Below(size_t{kRandomSeconds} + 1'200));
  if (OneIn(2)) return fmt::format("/api/v1/query?{}&time={}.{:03}", query, from_s, Below(1'000));
  const auto step_s = static_cast<int64_t>(1 + Below(300));
  const int64_t end_s = from_s + step_s * static_cast<int64_t>(Below(40));
  return fmt::format("/api/v1/query_range?{}&start={}&end={}&step={}", query, from_s, end_s,
                     step_s);
}

}  // namespace hourcell
