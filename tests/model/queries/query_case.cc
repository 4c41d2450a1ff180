#include "tests/model/queries/query_case.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "engine/query/query_time.h"

namespace hourcell {
namespace {

constexpr std::string_view kNameKinds[] = {"metric", "tagk", "tagv"};

std::string TagsText(const NaiveTags& tags) {
  std::string text;
  for (const auto& [key, value] : tags)
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, value);
  return text;
}

std::string PointText(const CaseStep& step) {
  const std::string time =
      step.time.is_ms ? fmt::format("{}ms", step.time.ms) : fmt::format("{}s", step.time.ms / 1000);
  return step.value.is_integer() ? fmt::format("{}:{}", time, step.value.integer())
                                 : fmt::format("{}:{}f", time, step.value.floating());
}

std::string DownsampleText(const DownsampleSpec& spec) {
  constexpr std::string_view kFills[] = {"none", "nan", "null", "zero"};
  std::string text = spec.all ? "0all"
                              : fmt::format("{}{}{}", spec.count, DurationUnitName(spec.unit),
                                            spec.calendar ? "c" : "");
  text += fmt::format("-{}", AggregatorName(spec.function));
  if (spec.fill == FillPolicy::kZero && spec.fill_value != 0) {
    return text + fmt::format("-scalar({})", spec.fill_value);
  }
  return text + fmt::format("-{}", kFills[static_cast<size_t>(spec.fill)]);
}

std::string SubQueryText(const SubQuery& query) {
  std::string text = fmt::format(" agg={}", AggregatorName(query.aggregator));
  if (!query.metric.empty()) text += fmt::format(" metric={}", query.metric);
  for (const std::string& tsuid : query.tsuids)
    text += fmt::format(" tsuid={}", tsuid);
  for (const TagFilterSpec& filter : query.filters) {
    text += fmt::format(" filter={}:{}:{}:{}", filter.tagk, FilterTypeName(filter.type),
                        filter.filter, filter.group_by ? "g" : "");
  }
  if (query.explicit_tags) text += " explicit=1";
  for (const FunctionSpec& function : query.functions)
    text += fmt::format(" function={}", FunctionText(function));
  if (query.downsample.has_value()) {
    text += fmt::format(" down={}", DownsampleText(*query.downsample));
    if (query.downsample->calendar) {
      text += fmt::format(" tz={}", query.downsample->timezone.name());
    }
  }
  if (query.rate.has_value()) {
    const std::string_view kind = !query.rate->counter      ? "plain"
                                  : query.rate->drop_resets ? "dropcounter"
                                                            : "counter";
    text += fmt::format(" rate={},{},{}", kind, query.rate->counter_max, query.rate->reset_value);
  }
  return text;
}

// The non-empty parts between separators; there are several separators.
std::vector<std::string_view> Split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(separators), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

int64_t NumberOf(std::string_view text) {
  int64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  HOURCELL_CHECK(parsed.ec == std::errc() && parsed.ptr == text.data() + text.size());
  return number;
}

// The text before the first separator, and the text after it.
std::pair<std::string_view, std::string_view> SplitFirst(std::string_view text, char separator) {
  const size_t at = text.find(separator);
  HOURCELL_CHECK(at != std::string_view::npos);
  return {text.substr(0, at), text.substr(at + 1)};
}

NaiveTags ParseTags(std::string_view text) {
  NaiveTags tags;
  for (const std::string_view tag : Split(text, ",")) {
    const auto [key, value] = SplitFirst(tag, '=');
    tags.emplace(key, value);
  }
  return tags;
}

Timestamp ParseTime(std::string_view text) {
  if (text.ends_with("ms")) {
    return {.ms = NumberOf(text.substr(0, text.size() - 2)), .is_ms = true};
  }
  HOURCELL_CHECK(text.ends_with('s'));
  return {.ms = NumberOf(text.substr(0, text.size() - 1)) * 1000, .is_ms = false};
}

Value ParseValue(std::string_view text) {
  if (!text.ends_with('f')) return Value::Integer(NumberOf(text));
  return Value::Float(std::strtod(std::string(text).c_str(), nullptr));
}

RateSpec ParseRate(std::string_view text) {
  const auto [kind, limits] = SplitFirst(text, ',');
  const auto [maximum, reset] = SplitFirst(limits, ',');
  return {.counter = kind != "plain",
          .counter_max = NumberOf(maximum),
          .reset_value = NumberOf(reset),
          .drop_resets = kind == "dropcounter"};
}

TagFilterSpec ParseFilter(std::string_view text) {
  const auto [tagk, rest] = SplitFirst(text, ':');
  const auto [type_name, filter] = SplitFirst(rest, ':');
  const auto [pattern, group_by] = SplitFirst(filter, ':');
  const auto type = ParseFilterType(type_name);
  HOURCELL_CHECK(type.ok());
  return {.tagk = std::string(tagk),
          .type = *type,
          .filter = std::string(pattern),
          .group_by = group_by == "g"};
}

void SetOfSubQuery(std::string_view name, std::string_view value, SubQuery* query) {
  if (name == "metric") {
    query->metric = value;
  } else if (name == "tsuid") {
    query->tsuids.emplace_back(value);
  } else if (name == "filter") {
    query->filters.push_back(ParseFilter(value));
  } else if (name == "function") {
    const auto function = ParseFunctionSpec(value);
    HOURCELL_CHECK(function.ok());
    query->functions.push_back(*function);
  } else if (name == "explicit") {
    query->explicit_tags = true;
  } else if (name == "down") {
    const auto downsample = ParseDownsampleSpec(value);
    HOURCELL_CHECK(downsample.ok());
    query->downsample = *downsample;
  } else if (name == "tz") {
    const auto zone = ParseTimezone(value);
    HOURCELL_CHECK(zone.ok());
    query->downsample->timezone = *zone;
  } else {
    HOURCELL_CHECK(name == "rate");
    query->rate = ParseRate(value);
  }
}

}  // namespace

std::string ToText(const QueryCase& stored) {
  std::string text =
      fmt::format("store salt={}/{} cells={}", stored.salt_width, stored.salt_buckets,
                  stored.cells == CellEncoding::kPacked ? "packed" : "opentsdb");
  if (stored.day_points != QueryCase().day_points) {
    text += fmt::format(" days={}", stored.day_points);
  }
  if (stored.regions != CaseRegions::kOne) {
    text +=
        fmt::format(" regions={}", stored.regions == CaseRegions::kEight ? "eight" : "changing");
  }
  const std::pair<UidKind, std::string>* last_name = nullptr;
  for (const auto& name : stored.names) {
    if (last_name == nullptr || last_name->first != name.first) {
      text += fmt::format("\nnames {}", kNameKinds[static_cast<size_t>(name.first)]);
    }
    text += fmt::format(" {}", name.second);
    last_name = &name;
  }
  const CaseStep* last = nullptr;
  for (const CaseStep& step : stored.steps) {
    if (step.kind == CaseStep::Kind::kSeal) {
      text += "\nseal";
    } else if (step.kind == CaseStep::Kind::kFlush) {
      text += "\nflush";
    } else {
      if (last == nullptr || last->kind != CaseStep::Kind::kPut || last->metric != step.metric ||
          last->tags != step.tags) {
        text += fmt::format("\nput {} {}", step.metric, TagsText(step.tags));
      }
      text += fmt::format(" {}", PointText(step));
    }
    last = &step;
  }
  return text + "\n";
}

std::string ToText(const QuerySpec& spec) {
  std::string text = fmt::format("query start={} end={}", spec.start_ms, spec.end_ms);
  if (spec.keep_scanned) text += " keep=1";
  for (const SubQuery& query : spec.queries)
    text += SubQueryText(query);
  return text + "\n";
}

QueryCase ParseCase(std::string_view text) {
  QueryCase stored;
  for (const std::string_view line : Split(text, "\n")) {
    const std::vector<std::string_view> words = Split(line, " ");
    if (words.empty()) continue;
    if (words[0] == "store") {
      const auto [width, buckets] = SplitFirst(SplitFirst(words.at(1), '=').second, '/');
      stored.salt_width = static_cast<size_t>(NumberOf(width));
      stored.salt_buckets = static_cast<uint32_t>(NumberOf(buckets));
      stored.cells =
          words.at(2) == "cells=packed" ? CellEncoding::kPacked : CellEncoding::kOpenTsdb;
      for (size_t i = 3; i < words.size(); ++i) {
        const auto [name, value] = SplitFirst(words[i], '=');
        if (name == "days") {
          stored.day_points = static_cast<uint32_t>(NumberOf(value));
        } else {
          stored.regions = value == "eight" ? CaseRegions::kEight : CaseRegions::kChanging;
        }
      }
    } else if (words[0] == "names") {
      const UidKind kind = words.at(1) == "metric" ? UidKind::kMetric
                           : words.at(1) == "tagk" ? UidKind::kTagk
                                                   : UidKind::kTagv;
      for (size_t i = 2; i < words.size(); ++i)
        stored.names.emplace_back(kind, words[i]);
    } else if (words[0] == "put") {
      for (size_t i = 3; i < words.size(); ++i) {
        const auto [time, value] = SplitFirst(words[i], ':');
        stored.steps.push_back({.metric = std::string(words[1]),
                                .tags = ParseTags(words[2]),
                                .time = ParseTime(time),
                                .value = ParseValue(value)});
      }
    } else {
      HOURCELL_CHECK(words[0] == "seal" || words[0] == "flush");
      stored.steps.push_back(
          {.kind = words[0] == "seal" ? CaseStep::Kind::kSeal : CaseStep::Kind::kFlush});
    }
  }
  return stored;
}

QuerySpec ParseQuery(std::string_view text) {
  QuerySpec spec;
  for (const std::string_view word : Split(text, " \n")) {
    if (word == "query") continue;
    const auto [name, value] = SplitFirst(word, '=');
    if (name == "start") {
      spec.start_ms = NumberOf(value);
    } else if (name == "end") {
      spec.end_ms = NumberOf(value);
    } else if (name == "keep") {
      spec.keep_scanned = true;
    } else if (name == "agg") {
      const auto aggregator = ParseAggregator(value);
      HOURCELL_CHECK(aggregator.ok());
      spec.queries.emplace_back().aggregator = *aggregator;
    } else {
      SetOfSubQuery(name, value, &spec.queries.back());
    }
  }
  return spec;
}

}  // namespace hourcell
