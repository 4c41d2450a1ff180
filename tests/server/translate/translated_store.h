// A store of random points that both languages are asked about.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "engine/query/query_control.h"
#include "promql/evaluation/evaluator.h"
#include "promql/text/parser.h"
#include "server/promql/store_source.h"
#include "server/query/query_string.h"
#include "server/translate/tag_matchers.h"
#include "tests/server/promql/promql_fixture.h"

namespace hourcell {

class TranslatedStoreTest : public PromqlTest {
 protected:
  // The values of an answer that are numbers, by the labels of their series and by their time.
  using Answer = std::map<std::string, std::map<int64_t, double>>;

  // The second hour of the points.
  static constexpr int64_t kFromMs = kMs + 3'600'000;
  static constexpr int64_t kToMs = kFromMs + 3'600'000 - 1;

  // Series with gaps, whose points have different times; some lack a tag.
  void PutRandomPoints(const std::string& metric) {
    for (size_t i = 0; i < kHosts.size(); ++i) {
      std::string tags = fmt::format("host={}", kHosts[i]);
      if (i % 3 != 0) tags += i % 3 == 1 ? " dc=lga" : " dc=sea";
      int64_t ms = kMs + Random64(60'000);
      while (ms < kMs + 3 * 3'600'000) {
        const bool is_integer = random_.Below(2) == 0;
        const Value value =
            is_integer ? Value::Integer(Random64(1000)) : Value::Float(random_.Fraction() * 1000);
        Put({metric, tags, Timestamp{.ms = ms, .is_ms = true}, value});
        const bool is_gap = random_.Below(20) == 0;
        ms += 1 + (is_gap ? Random64(900'000) : Random64(20'000));
        // At the border of a bucket, too.
        if (random_.Below(4) == 0) ms = (ms / 10'000 + 1) * 10'000 - Random64(2);
      }
    }
  }

  // Rising series, each with a point every 20 s: three a minute, and three series of a group.
  void PutRegularPoints(const std::string& metric, int64_t first_s = 0) {
    for (size_t i = 0; i < 3; ++i) {
      double value = 0;
      for (int64_t s = first_s; s < 3 * 3600; s += 20) {
        value += 0.25 + random_.Fraction();
        Put({metric, fmt::format("dc=lga host={}", kHosts[i]),
             Timestamp{.ms = kMs + s * 1000, .is_ms = false}, Value::Float(value)});
      }
    }
  }

  Answer AnswerOfM(const std::string& m, bool only_groups) {
    const absl::StatusOr<SubQuery> query = ParseSubQueryText(m);
    EXPECT_OK(query.status()) << m;
    if (!query.ok()) return {};
    QuerySpec spec{.start_ms = kFromMs, .end_ms = kToMs, .queries = {*query}};
    const absl::StatusOr<QueryResult> result = tsdb().queries().Query(spec);
    if (absl::IsNotFound(result.status())) return {};
    EXPECT_OK(result.status()) << m;
    if (!result.ok()) return {};
    Answer answer;
    for (const ResultSeries& series : result->series) {
      std::map<std::string, std::string> labels;
      for (const auto& [key, value] : series.tags) {
        if (!only_groups || IsGroupedBy(*query, key)) labels[LabelOfKey(key)] = value;
      }
      for (const ResultPoint& point : series.points)
        AddValue(labels, point.ms, point.value.ToDouble(), &answer);
    }
    return answer;
  }

  Answer AnswerOfPromql(const std::string& text, int64_t step_ms) {
    const auto expression = promql::ParseQuery(text);
    EXPECT_OK(expression.status()) << text;
    if (!expression.ok()) return {};
    // The first multiple of the step.
    const int64_t start_ms = (kFromMs + step_ms - 1) / step_ms * step_ms;
    const promql::Steps steps{.start_ms = start_ms,
                              .step_ms = step_ms,
                              .count = static_cast<size_t>((kToMs - start_ms) / step_ms) + 1};
    QueryControl control;
    const auto memory_account = tsdb().queries().LeaseQueryMemory(&control);
    MemoryHold memory(memory_account.get());
    StoreSource source(&reader(), {.deadline_ms = 0, .control = &control}, &memory);
    const auto result =
        promql::Evaluate(**expression, {.steps = steps, .memory = &memory}, &source);
    EXPECT_OK(result.status()) << text;
    if (!result.ok()) return {};
    Answer answer;
    for (const auto& series : std::get<promql::VectorResult>(result->value).series) {
      std::map<std::string, std::string> labels;
      for (const auto& [name, value] : series.labels.pairs()) {
        if (name != promql::kMetricName) labels[name] = value;
      }
      for (size_t i = 0; i < series.values.size(); ++i)
        AddValue(labels, steps.at(i), series.values[i], &answer);
    }
    return answer;
  }

  // Where two answers differ, from `from_ms` on; empty if they are equal.
  static std::string Difference(const Answer& a, const Answer& b, int64_t from_ms = kFromMs) {
    std::string text = MissingIn(b, a, from_ms, "only the first has") +
                       MissingIn(a, b, from_ms, "only the second has");
    if (!text.empty()) return text;
    for (const auto& [labels, values] : a) {
      for (auto value = values.lower_bound(from_ms); value != values.end(); ++value) {
        const double other = b.at(labels).at(value->first);
        const double scale = std::max({1.0, std::abs(value->second), std::abs(other)});
        if (!(std::abs(value->second - other) <= 1e-12 * scale))
          return fmt::format("{}@{}: {} and {}", labels, value->first, value->second, other);
      }
    }
    return "";
  }

  static size_t ValuesIn(const Answer& answer) {
    size_t count = 0;
    for (const auto& [labels, values] : answer)
      count += values.size();
    return count;
  }

  Random random_{20130101};

 private:
  static inline const std::vector<std::string> kHosts = {"web01", "Web02", "web03", "db.1",
                                                         "db_1",  "cache", "WEB01"};

  int64_t Random64(uint64_t bound) { return static_cast<int64_t>(random_.Below(bound)); }

  static bool IsGroupedBy(const SubQuery& query, std::string_view key) {
    return std::ranges::any_of(query.filters, [key](const TagFilterSpec& filter) {
      return filter.group_by && filter.tagk == key;
    });
  }

  static void AddValue(const std::map<std::string, std::string>& labels,
                       int64_t ms,
                       double value,
                       Answer* answer) {
    if (std::isnan(value)) return;
    std::string text;
    for (const auto& [name, label] : labels)
      text += fmt::format("{}={} ", name, label);
    (*answer)[text][ms] = value;
  }

  static std::string MissingIn(const Answer& b,
                               const Answer& a,
                               int64_t from_ms,
                               std::string_view what) {
    for (const auto& [labels, values] : a) {
      const auto found = b.find(labels);
      for (auto value = values.lower_bound(from_ms); value != values.end(); ++value) {
        if (found == b.end() || !found->second.contains(value->first))
          return fmt::format("{} {}@{}", what, labels, value->first);
      }
    }
    return "";
  }
};

}  // namespace hourcell
