#include "tests/model/steps/step_checker.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "engine/region_admin.h"
#include "engine/salt_admin.h"
#include "tests/model/queries/answer_difference.h"
#include "tests/model/queries/query_case.h"
#include "tests/support/times.h"

namespace hourcell {
namespace {

std::string TextOf(Value value) {
  if (value.is_integer()) return fmt::format("{}", value.integer());
  // The sign of a zero and the bits of a NaN are not always specified.
  return fmt::format("{:a}f", value.floating() == 0 ? 0.0 : value.floating());
}

std::string TextOf(const std::string& metric, const NaiveTags& tags) {
  std::string text = metric;
  for (const auto& [key, value] : tags)
    text += fmt::format(" {}={}", key, value);
  return text;
}

NaiveTags TagsOf(std::span<const TagView> tags) {
  NaiveTags by_name;
  for (const TagView& tag : tags)
    by_name.emplace(tag.key, tag.value);
  return by_name;
}

std::string TextOf(const QueryResult& result) {
  std::string text;
  for (const ResultSeries& series : result.series) {
    text += fmt::format("{} {}", series.query_index, series.metric);
    std::vector<std::pair<std::string, std::string>> tags = series.tags;
    std::ranges::sort(tags);
    for (const auto& [key, value] : tags)
      text += fmt::format(" {}={}", key, value);
    for (const ResultPoint& point : series.points)
      text += fmt::format(" {}:{}", point.ms, TextOf(point.value));
    text += "\n";
  }
  return text;
}

// A fault if the status is not one of the expected.
std::string StatusFault(std::string_view what, const absl::Status& got, absl::StatusCode want) {
  if (got.code() == want) return "";
  return fmt::format("{}: expected {}, got {}", what, absl::StatusCodeToString(want),
                     got.ToString());
}

ComparedAnswer Compare(std::string_view what, std::string got, const std::string& want) {
  ComparedAnswer answer;
  if (got != want) answer.fault = fmt::format("{}: got\n{}\nwant\n{}", what, got, want);
  answer.text = std::move(got);
  return answer;
}

bool IsAny(const std::string& text) {
  return text.empty() || text == "*";
}

// Series with their points, as text.
using ShownSeries = std::map<std::string, std::map<int64_t, NaivePoint>>;

std::string TextOf(const ShownSeries& shown) {
  std::string text;
  for (const auto& [series, points] : shown) {
    if (points.empty()) continue;
    text += series + ":";
    for (const auto& [ms, point] : points)
      text += fmt::format(" {}{}:{}", ms, point.is_ms ? "ms" : "", TextOf(point.value));
    text += "\n";
  }
  return text;
}

std::string TextOf(const Annotation& note) {
  return fmt::format("{} {}-{} '{}' '{}'", note.tsuid, note.start_time, note.end_time,
                     note.description, note.notes);
}

}  // namespace

StepWorld::TsuidOf StepChecker::TsuidOf() const {
  return [this](const WorldSeries& series) { return model_.TsuidOf(series); };
}

ComparedAnswer StepChecker::Query(const ModelStep& step) const {
  QuerySpec spec = world_.QueryOf(step.n[0], TsuidOf());
  spec.read_method = static_cast<ReadMethod>(step.n[1] % 4);
  spec.read_division = static_cast<ReadDivision>(step.n[1] / 4 % 2);
  const NaiveAnswer want = model_.points().Query(spec);
  auto got = tsdb_.queries().Query(spec);
  // Another one is quick first: it gives the same answer, or none.
  if (step.n[1] / 8 % 2 == 1) {
    QuerySpec quick = spec;
    quick.quick =
        QuickBounds{.series = 1000, .rows = 1000, .points = 10'000'000, .bytes = 64 << 20};
    if (auto at_once = tsdb_.queries().Query(quick); !absl::IsAborted(at_once.status())) {
      got = std::move(at_once);
    }
  }
  ComparedAnswer answer;
  answer.text = got.ok() ? TextOf(*got) : "an error";
  answer.fault = AnswerDifference(spec, want, std::move(got));
  if (!answer.fault.empty()) answer.fault += "\n" + ToText(spec);
  return answer;
}

std::optional<std::vector<std::string>> StepChecker::WithTags(
    const std::string& metric, const std::vector<TagMatch>& tags) const {
  if (!IsAny(metric) && !model_.HasName(UidKind::kMetric, metric)) return std::nullopt;
  std::map<std::string, std::vector<std::string>> values_of;  // by key, empty for any
  for (const TagMatch& tag : tags) {
    if (!IsAny(tag.tagk) && !model_.HasName(UidKind::kTagk, tag.tagk)) return std::nullopt;
    if (!IsAny(tag.tagv) && !model_.HasName(UidKind::kTagv, tag.tagv)) return std::nullopt;
    values_of[IsAny(tag.tagk) ? "" : tag.tagk].push_back(tag.tagv);
  }
  const auto fits = [&](const NaiveSeries& series, const auto& key_and_values) {
    const auto& [key, values] = key_and_values;
    return std::ranges::any_of(series.tags, [&](const auto& tag) {
      if (!key.empty() && tag.first != key) return false;
      return std::ranges::any_of(
          values, [&](const std::string& value) { return IsAny(value) || value == tag.second; });
    });
  };
  std::vector<std::string> tsuids;
  for (const auto& [tsuid, series] : model_.points().series()) {
    if (!IsAny(metric) && series.metric != metric) continue;
    const bool fits_all =
        std::ranges::all_of(values_of, [&](const auto& one) { return fits(series, one); });
    if (fits_all) tsuids.push_back(tsuid);
  }
  return tsuids;
}

ComparedAnswer StepChecker::Last(const ModelStep& step) const {
  const LastQuery query = world_.LastQueryOf(step.n[0], TsuidOf());
  std::string got;
  const absl::Status read = tsdb_.queries().LastPoints(query, [&](const LastPoint& last) {
    const NaiveTags tags = TagsOf(last.series.tags);
    got += fmt::format("{} {} {}:{}\n", ToUpperHex(last.series.tsuid),
                       TextOf(std::string(last.series.metric), tags), last.ms, TextOf(last.value));
  });
  std::set<std::string> selected;
  bool is_known = true;
  for (const LastSubQuery& one : query.queries) {
    const auto tsuids =
        one.tsuids.empty() ? WithTags(one.metric, one.tags) : std::optional(one.tsuids);
    is_known = is_known && tsuids.has_value();
    if (tsuids.has_value()) selected.insert(tsuids->begin(), tsuids->end());
  }
  if (!is_known) return {StatusFault("last", read, absl::StatusCode::kNotFound), "unknown"};
  if (!read.ok()) return {StatusFault("last", read, absl::StatusCode::kOk), "an error"};
  const int64_t from_ms =
      query.back_hours == 0 ? 0 : now_ms_ / kHourMs * kHourMs - query.back_hours * kHourMs;
  std::string want;
  std::string text;
  for (const std::string& tsuid : selected) {
    const auto found = model_.points().series().find(tsuid);
    if (found == model_.points().series().end()) continue;
    const NaiveSeries& series = found->second;
    // To the end of the present hour.
    const auto after = series.points.lower_bound((now_ms_ / kHourMs + 1) * kHourMs);
    if (after == series.points.begin()) continue;
    const auto at = std::prev(after);
    if (at->first < from_ms) continue;
    const std::string names = query.resolve ? TextOf(series.metric, series.tags) : "";
    const std::string point = fmt::format("{}:{}\n", at->first, TextOf(at->second.value));
    want += fmt::format("{} {} {}", tsuid, names, point);
    text += fmt::format("{} {}", names, point);
  }
  ComparedAnswer answer = Compare("last", std::move(got), want);
  answer.text = std::move(text);
  return answer;
}

ComparedAnswer StepChecker::Scan(const ModelStep& step) const {
  return Scan(world_.ScanOf(step.n[0]));
}

ComparedAnswer StepChecker::Scan(const ScanSpec& spec) const {
  ShownSeries shown;
  std::string fault;
  const absl::Status scanned = tsdb_.queries().Scan(spec, [&](const ScannedRow& row) {
    auto& points = shown[TextOf(std::string(row.metric), TagsOf(row.tags))];
    for (size_t i = 0; i < row.times.size(); ++i) {
      const NaivePoint point{.value = row.point_values[i], .is_ms = row.times[i].is_ms};
      if (points.emplace(row.times[i].ms, point).second) continue;
      fault = fmt::format("scan: {} is shown twice", row.times[i].ms);
    }
    return true;
  });
  if (!fault.empty()) return {fault};
  SubQuery query;
  query.metric = spec.metric;
  query.filters = spec.filters;
  std::vector<std::string> all;
  for (const auto& [tsuid, series] : model_.points().series())
    all.push_back(tsuid);
  const auto selected = spec.metric.empty() ? std::optional(all) : model_.points().Select(query);
  if (!selected.has_value()) {
    return {StatusFault("scan", scanned, absl::StatusCode::kNotFound), "unknown"};
  }
  if (!scanned.ok()) return {StatusFault("scan", scanned, absl::StatusCode::kOk), "an error"};
  ShownSeries want;
  const int64_t begin_ms = std::max<int64_t>(spec.start_ms, 0) / kHourMs * kHourMs;
  const int64_t end_ms = (spec.end_ms / kHourMs + 1) * kHourMs;
  for (const std::string& tsuid : *selected) {
    const NaiveSeries& series = model_.points().series().at(tsuid);
    const auto begin = series.points.lower_bound(begin_ms);
    const auto end = series.points.lower_bound(end_ms);
    if (begin_ms < end_ms) want[TextOf(series.metric, series.tags)].insert(begin, end);
  }
  return Compare("scan", TextOf(shown), TextOf(want));
}

ComparedAnswer StepChecker::Suggest(const ModelStep& step) const {
  static const std::vector<std::string> prefixes = {"",  "w", "web", "WEB", "m",
                                                    "a", "h", "ä",   "zz",  "web01"};
  const UidKind kind = StepWorld::KindOf(step.n[0]);
  const std::string& prefix = prefixes[step.n[1] % prefixes.size()];
  const size_t max = step.n[2];
  const auto got = tsdb_.names().Suggest(kind, prefix, max);
  if (!got.ok()) return {StatusFault("suggest", got.status(), absl::StatusCode::kOk)};
  std::vector<std::string> want;
  for (const auto& [name, uid] : model_.NamesOf(kind)) {
    if (name.starts_with(prefix) && want.size() < max) want.push_back(name);
  }
  return Compare("suggest", fmt::format("{}", fmt::join(*got, " ")),
                 fmt::format("{}", fmt::join(want, " ")));
}

ComparedAnswer StepChecker::Find(UidKind kind, const std::string& name) const {
  const auto found = tsdb_.names().FindUid(kind, name);
  const auto known = model_.points().uids().find({kind, name});
  if (known == model_.points().uids().end()) {
    return {StatusFault("find " + name, found.status(), absl::StatusCode::kNotFound), "unknown"};
  }
  if (!found.ok()) return {StatusFault("find " + name, found.status(), absl::StatusCode::kOk)};
  const auto back =
      tsdb_.names().FindName(kind, LoadBigEndian(known->second.data(), known->second.size()));
  if (!back.ok()) return {StatusFault("name of " + name, back.status(), absl::StatusCode::kOk)};
  ComparedAnswer answer = Compare("find", ToUpperHex(found->uid_bytes) + " " + back->name,
                                  ToUpperHex(known->second) + " " + name);
  answer.text = name;
  return answer;
}

ComparedAnswer StepChecker::Grep(const ModelStep& step) const {
  struct Expression {
    const char* text;
    std::function<bool(const std::string&)> fits;
  };
  static const std::vector<Expression> expressions = {
      {"", [](const std::string&) { return true; }},
      {"eb0", [](const std::string& name) { return name.find("eb0") != std::string::npos; }},
      {"^a", [](const std::string& name) { return name.starts_with("a"); }},
      {"[.]", [](const std::string& name) { return name.find('.') != std::string::npos; }},
  };
  const UidKind kind = StepWorld::KindOf(step.n[1]);
  const Expression& expression = expressions[step.n[2] % expressions.size()];
  std::string got;
  const absl::Status found = tsdb_.names().GrepUids(
      kind, expression.text, /*ignore_case=*/false, [&got](const UidRow& row) {
        got += fmt::format("{} {}\n", row.name, ToUpperHex(row.uid_bytes));
        return true;
      });
  if (!found.ok()) return {StatusFault("grep", found, absl::StatusCode::kOk)};
  std::string want;
  std::string text;
  for (const auto& [name, uid] : model_.NamesOf(kind)) {
    if (!expression.fits(name)) continue;
    want += fmt::format("{} {}\n", name, ToUpperHex(uid));
    text += name + " ";
  }
  ComparedAnswer answer = Compare("grep", std::move(got), want);
  answer.text = std::move(text);
  return answer;
}

ComparedAnswer StepChecker::Lookup(const ModelStep& step) const {
  return Lookup(world_.LookupOf(step.n[0]));
}

ComparedAnswer StepChecker::Lookup(const LookupQuery& query) const {
  std::string got;
  const auto total = tsdb_.queries().LookupSeries(query, [&](const FoundSeries& series) {
    got += fmt::format("{} {}\n", ToUpperHex(series.tsuid),
                       TextOf(std::string(series.metric), TagsOf(series.tags)));
    return true;
  });
  const auto tsuids = WithTags(query.metric, query.tags);
  if (!tsuids.has_value()) {
    return {StatusFault("lookup", total.status(), absl::StatusCode::kNotFound), "unknown"};
  }
  if (!total.ok()) return {StatusFault("lookup", total.status(), absl::StatusCode::kOk)};
  got += fmt::format("of {}", *total);
  std::string want;
  uint64_t visited = 0;
  for (size_t i = query.start_index; i < tsuids->size(); ++i) {
    if (query.limit != 0 && visited == query.limit) break;
    const NaiveSeries& series = model_.points().series().at((*tsuids)[i]);
    want += fmt::format("{} {}\n", (*tsuids)[i], TextOf(series.metric, series.tags));
    ++visited;
  }
  want += fmt::format("of {}", tsuids->size());
  ComparedAnswer answer = Compare("lookup", std::move(got), want);
  answer.text = fmt::format("{} of {}", visited, tsuids->size());
  return answer;
}

ComparedAnswer StepChecker::ReadAnnotations(const ModelStep& step) const {
  std::string tsuid;
  if (step.n[0] < kWorldSeries) tsuid = model_.TsuidOf(StepWorld::SeriesOf(step.n[0])).value_or("");
  const int64_t ms = world_.MinuteMs(step.n[1]);
  const auto got = tsdb_.annotations().Get(tsuid, ms / 1000);
  if (!got.ok()) return {StatusFault("annotation", got.status(), absl::StatusCode::kOk)};
  const auto found = model_.annotations().find({tsuid, ms});
  const std::string want = found == model_.annotations().end() ? "none" : TextOf(found->second);
  ComparedAnswer answer = Compare("annotation", got->has_value() ? TextOf(**got) : "none", want);
  if (answer.fault.empty()) answer.fault = AnnotationsFault();
  answer.text = got->has_value() ? (*got)->description : "none";
  return answer;
}

std::string StepChecker::AnnotationsFault() const {
  std::set<std::string> got;
  const absl::Status visited = tsdb_.annotations().Visit([&](const Annotation& note) {
    got.insert(TextOf(note));
    return absl::OkStatus();
  });
  if (!visited.ok()) return StatusFault("annotations", visited, absl::StatusCode::kOk);
  std::set<std::string> want;
  for (const auto& [place, note] : model_.annotations())
    want.insert(TextOf(note));
  return Compare("annotations", fmt::format("{}", fmt::join(got, "\n")),
                 fmt::format("{}", fmt::join(want, "\n")))
      .fault;
}

ComparedAnswer StepChecker::All() const {
  ComparedAnswer answer = Scan(ScanSpec());
  if (answer.fault.empty()) answer.fault = Lookup(LookupQuery()).fault;
  for (const UidKind kind : kUidKinds) {
    if (!answer.fault.empty()) return answer;
    answer.fault = Grep({.kind = StepKind::kUid, .n = {2, static_cast<uint32_t>(kind)}}).fault;
  }
  if (answer.fault.empty()) answer.fault = AnnotationsFault();
  if (answer.fault.empty()) answer.fault = RestFault();
  return answer;
}

std::string StepChecker::RestFault() const {
  const auto ttls = tsdb_.retention().MetricTtls();
  if (!ttls.ok()) return StatusFault("ttls", ttls.status(), absl::StatusCode::kOk);
  std::map<std::string, int64_t> by_metric;
  for (const MetricTtl& ttl : *ttls)
    by_metric[ttl.metric] = ttl.ttl_s;
  if (by_metric != model_.ttls()) return "ttls: others than the model's";
  const absl::StatusOr<std::vector<SaltEpoch>> epochs = tsdb_.maintenance().salt()->Epochs();
  if (!epochs.ok()) return std::string(epochs.status().message());
  if (*epochs != model_.epochs()) return "salt epochs: others than the model's";
  for (const char* const table : {"data", "annotation"}) {
    const auto regions = tsdb_.maintenance().regions()->Check(table);
    if (!regions.ok()) return StatusFault("regions", regions.status(), absl::StatusCode::kOk);
    if (!regions->empty()) return fmt::format("regions of {}: {}", table, regions->front());
  }
  const auto uids = tsdb_.names().CheckUids(/*repair=*/false);
  if (!uids.ok()) return StatusFault("uids", uids.status(), absl::StatusCode::kOk);
  return uids->errors == 0 ? "" : "uids: " + uids->lines.front();
}

}  // namespace hourcell
