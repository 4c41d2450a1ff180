// ListSource: series in memory as a source of PromQL, written as Prometheus' own tests write them.
//
//   ListSource source;
//   source.Load(60'000, R"(m{a="1"} 0+10x5 _ stale 7)");  // 0, 10, ..., 50, none, stale, 7

#pragma once

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <re2/re2.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "promql/series_source.h"
#include "promql/values/number_text.h"

namespace hourcell::promql {

// Reads {a="1", b="2"} or m{a="1"} or m at the start of `*text`, and removes it.
inline Labels TakeLabels(std::string_view* text) {
  std::vector<Labels::Pair> pairs;
  const size_t name_end = text->find_first_of("{ \t");
  if (const std::string_view name = text->substr(0, name_end); !name.empty())
    pairs.emplace_back(kMetricName, name);
  text->remove_prefix(std::min(name_end, text->size()));
  if (!text->starts_with('{')) return Labels(std::move(pairs));
  text->remove_prefix(1);
  for (;;) {
    text->remove_prefix(std::min(text->find_first_not_of(", "), text->size()));
    if (text->starts_with('}')) break;
    const size_t equals = text->find('=');
    HOURCELL_CHECK(equals != text->npos && text->substr(equals + 1, 1) == "\"");
    std::string name(text->substr(0, equals));
    std::string value;
    size_t i = equals + 2;
    for (; (*text)[i] != '"'; ++i) {
      if ((*text)[i] == '\\') ++i;
      value += (*text)[i];
    }
    pairs.emplace_back(std::move(name), std::move(value));
    text->remove_prefix(i + 1);
  }
  text->remove_prefix(1);
  return Labels(std::move(pairs));
}

// The labels of a text as above.
inline Labels LabelsOf(std::string_view text) {
  return TakeLabels(&text);
}

class ListSource final : public SeriesSource {
 public:
  // Adds a series with a point each `interval_ms` from 0 on.
  void Load(int64_t interval_ms, std::string_view text) {
    SeriesPoints series{.labels = TakeLabels(&text), .times = {}, .values = {}};
    int64_t time = 0;
    std::istringstream words{std::string(text)};
    for (std::string word; words >> word;) {
      for (const double value : ValuesOf(word)) {
        if (!IsNoValue(value)) {
          series.times.push_back(time);
          series.values.push_back(value);
        }
        time += interval_ms;
      }
    }
    Add(std::move(series));
  }
  // Adds a series with a histogram each `interval_ms` from 0 on; null: none.
  void LoadHistograms(int64_t interval_ms,
                      std::string_view labels,
                      const std::vector<HistogramPointer>& histograms) {
    SeriesPoints series{.labels = LabelsOf(labels), .times = {}, .values = {}};
    for (size_t i = 0; i < histograms.size(); ++i) {
      if (histograms[i] == nullptr) continue;
      series.times.push_back(static_cast<int64_t>(i) * interval_ms);
      series.values.push_back(kHistogram);
      series.histograms.push_back(histograms[i]);
    }
    Add(std::move(series));
  }
  // Points of labels that are there already are added to them.
  void Add(SeriesPoints series) {
    const auto found = std::ranges::find(series_, series.labels, &SeriesPoints::labels);
    if (found == series_.end()) {
      series_.push_back(std::move(series));
      return;
    }
    const bool has_histograms = !found->histograms.empty() || !series.histograms.empty();
    found->histograms.resize(has_histograms ? found->times.size() : 0);
    series.histograms.resize(has_histograms ? series.times.size() : 0);
    std::ranges::copy(series.histograms, std::back_inserter(found->histograms));
    std::ranges::copy(series.times, std::back_inserter(found->times));
    std::ranges::copy(series.values, std::back_inserter(found->values));
  }
  void Clear() { series_.clear(); }
  const std::vector<SeriesPoints>& series() const { return series_; }
  const std::vector<std::pair<int64_t, int64_t>>& reads() const { return reads_; }

  absl::Status Read(
      const SeriesRequest& request,
      absl::FunctionRef<absl::Status(const Labels& labels, PointsView points)> visit) override {
    reads_.emplace_back(request.start_ms, request.end_ms);
    for (const SeriesPoints& series : series_) {
      const bool matches = std::ranges::all_of(
          request.matchers, [&](const LabelMatcher& matcher) { return Matches(series, matcher); });
      if (!matches) continue;
      const auto begin = static_cast<size_t>(
          std::ranges::lower_bound(series.times, request.start_ms) - series.times.begin());
      const auto end = static_cast<size_t>(std::ranges::upper_bound(series.times, request.end_ms) -
                                           series.times.begin());
      if (begin >= end) continue;
      const PointsView all = series.view();
      PointsView points{.times = all.times.subspan(begin, end - begin),
                        .values = all.values.subspan(begin, end - begin)};
      if (!all.histograms.empty()) points.histograms = all.histograms.subspan(begin, end - begin);
      HOURCELL_RETURN_IF_ERROR(visit(series.labels, points));
    }
    return absl::OkStatus();
  }

 private:
  static bool Matches(const SeriesPoints& series, const LabelMatcher& matcher) {
    const std::string_view value = series.labels.Get(matcher.name);
    switch (matcher.op) {
      case MatchOperator::kEqual:
        return value == matcher.value;
      case MatchOperator::kNotEqual:
        return value != matcher.value;
      case MatchOperator::kRegexp:
        return RE2::FullMatch(std::string(value), matcher.value);
      case MatchOperator::kNotRegexp:
        return !RE2::FullMatch(std::string(value), matcher.value);
    }
    return false;
  }

  static double NumberOf(std::string_view text) {
    double value = 0;
    HOURCELL_CHECK(ParseNumber(text, &value));
    return value;
  }

  // 5, 5x3 (four times 5), 0+10x3, _ (none), _x3, stale.
  static std::vector<double> ValuesOf(std::string_view word) {
    size_t repeats = 0;
    if (const size_t at = word.rfind('x'); at != word.npos) {
      const std::string_view count = word.substr(at + 1);
      std::from_chars(count.data(), count.data() + count.size(), repeats);
      word = word.substr(0, at);
      if (word == "_") --repeats;
    }
    if (word == "_") return std::vector<double>(repeats + 1, kNoValue);
    if (word == "stale") return std::vector<double>(repeats + 1, kStale);
    size_t sign = 1;
    while (sign < word.size() &&
           !((word[sign] == '+' || word[sign] == '-') && word[sign - 1] != 'e'))
      ++sign;
    double value = NumberOf(word.substr(0, sign));
    const double step = sign < word.size() ? NumberOf(word.substr(sign)) : 0;
    std::vector<double> values = {value};
    for (size_t i = 0; i < repeats; ++i)
      values.push_back(value += step);
    return values;
  }

  std::vector<SeriesPoints> series_;
  std::vector<std::pair<int64_t, int64_t>> reads_;  // the range of each Read
};

}  // namespace hourcell::promql
