#include "tests/http/inputs/promql_answer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>
#include <simdjson.h>

namespace hourcell {
namespace {

using AnswerPoints = std::vector<std::pair<double, std::string>>;

std::pair<double, std::string> PointOf(simdjson::dom::element point) {
  double seconds = 0;
  std::string_view value;
  if (point.at(0).get(seconds) || point.at(1).get(value)) return {0, "not a point"};
  return {seconds, std::string(value)};
}

// Adds the numbers of a histogram to their series.
void AddHistogram(const std::string& labels, simdjson::dom::element point, PromqlAnswer* answer) {
  double seconds = 0;
  simdjson::dom::element histogram;
  if (point.at(0).get(seconds) || point.at(1).get(histogram)) {
    answer->series[labels].emplace_back(0, "not a histogram");
    return;
  }
  for (const std::string_view name : {"count", "sum"}) {
    std::string_view value;
    if (histogram[name].get(value)) value = "none";
    answer->series[labels + std::string(name)].emplace_back(seconds, value);
  }
  simdjson::dom::array buckets;
  if (histogram["buckets"].get(buckets)) return;
  for (const simdjson::dom::element bucket : buckets) {
    const std::string bounds =
        fmt::format("{} {},{}", int64_t(bucket.at(0)), std::string_view(bucket.at(1)),
                    std::string_view(bucket.at(2)));
    answer->series[labels + bounds].emplace_back(seconds, std::string_view(bucket.at(3)));
  }
}

bool AreAlike(const std::string& got, const std::string& want, const PromqlTolerance& tolerance) {
  if (got == want) return true;
  const double a = std::strtod(got.c_str(), nullptr);
  const double b = std::strtod(want.c_str(), nullptr);
  if (!std::isfinite(a) || !std::isfinite(b)) return false;
  return std::abs(a - b) <=
         std::max(tolerance.relative * std::max(std::abs(a), std::abs(b)), tolerance.absolute);
}

std::string DifferenceOfPoints(const AnswerPoints& got,
                               const AnswerPoints& want,
                               const PromqlTolerance& tolerance) {
  for (size_t i = 0; i < std::min(got.size(), want.size()); ++i) {
    if (got[i].first != want[i].first) {
      return fmt::format("a point at {:.3f}, not at {:.3f}", got[i].first, want[i].first);
    }
    if (!AreAlike(got[i].second, want[i].second, tolerance)) {
      return fmt::format("at {:.3f}: {}, not {}", want[i].first, got[i].second, want[i].second);
    }
  }
  if (got.size() == want.size()) return "";
  return fmt::format("{} points, not {}", got.size(), want.size());
}

}  // namespace

PromqlAnswer PromqlAnswerOf(const std::string& body) {
  PromqlAnswer answer;
  simdjson::dom::parser parser;
  simdjson::dom::element response;
  simdjson::dom::element data;
  std::string_view text;
  if (parser.parse(body).get(response)) return answer;
  if (!response["errorType"].get(text)) answer.error = text;
  if (response["data"].get(data) || data["resultType"].get(text)) return answer;
  answer.type = text;
  if (answer.type == "scalar" || answer.type == "string") {
    answer.series[""].push_back(PointOf(data["result"]));
    return answer;
  }
  for (const simdjson::dom::element series : data["result"].get_array()) {
    std::map<std::string, std::string> labels;
    for (const auto& [name, value] : series["metric"].get_object())
      labels.emplace(name, std::string_view(value));
    std::string key;
    for (const auto& [name, value] : labels)
      key += fmt::format("{}={};", name, value);
    simdjson::dom::element value;
    simdjson::dom::array list;
    if (!series["value"].get(value)) answer.series[key].push_back(PointOf(value));
    if (!series["histogram"].get(value)) AddHistogram(key, value, &answer);
    if (!series["values"].get(list)) {
      AnswerPoints& points = answer.series[key];
      for (const simdjson::dom::element point : list)
        points.push_back(PointOf(point));
    }
    if (!series["histograms"].get(list)) {
      for (const simdjson::dom::element point : list)
        AddHistogram(key, point, &answer);
    }
  }
  return answer;
}

std::string PromqlDifference(const PromqlAnswer& got,
                             const PromqlAnswer& want,
                             const PromqlTolerance& tolerance) {
  if (got.type != want.type || got.error != want.error) {
    return fmt::format("\"{}\" {}, not \"{}\" {}", got.type, got.error, want.type, want.error);
  }
  if (got.type.empty() && got.error.empty()) return "no answer";
  for (const auto& [labels, points] : got.series) {
    if (!want.series.contains(labels)) return fmt::format("too many: {{{}}}", labels);
  }
  for (const auto& [labels, points] : want.series) {
    const auto found = got.series.find(labels);
    if (found == got.series.end()) return fmt::format("missing: {{{}}}", labels);
    const std::string difference = DifferenceOfPoints(found->second, points, tolerance);
    if (!difference.empty()) return fmt::format("{{{}}} {}", labels, difference);
  }
  return "";
}

}  // namespace hourcell
