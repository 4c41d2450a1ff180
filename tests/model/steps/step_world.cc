#include "tests/model/steps/step_world.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/random.h"
#include "codec/limits.h"
#include "tests/model/queries/query_case.h"
#include "tests/model/queries/random_query_case.h"
#include "tests/support/times.h"

namespace hourcell {
namespace {

constexpr int64_t kFirstOfStartMs = kWorldStartMs / kHourMs * kHourMs - (kWorldHours - 1) * kHourMs;

// The names that RandomQuery uses come first.
const std::array<std::vector<std::string>, 3>& NamesByKind() {
  static const std::array<std::vector<std::string>, 3> names = {{
      {"m", "sys.cpu", "other", "m.new", "x"},
      {"host", "dc", "cpu", "role", "rack", "os"},
      {"web01", "web02", "WEB01", "Web02", "lga", "sjc", "db-a", "a", "ab", "b", "äb", "0",
       "web.x/1", "web03", "aa", "B"},
  }};
  return names;
}

constexpr size_t kWorldMetrics = 3;
constexpr size_t kWorldTagks = 4;
constexpr size_t kWorldTagvs = 13;

std::vector<WorldSeries> MakeSeries() {
  const auto& [metrics, tagks, tagvs] = NamesByKind();
  std::vector<WorldSeries> all;
  for (uint32_t i = 0; i < kWorldSeries; ++i) {
    // Half of the first metric, a few of the last.
    WorldSeries& series = all.emplace_back();
    series.metric = metrics[i < 13 ? 0 : i < 20 ? 1 : 2];
    for (size_t k = 0; k < kWorldTagks; ++k) {
      const bool has_tag = k == 0 ? i % 5 != 4 : (i * 7 + k * 5) % (k + 2) == 0;
      if (has_tag) series.tags[tagks[k]] = tagvs[(i * (2 * k + 1) + k) % kWorldTagvs];
    }
    if (series.tags.empty()) series.tags[tagks[1]] = tagvs[i % kWorldTagvs];
  }
  return all;
}

const std::vector<WorldSeries>& AllSeries() {
  static const std::vector<WorldSeries> series = MakeSeries();
  return series;
}

// A store that has every series, for the queries of RandomQuery.
QueryCase MakeCase() {
  QueryCase stored;
  constexpr std::array kCounts = {kWorldMetrics, kWorldTagks, kWorldTagvs};
  for (const UidKind kind : kUidKinds) {
    const auto index = static_cast<size_t>(kind);
    for (size_t i = 0; i < kCounts[index]; ++i)
      stored.names.emplace_back(kind, NamesByKind()[index][i]);
  }
  for (size_t i = 0; i < AllSeries().size(); ++i) {
    for (int64_t minute = 0; minute < kWorldHours * 60; minute += 37) {
      stored.steps.push_back(
          {.metric = AllSeries()[i].metric,
           .tags = AllSeries()[i].tags,
           .time = {.ms = kFirstOfStartMs + minute * 60'000 + static_cast<int64_t>(i) * 1000}});
    }
  }
  return stored;
}

const QueryCase& WorldCase() {
  static const QueryCase stored = MakeCase();
  return stored;
}

// The names of a tsuid of RandomQuery, whose UIDs are the places of the names, 3 bytes each.
WorldSeries NamesOfTsuid(std::string_view hex) {
  const auto name = [&](UidKind kind, size_t field) {
    const auto bytes = UidBytesFromHex(hex.substr(6 * field, 6), 3);
    HOURCELL_CHECK(bytes.ok());
    return NamesByKind()[static_cast<size_t>(kind)].at(LoadBigEndian(bytes->data(), 3) - 1);
  };
  WorldSeries series{.metric = name(UidKind::kMetric, 0), .tags = {}};
  for (size_t field = 1; 6 * field < hex.size(); field += 2)
    series.tags[name(UidKind::kTagk, field)] = name(UidKind::kTagv, field + 1);
  return series;
}

void TranslateTsuids(const StepWorld::TsuidOf& tsuid_of, SubQuery* query) {
  if (query->tsuids.empty()) return;
  const std::string metric = NamesOfTsuid(query->tsuids.front()).metric;
  std::vector<std::string> tsuids;
  for (const std::string& tsuid : query->tsuids) {
    if (auto known = tsuid_of(NamesOfTsuid(tsuid))) tsuids.push_back(*std::move(known));
  }
  query->tsuids = std::move(tsuids);
  if (query->tsuids.empty()) query->metric = metric;
}

Value ValueOf(uint32_t seed, uint32_t index) {
  Random random(seed * uint64_t{31} + index);
  switch (seed % 7) {
    case 0:
      return Value::Integer(static_cast<int64_t>(random.Below(300)) - 150);
    case 1:
      return Value::Integer(static_cast<int64_t>(random.Next()));
    case 2:
      return Value::Float(static_cast<double>(random.Below(1000)) / 4);
    case 3:
      return Value::Float(random.Fraction() * 1e6);
    case 4:  // a counter
      return Value::Integer(int64_t{seed} + 17 * int64_t{index});
    case 5:
      return Value::Float(random.Below(4) == 0 ? -0.0 : std::ldexp(random.Fraction(), 900));
    default:
      return random.Below(2) == 0 ? Value::Integer(static_cast<int64_t>(index))
                                  : Value::Float(static_cast<double>(index) / 10);
  }
}

std::vector<TagMatch> RandomMatches(Random* random) {
  std::vector<TagMatch> matches;
  const uint64_t count = random->Below(3);
  for (uint64_t i = 0; i < count; ++i) {
    const WorldSeries& series = StepWorld::SeriesOf(static_cast<uint32_t>(random->Next()));
    const auto tag =
        std::next(series.tags.begin(), static_cast<ptrdiff_t>(random->Below(series.tags.size())));
    TagMatch& match = matches.emplace_back(TagMatch{.tagk = tag->first, .tagv = tag->second});
    if (random->Below(5) == 0) match.tagk = random->Below(2) == 0 ? "*" : "";
    if (random->Below(5) == 0) match.tagv = "*";
    if (random->Below(40) == 0) match.tagv = "nobody";
    if (random->Below(40) == 0) match.tagk = "nothing";
  }
  return matches;
}

std::string RandomMetric(Random* random) {
  const uint64_t which = random->Below(12);
  return StepWorld::NameOf(UidKind::kMetric, which < 6 ? 0 : static_cast<uint32_t>(which % 5));
}

}  // namespace

const WorldSeries& StepWorld::SeriesOf(uint32_t number) {
  return AllSeries()[number % kWorldSeries];
}

const std::string& StepWorld::NameOf(UidKind kind, uint32_t number) {
  const std::vector<std::string>& names = NamesByKind()[static_cast<size_t>(kind)];
  return names[number % names.size()];
}

int64_t StepWorld::FirstMs() const {
  return now_ms_ / kHourMs * kHourMs - (kWorldHours - 1) * kHourMs;
}

int64_t StepWorld::MinuteMs(uint32_t number) const {
  return FirstMs() + int64_t{number % (kWorldHours * 60)} * 60'000;
}

std::vector<StepWorld::Point> StepWorld::PointsOf(const ModelStep& step) const {
  constexpr std::array<int64_t, 8> kSpacingsMs = {0,      1000,   10'000, 7'000,
                                                  60'000, 60'000, 90,     1'300'000};
  const bool is_put = step.kind == StepKind::kPut;
  const uint32_t count = is_put ? 1 + step.n[2] % 12 : 1;
  const int64_t spacing_ms = is_put ? kSpacingsMs[step.n[3] % kSpacingsMs.size()] : 0;
  const uint32_t form = is_put ? step.n[4] : 0;
  const uint32_t seed = is_put ? step.n[5] : step.n[2];
  std::vector<Point> points;
  for (uint32_t i = 0; i < count; ++i) {
    // Seconds, milliseconds, both in turn; of one series, or of the next ones, too.
    const bool is_ms = form % 3 == 1 || (form % 3 == 2 && i % 2 == 1);
    const uint32_t series = step.n[0] + (form / 12 == 1 ? i : 0);
    int64_t ms = MinuteMs(step.n[1]) + i * spacing_ms;
    if (is_ms && seed % 4 == 0) ms += seed % 1000;
    if (!is_ms) ms -= ms % 1000;
    points.push_back({.series = SeriesOf(series),
                      .time = {.ms = ms, .is_ms = is_ms},
                      .value = ValueOf(seed, i)});
  }
  return points;
}

QuerySpec StepWorld::QueryOf(uint32_t seed, const TsuidOf& tsuid_of) const {
  Random random(seed);
  QuerySpec spec = RandomQuery(WorldCase(), &random);
  const int64_t shift_ms = FirstMs() - kFirstOfStartMs;
  spec.start_ms = std::min(spec.start_ms + shift_ms, kTimestampMsMax);
  spec.end_ms = std::min(spec.end_ms + shift_ms, kTimestampMsMax);
  for (SubQuery& query : spec.queries)
    TranslateTsuids(tsuid_of, &query);
  return spec;
}

QuerySpec StepWorld::DeletionOf(const ModelStep& step, const TsuidOf& tsuid_of) const {
  QuerySpec spec = QueryOf(step.n[0], tsuid_of);
  spec.queries.resize(1);
  // The store refuses a deletion with functions.
  spec.queries[0].functions.clear();
  spec.start_ms = MinuteMs(step.n[1]);
  spec.end_ms = spec.start_ms + int64_t{step.n[2]} * 60'000;
  return spec;
}

LastQuery StepWorld::LastQueryOf(uint32_t seed, const TsuidOf& tsuid_of) const {
  Random random(seed);
  LastQuery query;
  query.resolve = random.Below(2) == 0;
  if (random.Below(3) == 0) query.back_hours = 1 + static_cast<uint32_t>(random.Below(6));
  const uint64_t count = 1 + random.Below(2);
  for (uint64_t i = 0; i < count; ++i) {
    LastSubQuery& one = query.queries.emplace_back();
    one.metric = RandomMetric(&random);
    if (random.Below(4) > 0) {
      one.tags = RandomMatches(&random);
      continue;
    }
    for (uint64_t j = 0; j < 3; ++j) {
      const auto tsuid = tsuid_of(SeriesOf(static_cast<uint32_t>(random.Next())));
      if (tsuid.has_value()) one.tsuids.push_back(*tsuid);
    }
  }
  return query;
}

LookupQuery StepWorld::LookupOf(uint32_t seed) const {
  Random random(seed);
  LookupQuery query;
  query.metric = random.Below(4) == 0 ? "*" : RandomMetric(&random);
  query.tags = RandomMatches(&random);
  if (random.Below(4) == 0) query.start_index = random.Below(6);
  if (random.Below(4) == 0) query.limit = 1 + random.Below(6);
  return query;
}

ScanSpec StepWorld::ScanOf(uint32_t seed) const {
  Random random(seed);
  const QuerySpec drawn = QueryOf(seed, [](const WorldSeries&) { return std::nullopt; });
  ScanSpec spec;
  if (random.Below(4) == 0) return spec;
  spec.start_ms = drawn.start_ms;
  spec.end_ms = drawn.end_ms;
  spec.metric = drawn.queries[0].metric;
  spec.filters = drawn.queries[0].filters;
  return spec;
}

}  // namespace hourcell
