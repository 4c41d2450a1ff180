#include "tests/engine/query/query_evaluator.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include <absl/status/status.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "engine/query/query_time.h"
#include "engine/query/stages/aggregate.h"
#include "engine/query/stages/downsampler.h"
#include "engine/query/stages/group_by.h"
#include "engine/query/stages/rate.h"
#include "engine/query/stages/scan_bounds.h"
#include "engine/query/stages/tag_filter.h"

namespace hourcell {
namespace {

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

int64_t NumberOf(std::string_view text) {
  int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  HOURCELL_CHECK(parsed.ec == std::errc());
  return number;
}

// "rate", "rate{counter,100,35}", "rate{dropcounter,,0}"
RateSpec ParseRate(std::string_view text) {
  RateSpec spec;
  const size_t open = text.find('{');
  if (open == std::string_view::npos) return spec;
  const auto parts = Split(text.substr(open + 1, text.size() - open - 2), ',');
  spec.counter = parts[0].ends_with("counter");
  spec.drop_resets = parts[0] == "dropcounter";
  if (parts.size() > 1 && !parts[1].empty()) spec.counter_max = NumberOf(parts[1]);
  if (parts.size() > 2 && !parts[2].empty()) spec.reset_value = NumberOf(parts[2]);
  return spec;
}

// "metric{host=*,dc=lga}"
absl::Status ParseMetric(std::string_view text, SubQuery* query) {
  const size_t open = text.find('{');
  query->metric = std::string(text.substr(0, open));
  if (open == std::string_view::npos) return absl::OkStatus();
  for (const auto pair : Split(text.substr(open + 1, text.size() - open - 2), ',')) {
    const size_t equals = pair.find('=');
    HOURCELL_ASSIGN_OR_RETURN(
        TagFilterSpec filter,
        ParseTagValueFilter(pair.substr(0, equals), pair.substr(equals + 1), /*group_by=*/true));
    query->filters.push_back(std::move(filter));
  }
  return absl::OkStatus();
}

absl::StatusOr<SubQuery> ParseSubQuery(std::string_view m) {
  SubQuery query;
  const auto parts = Split(m, ':');
  HOURCELL_ASSIGN_OR_RETURN(query.aggregator, ParseAggregator(parts.front()));
  for (size_t i = 1; i + 1 < parts.size(); ++i) {
    if (parts[i].starts_with("rate")) {
      query.rate = ParseRate(parts[i]);
    } else if (parts[i] == "explicit_tags") {
      query.explicit_tags = true;
    } else {
      HOURCELL_ASSIGN_OR_RETURN(query.downsample, ParseDownsampleSpec(parts[i]));
    }
  }
  HOURCELL_RETURN_IF_ERROR(ParseMetric(parts.back(), &query));
  return query;
}

// UIDs in the order in which names are first used.
class QueryCaseNames {
 public:
  Uid UidOf(const std::string& name) {
    const auto [found, is_new] = uids_.try_emplace(name, names_.size() + 1);
    if (is_new) names_.push_back(name);
    return found->second;
  }
  const std::string& NameOf(Uid uid) const { return names_[uid - 1]; }

 private:
  std::map<std::string, Uid> uids_;
  std::vector<std::string> names_;
};

bool Passes(const StoredSeries& series,
            const SubQuery& query,
            const std::vector<TagFilter>& filters) {
  if (series.metric != query.metric) return false;
  if (query.explicit_tags && !filters.empty() && series.tags.size() != filters.size()) return false;
  return std::all_of(filters.begin(), filters.end(), [&](const TagFilter& filter) {
    return std::any_of(series.tags.begin(), series.tags.end(), [&](const auto& tag) {
      return tag.first == filter.spec().tagk && filter.Matches(tag.second);
    });
  });
}

// The scanned points of a series, downsampled and as a rate.
Span PrepareSpan(const StoredSeries& series, const SubQuery& query, const QueryRange& range) {
  Span span;
  const auto end_ms = static_cast<int64_t>(range.scan.end_s) * 1000;
  for (const auto& [timestamp, value] : series.points) {
    if (timestamp.ms < int64_t{range.scan.begin_s} * 1000 || timestamp.ms >= end_ms) continue;
    span.push_back(timestamp.ms, value);
  }
  if (query.downsample.has_value()) span = Downsample(span, *query.downsample, range);
  if (query.rate.has_value()) span = Rate(span, *query.rate);
  return span;
}

absl::StatusOr<ResultSeries> EvaluateGroup(const std::vector<Span>& members,
                                           const SubQuery& query,
                                           const QueryRange& range) {
  ResultSeries result;
  result.metric = query.metric;
  Span merged = members.front();
  if (query.aggregator != Aggregator::kNone) {
    HOURCELL_ASSIGN_OR_RETURN(merged,
                              AggregateSpans(members, query.aggregator, query.rate.has_value(),
                                             static_cast<int64_t>(range.scan.end_s) * 1000));
  }
  for (size_t i = 0; i < merged.size(); ++i) {
    if (merged.t[i] < range.start_ms || merged.t[i] > range.end_ms) continue;
    result.points.push_back({.ms = merged.t[i], .value = merged.value(i)});
  }
  return result;
}

}  // namespace

absl::StatusOr<ParsedRequest> ParseRequest(std::string_view http) {
  constexpr std::string_view kPath = "GET /api/query?";
  HOURCELL_CHECK(http.starts_with(kPath));
  ParsedRequest request;
  for (const auto parameter : Split(http.substr(kPath.size()), '&')) {
    const size_t equals = parameter.find('=');
    const auto name = parameter.substr(0, equals);
    const auto value = parameter.substr(equals + 1);
    if (name == "start") {
      HOURCELL_ASSIGN_OR_RETURN(request.spec.start_ms, ParseQueryTime(value, "", 0));
    } else if (name == "end") {
      HOURCELL_ASSIGN_OR_RETURN(request.spec.end_ms, ParseQueryTime(value, "", 0));
    } else if (name == "m") {
      HOURCELL_ASSIGN_OR_RETURN(SubQuery query, ParseSubQuery(value));
      request.spec.queries.push_back(std::move(query));
    } else {
      HOURCELL_CHECK(name == "ms");
      request.milliseconds = true;
    }
  }
  return request;
}

Span SpanOf(const StoredSeries& series) {
  Span span;
  for (const auto& [timestamp, value] : series.points)
    span.push_back(timestamp.ms, value);
  return span;
}

absl::StatusOr<std::vector<ResultSeries>> Evaluate(const QuerySpec& spec,
                                                   const std::vector<StoredSeries>& store) {
  const SubQuery& query = spec.queries.at(0);
  const QueryRange range{
      .start_ms = spec.start_ms,
      .end_ms = spec.end_ms,
      .scan = ComputeScanBounds(kHourSpan, spec.start_ms, spec.end_ms, query.downsample)};
  std::vector<TagFilter> filters;
  std::vector<Uid> group_by;
  QueryCaseNames names;
  for (const TagFilterSpec& filter_spec : query.filters) {
    HOURCELL_ASSIGN_OR_RETURN(TagFilter filter, TagFilter::Compile(filter_spec));
    filters.push_back(std::move(filter));
    if (filter_spec.group_by) group_by.push_back(names.UidOf(filter_spec.tagk));
  }

  TagsColumn uids;
  std::vector<uint32_t> all;
  std::vector<Span> spans;
  for (const StoredSeries& series : store) {
    if (!Passes(series, query, filters)) continue;
    std::vector<TagUids> tags;
    for (const auto& [key, value] : series.tags)
      tags.push_back({.tagk = names.UidOf(key), .tagv = names.UidOf(value)});
    all.push_back(static_cast<uint32_t>(uids.size()));
    uids.push_back(tags);
    spans.push_back(PrepareSpan(series, query, range));
  }

  std::vector<ResultSeries> results;
  const SeriesGroups groups =
      GroupSeries(uids, all, group_by, query.aggregator == Aggregator::kNone);
  for (size_t i = 0; i < groups.size(); ++i) {
    std::vector<Span> members;
    for (const uint32_t member : groups[i])
      members.push_back(spans[member]);
    HOURCELL_ASSIGN_OR_RETURN(ResultSeries result, EvaluateGroup(members, query, range));
    GroupTags tags;
    TagsOfGroup(uids, groups[i], &tags);
    for (const TagUids& tag : tags.common) {
      result.tags.emplace_back(names.NameOf(tag.tagk), names.NameOf(tag.tagv));
    }
    for (const Uid tagk : tags.aggregated)
      result.aggregate_tags.push_back(names.NameOf(tagk));
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace hourcell
