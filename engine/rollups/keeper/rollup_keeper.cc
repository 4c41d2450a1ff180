#include "engine/rollups/keeper/rollup_keeper.h"

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rollups/rollup_config.h"

// Why the points are read by a query, and not taken from the cells that the sealer writes: a new
// rule and a repaired hour need the reader in any case, and a level then has the same points as any
// query, open hours and overwrites included.
//
// Why hours are promised before they are read: a point that comes after the read opens an hour, or
// is in one that is open. Both become marks from the promise on, so no lock is held while hours are
// read.

namespace hourcell {
namespace {

constexpr uint64_t kKeptHourS = 3600;
// After the sealer's grace: most hours are sealed then, and few become marks.
constexpr int64_t kDelayS = 120;
// How often the metrics of the store are compared with the rules.
constexpr int64_t kFindEveryMs = 60'000;
// Metrics of one round, which share two syncs.
constexpr size_t kMetricsAtOnce = 64;
// A round begins no other metric after this time: renames and deletes wait for its end.
constexpr int64_t kRoundMs = 1000;
// Hours of a metric that are computed at once: at first, and at most.
constexpr uint64_t kHoursComputedFirst = 24;
constexpr uint64_t kHoursComputedMax = 32'768;
// With more points than this, hours are read in shorter pieces; with fewer, in longer ones.
constexpr uint64_t kPointsReadMax = 4'000'000;
constexpr uint64_t kPointsReadFew = 500'000;
// Marks that are computed at once, of some whose hours may be open.
constexpr size_t kMarksAtOnce = 256;
constexpr size_t kMarksLookedAt = 4096;
// Points do not begin to expire by a rule while their metric's watermark is older than this.
constexpr int64_t kWatermarkAgeMaxS = 86'400;
// How often marks are looked at whose hours were all open.
constexpr int64_t kRepairEveryMs = 10'000;
// An hour that begins to expire this soon is not computed again.
constexpr int64_t kExpiryMarginMs = 600'000;

int64_t FloorTo(int64_t time_s, int64_t interval_s) {
  HOURCELL_DCHECK(interval_s > 0 && time_s >= 0);
  return time_s - time_s % interval_s;
}

int64_t CeilTo(int64_t time_s, int64_t interval_s) {
  return FloorTo(time_s + interval_s - 1, interval_s);
}

// Whether a series with these tags is one of the rule.
bool TakesTags(const MetricRule& rule,
               std::span<const std::pair<std::string_view, std::string_view>> tags) {
  return std::ranges::all_of(rule.tags, [tags](const RuleTag& wanted) {
    return std::ranges::any_of(tags, [&wanted](const auto& tag) {
      return tag.first == wanted.tagk &&
             std::ranges::find(wanted.tagvs, tag.second) != wanted.tagvs.end();
    });
  });
}

}  // namespace

absl::Status ForgetRulesWithTags(RollupMarks* marks) {
  for (const Uid metric : marks->Metrics()) {
    const std::optional<RollupUntil> until = marks->UntilOf(metric);
    if (!until.has_value() || !MetricRule::HasTags(until->fingerprint)) continue;
    HOURCELL_RETURN_IF_ERROR(marks->Forget(metric));
  }
  return absl::OkStatus();
}

// Gives the buckets of each series to the writer.
class RollupKeeper::Reader : public QuerySink {
 public:
  // `points_max`: of a query, after which it ends with kAborted; 0: no limit.
  Reader(const Ruled& ruled, uint64_t points_max, LevelWriter* writer)
      : ruled_(ruled), points_max_(points_max), writer_(*writer) {}

  void Begin(std::span<const LevelRange> ranges) { ranges_ = ranges; }
  // Only these series; none: all of the rule.
  void AddTsuid(std::string_view tsuid) { tsuids_.push_back(ToUpperHex(tsuid)); }
  const std::vector<std::string>& tsuids() const { return tsuids_; }
  uint64_t points() const { return points_; }

  absl::Status OnSeries(const SeriesView& series) override {
    points_ += series.points.size();
    if (points_max_ != 0 && points_ > points_max_) {
      return absl::AbortedError("rollups: too many points to read at once");
    }
    if (!TakesTags(*ruled_.rule, series.tags)) return absl::OkStatus();
    auto tags = std::make_shared<LevelWriter::Tags>();
    for (const auto& [key, value] : series.tags)
      tags->emplace_back(key, value);
    for (const LevelRange& range : ranges_)
      AddLevel(range, series.points, tags);
    return writer_.is_full() ? writer_.Flush() : absl::OkStatus();
  }

 private:
  void AddLevel(const LevelRange& range,
                const SpanView& points,
                const std::shared_ptr<const LevelWriter::Tags>& tags) {
    std::vector<LevelWriter::Levels> levels;
    for (const std::string& aggregate : range.level->aggregates) {
      levels.push_back(
          {.metric = ruled_.metric,
           .name = RollupMetric({.interval = range.level->interval, .aggregator = aggregate},
                                ruled_.name),
           .tags = tags});
    }
    VisitLevelBuckets(points, range, [&](size_t aggregate, int64_t time_s, Value value) {
      levels[aggregate].points.emplace_back(time_s, value);
    });
    for (LevelWriter::Levels& one : levels)
      if (!one.points.empty()) writer_.Add(std::move(one));
  }

  const Ruled& ruled_;
  const uint64_t points_max_;
  LevelWriter& writer_;
  std::span<const LevelRange> ranges_;
  std::vector<std::string> tsuids_;
  uint64_t points_ = 0;
};

RollupKeeper::RollupKeeper(const Options& options, const Layout& layout, const Parts& parts)
    : rules_(*options.rollup_rules),
      delay_s_(options.seal_grace_s + kDelayS),
      layout_(layout),
      parts_(parts),
      errors_(parts.stats->counter("rollups.errors")),
      writer_({.commit = parts.commit,
               .writer = parts.writer,
               .points = parts.stats->counter("rollups.points")}) {
  HOURCELL_DCHECK(options.rollup_rules.has_value());
}

void RollupKeeper::Run() {
  while (true) {
    const absl::StatusOr<bool> stepped = Step();
    if (!stepped.ok() && !absl::IsCancelled(stepped.status())) errors_->Add(1);
    if (!stepped.ok() || !*stepped) return;  // tried again
  }
}

void RollupKeeper::Stop() {
  is_stopped_.store(true);
  MutexLock lock(&running_mutex_);
  if (running_ != nullptr) running_->Cancel();
}

absl::Status RollupKeeper::CheckStop() const {
  if (!is_stopped_.load()) return absl::OkStatus();
  return absl::CancelledError("rollups: the store closes");
}

absl::Status RollupKeeper::WhileAtRest(const std::function<absl::Status()>& change) {
  MutexLock lock(&mutex_);
  found_ms_ = 0;
  return change();
}

absl::Status RollupKeeper::WhileTagsChange(const std::function<absl::Status()>& change) {
  MutexLock lock(&mutex_);
  found_ms_ = 0;
  HOURCELL_RETURN_IF_ERROR(ForgetRulesWithTags(parts_.marks));
  return change();
}

absl::StatusOr<std::vector<RollupProgress>> RollupKeeper::Progress() {
  std::vector<RollupProgress> all;
  for (const Uid metric : parts_.marks->Metrics()) {
    const std::optional<RollupUntil> until = parts_.marks->UntilOf(metric);
    const absl::StatusOr<std::string> name = parts_.uids->NameOf(UidKind::kMetric, metric);
    if (absl::IsNotFound(name.status()) || !until.has_value()) continue;
    HOURCELL_RETURN_IF_ERROR(name.status());
    all.push_back({.metric = *name,
                   .levels = until->fingerprint,
                   .until_s = static_cast<int64_t>(until->until_s),
                   .changed = parts_.marks->MarksOf(metric, RollupMarks::kMarksMax).size()});
  }
  std::ranges::sort(all, {}, &RollupProgress::metric);
  return all;
}

absl::Status RollupKeeper::Rebuild(std::string_view metric, int64_t start_s) {
  MutexLock lock(&mutex_);
  found_ms_ = 0;
  HOURCELL_RETURN_IF_ERROR(FindMetrics());
  HOURCELL_ASSIGN_OR_RETURN(const Uid uid, parts_.uids->Get(UidKind::kMetric, metric));
  const auto ruled = ruled_.find(uid);
  if (ruled == ruled_.end() || ruled->second.rule->levels.empty()) {
    return absl::NotFoundError(fmt::format(
        "metric {}: no rule of tsd.rollups.rules gives it levels", QuoteForMessage(metric)));
  }
  const int64_t step_s = std::max<int64_t>(kKeptHourS, ruled->second.rule->LongestS());
  const int64_t first_s = CeilTo(static_cast<int64_t>(FirstWholeHourS(uid)), step_s);
  const int64_t begin_s = std::max(FloorTo(std::max<int64_t>(start_s, 0), step_s), first_s);
  return parts_.marks->Lower(uid, static_cast<uint64_t>(begin_s));
}

absl::StatusOr<bool> RollupKeeper::Step() {
  MutexLock lock(&mutex_);
  HOURCELL_RETURN_IF_ERROR(CheckStop());
  HOURCELL_RETURN_IF_ERROR(parts_.before_write());
  HOURCELL_RETURN_IF_ERROR(FindMetrics());
  HOURCELL_ASSIGN_OR_RETURN(const bool raised, Raise());
  HOURCELL_ASSIGN_OR_RETURN(const bool repaired, Repair());
  return raised || repaired;
}

absl::Status RollupKeeper::FindMetrics() {
  const int64_t now_ms = parts_.clock->MonotonicMs();
  if (found_ms_ != 0 && now_ms - found_ms_ < kFindEveryMs) return absl::OkStatus();
  std::map<Uid, Ruled> found;
  const auto add = [&](const UidMapping& mapping) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const MetricRule* const rule = rules_.RuleOf(mapping.name);
    if (rule == nullptr || parts_.virtual_metrics->Has(mapping.uid)) return true;
    const auto before = ruled_.find(mapping.uid);
    const uint64_t hours = before == ruled_.end() ? kHoursComputedFirst : before->second.hours;
    found[mapping.uid] = {
        .metric = mapping.uid, .name = mapping.name, .rule = rule, .hours = hours};
    return true;
  };
  HOURCELL_RETURN_IF_ERROR(parts_.uids->VisitMappings(UidKind::kMetric, {}, add));
  ruled_ = std::move(found);
  for (const Uid metric : parts_.marks->Metrics()) {
    const auto ruled = ruled_.find(metric);
    if (ruled != ruled_.end() && !ruled->second.rule->levels.empty()) continue;
    HOURCELL_RETURN_IF_ERROR(parts_.marks->Forget(metric));
  }
  HOURCELL_ASSIGN_OR_RETURN(const bool began_all, BeginMetrics());
  HOURCELL_RETURN_IF_ERROR(KeepTtls());
  found_ms_ = began_all ? now_ms : 0;
  return absl::OkStatus();
}

// Gives watermarks to metrics without, and to those with another rule. False: the time of a round
// was not enough for all.
absl::StatusOr<bool> RollupKeeper::BeginMetrics() {
  const int64_t end_ms = parts_.clock->MonotonicMs() + kRoundMs;
  for (const auto& [metric, ruled] : ruled_) {
    if (ruled.rule->levels.empty()) continue;
    const std::optional<RollupUntil> until = parts_.marks->UntilOf(metric);
    if (until.has_value() && until->fingerprint == ruled.rule->Fingerprint()) continue;
    if (parts_.clock->MonotonicMs() > end_ms) return false;
    HOURCELL_RETURN_IF_ERROR(BeginMetric(ruled));
  }
  return true;
}

// Points may expire once their levels exist: the watermark is near.
absl::Status RollupKeeper::KeepTtls() {
  const std::shared_ptr<const RetentionRules> in_force = parts_.retention->rules();
  std::vector<std::pair<Uid, int64_t>> changes;
  const auto want = [&](Uid metric, int64_t ttl_s) {
    const auto own = in_force->metric_ttl_s.find(metric);
    const bool has_own = own != in_force->metric_ttl_s.end();
    if ((has_own ? own->second : in_force->store_ttl_s) != ttl_s)
      changes.emplace_back(metric, ttl_s);
  };
  const int64_t now_s = parts_.clock->NowMs() / 1000;
  for (const auto& [metric, ruled] : ruled_) {
    for (const RuleLevel& level : ruled.rule->levels) {
      for (const std::string& aggregate : level.aggregates) {
        const absl::StatusOr<Uid> uid = parts_.uids->Get(
            UidKind::kMetric,
            RollupMetric({.interval = level.interval, .aggregator = aggregate}, ruled.name));
        if (absl::IsNotFound(uid.status())) continue;
        HOURCELL_RETURN_IF_ERROR(uid.status());
        want(*uid, level.ttl_s);
      }
    }
    if (ruled.rule->raw_ttl_s == 0) continue;
    const std::optional<RollupUntil> until = parts_.marks->UntilOf(metric);
    const bool is_computed =
        until.has_value() && static_cast<int64_t>(until->until_s) >= now_s - kWatermarkAgeMaxS;
    if (ruled.rule->levels.empty() || is_computed) want(metric, ruled.rule->raw_ttl_s);
  }
  return changes.empty() ? absl::OkStatus() : parts_.set_ttls(changes);
}

// The levels get their UIDs here, because puts may not create names.
absl::Status RollupKeeper::BeginMetric(const Ruled& ruled) {
  for (const std::string& level : ruled.rule->LevelMetrics(ruled.name))
    HOURCELL_RETURN_IF_ERROR(parts_.uids->GetOrAssign(UidKind::kMetric, level).status());
  return parts_.marks->Begin(ruled.metric, ruled.rule->Fingerprint());
}

// The first hour of the metric without an expired point, now and for a while.
uint64_t RollupKeeper::FirstWholeHourS(Uid metric) const {
  const int64_t before_ms = parts_.expiry->ExpiresBeforeMs(metric);
  if (before_ms == 0) return 0;
  return static_cast<uint64_t>(CeilTo((before_ms + kExpiryMarginMs) / 1000 + 1, kKeptHourS));
}

// The next hours of some metrics whose watermark is below the time until which hours are over.
std::vector<RollupMarks::Advance> RollupKeeper::DueHours() {
  std::vector<RollupMarks::Advance> due;
  const int64_t now_s = parts_.clock->NowMs() / 1000;
  if (now_s <= delay_s_) return due;
  const auto over_s = static_cast<uint64_t>(FloorTo(now_s - delay_s_, kKeptHourS));
  auto at = ruled_.lower_bound(next_);
  for (size_t i = 0; i < ruled_.size() && due.size() < kMetricsAtOnce; ++i, ++at) {
    if (at == ruled_.end()) at = ruled_.begin();
    const auto& [metric, ruled] = *at;
    const std::optional<RollupUntil> until = parts_.marks->UntilOf(metric);
    if (!until.has_value() || until->until_s >= over_s) continue;
    const uint64_t begin_s = std::max(until->until_s, FirstWholeHourS(metric));
    due.push_back({.metric = metric,
                   .from_s = until->until_s,
                   .until_s = std::min(over_s, begin_s + ruled.hours * kKeptHourS)});
  }
  next_ = at == ruled_.end() ? 0 : at->first;
  return due;
}

absl::StatusOr<bool> RollupKeeper::Raise() {
  const std::vector<RollupMarks::Advance> due = DueHours();
  if (due.empty()) return false;
  writer_.BeginRound();
  for (const RollupMarks::Advance& one : due)
    parts_.marks->Promise(one.metric, one.until_s);
  HOURCELL_RETURN_IF_ERROR(MarkOpen());
  std::vector<RollupMarks::Advance> computed;
  bool is_shortened = false;
  const int64_t end_ms = parts_.clock->MonotonicMs() + kRoundMs;
  for (const RollupMarks::Advance& one : due) {
    HOURCELL_RETURN_IF_ERROR(CheckStop());
    if (!computed.empty() && parts_.clock->MonotonicMs() > end_ms) break;
    const absl::Status status =
        ComputeAll(&ruled_.at(one.metric), {.begin_s = one.from_s, .end_s = one.until_s},
                   /*until_s=*/one.until_s);
    if (status.ok()) {
      computed.push_back(one);
    } else if (absl::IsAborted(status)) {
      is_shortened = true;
    } else {
      errors_->Add(1);
    }
  }
  HOURCELL_RETURN_IF_ERROR(writer_.Flush());
  const auto has_failed = [&](const RollupMarks::Advance& one) ABSL_EXCLUSIVE_LOCKS_REQUIRED(
                              mutex_) { return writer_.HasFailed(one.metric); };
  std::erase_if(computed, has_failed);
  HOURCELL_RETURN_IF_ERROR(parts_.marks->AdvanceAll(computed));
  return is_shortened || !computed.empty();
}

// No hour is on its way to a cell meanwhile: it could be open again afterwards without a notice.
std::vector<OpenHourInfo> RollupKeeper::OpenBefore(uint64_t before_s) const {
  std::vector<OpenHourInfo> open;
  const auto visit = [&](const OpenHourInfo& hour) {
    if (hour.base_time_s < before_s) open.push_back(hour);
  };
  parts_.sealer
      ->WithSealingPaused([&] {
        for (Lane& lane : parts_.open_hours->lanes())
          lane.VisitOpen(visit);
        return absl::OkStatus();
      })
      .IgnoreError();  // the function above does not fail
  return open;
}

absl::Status RollupKeeper::MarkOpen() {
  const std::vector<OpenHourInfo> open = OpenBefore(parts_.marks->LateBeforeS());
  if (open.empty()) return absl::OkStatus();
  std::vector<SeriesNumber> numbers;
  for (const OpenHourInfo& hour : open)
    numbers.push_back(hour.series);
  std::vector<std::string> tsuids;
  HOURCELL_RETURN_IF_ERROR(parts_.series->TsuidsFound(numbers, &tsuids));
  for (size_t i = 0; i < open.size(); ++i) {
    if (tsuids[i].empty()) continue;  // the sealer sets its hour aside
    const Uid metric = LoadBigEndian(tsuids[i].data(), layout_.metric_width);
    parts_.marks->Note(metric, open[i].series, open[i].base_time_s);
  }
  return absl::OkStatus();
}

// The intervals with these hours that are over at `until_s`, and whose points have not expired.
std::vector<LevelRange> RollupKeeper::RangesOf(const Ruled& ruled,
                                               const RollupMark& hours,
                                               uint64_t until_s) const {
  std::vector<LevelRange> ranges;
  const auto first_s = static_cast<int64_t>(FirstWholeHourS(ruled.metric));
  for (const RuleLevel& level : ruled.rule->levels) {
    const int64_t interval_s = level.seconds;
    const LevelRange range{
        .level = &level,
        .begin_s = std::max(FloorTo(static_cast<int64_t>(hours.begin_s), interval_s),
                            CeilTo(first_s, interval_s)),
        .end_s = std::min(CeilTo(static_cast<int64_t>(hours.end_s), interval_s),
                          FloorTo(static_cast<int64_t>(until_s), interval_s))};
    if (range.begin_s < range.end_s) ranges.push_back(range);
  }
  return ranges;
}

// All series of the metric. kAborted: there are too many points, and the next call is to be of
// ruled->hours, which are fewer now.
absl::Status RollupKeeper::ComputeAll(Ruled* ruled, const RollupMark& hours, uint64_t until_s) {
  const std::vector<LevelRange> ranges = RangesOf(*ruled, hours, until_s);
  const uint64_t count = (hours.end_s - hours.begin_s) / kKeptHourS;
  const bool may_be_shorter = ruled->hours > 1 && count > 1;
  Reader reader(*ruled, may_be_shorter ? kPointsReadMax : 0, &writer_);
  const absl::Status computed = Compute(*ruled, ranges, &reader);
  if (absl::IsAborted(computed)) {
    ruled->hours = std::max<uint64_t>(1, std::min(ruled->hours, count) / 2);
  } else if (computed.ok() && reader.points() < kPointsReadFew) {
    ruled->hours = std::min(2 * ruled->hours, kHoursComputedMax);
  }
  return computed;
}

// A filter for each tag of the rule, of the values that exist; none for a tag without any.
absl::StatusOr<std::vector<TagFilterSpec>> RollupKeeper::FiltersOf(const MetricRule& rule) const {
  const auto exists = [this](UidKind kind, const std::string& name) -> absl::StatusOr<bool> {
    const absl::StatusOr<Uid> uid = parts_.uids->Get(kind, name);
    if (absl::IsNotFound(uid.status())) return false;
    HOURCELL_RETURN_IF_ERROR(uid.status());
    return true;
  };
  std::vector<TagFilterSpec> filters;
  for (const RuleTag& tag : rule.tags) {
    HOURCELL_ASSIGN_OR_RETURN(const bool has_key, exists(UidKind::kTagk, tag.tagk));
    std::string values;
    for (const std::string& value : tag.tagvs) {
      HOURCELL_ASSIGN_OR_RETURN(const bool has_value, exists(UidKind::kTagv, value));
      if (has_value) values += (values.empty() ? "" : "|") + value;
    }
    if (!has_key || values.empty()) continue;
    filters.push_back({.tagk = tag.tagk, .type = FilterType::kLiteralOr, .filter = values});
  }
  return filters;
}

absl::Status RollupKeeper::Compute(const Ruled& ruled,
                                   std::span<const LevelRange> ranges,
                                   Reader* reader) {
  if (ranges.empty()) return absl::OkStatus();
  reader->Begin(ranges);
  QuerySpec spec{.start_ms = std::ranges::min(ranges, {}, &LevelRange::begin_s).begin_s * 1000,
                 .end_ms = std::ranges::max(ranges, {}, &LevelRange::end_s).end_s * 1000 - 1,
                 .queries = {},
                 .may_use_rollups = false,
                 .without_limits = true,
                 .annotations = false};
  SubQuery query;
  query.aggregator = Aggregator::kNone;
  query.metric = ruled.name;
  query.tsuids = reader->tsuids();
  HOURCELL_ASSIGN_OR_RETURN(query.filters, FiltersOf(*ruled.rule));
  if (query.filters.size() < ruled.rule->tags.size())
    return absl::OkStatus();  // no series has them
  spec.queries.push_back(std::move(query));
  QueryControl control;
  {
    MutexLock lock(&running_mutex_);
    running_ = &control;
  }
  // Stop may have come before.
  absl::Status ran = CheckStop();
  if (ran.ok()) ran = parts_.executor->Run(spec, parts_.open_hours, reader, &control);
  MutexLock lock(&running_mutex_);
  running_ = nullptr;
  return ran;
}

// The marks first, then the open hours: an hour that opens in between is open, and one that opens
// later is noted again.
absl::StatusOr<bool> RollupKeeper::Repair() {
  const int64_t now_ms = parts_.clock->MonotonicMs();
  if (now_ms < repair_ms_) return false;
  HOURCELL_RETURN_IF_ERROR(parts_.active->TakeOpened());
  std::vector<std::pair<Ruled*, std::vector<NotedMark>>> marked;
  for (auto& [metric, ruled] : ruled_) {
    std::vector<NotedMark> marks = parts_.marks->RangesOf(metric);
    if (marks.empty()) marks = parts_.marks->MarksOf(metric, kMarksLookedAt);
    if (!marks.empty()) marked.emplace_back(&ruled, std::move(marks));
  }
  bool repaired = false;
  if (!marked.empty()) {
    OpenSet open;
    for (const OpenHourInfo& hour : OpenBefore(parts_.marks->LateBeforeS()))
      open.emplace(hour.series, hour.base_time_s);
    for (auto& [ruled, marks] : marked) {
      HOURCELL_RETURN_IF_ERROR(CheckStop());
      const absl::StatusOr<bool> one = RepairMetric(ruled, open, std::move(marks));
      repaired = repaired || one.value_or(false);
      if (!one.ok() && !absl::IsAborted(one.status())) errors_->Add(1);
    }
  }
  if (!repaired) repair_ms_ = now_ms + kRepairEveryMs;
  return repaired;
}

absl::StatusOr<bool> RollupKeeper::RepairMetric(Ruled* ruled,
                                                const OpenSet& open,
                                                std::vector<NotedMark> marks) {
  const std::optional<RollupUntil> until = parts_.marks->UntilOf(ruled->metric);
  if (!until.has_value()) return false;
  const auto range = std::ranges::find(marks, SeriesNumber{0},
                                       [](const NotedMark& one) { return one.mark.series; });
  if (range != marks.end()) return RepairRange(ruled, *range, until->until_s);
  std::erase_if(marks, [&open](const NotedMark& one) {
    return open.contains(OpenSet::value_type(one.mark.series, one.mark.begin_s));
  });
  if (marks.empty()) return false;
  marks.resize(std::min(marks.size(), kMarksAtOnce));
  writer_.BeginRound();
  // The series of an hour are read together.
  std::vector<SeriesNumber> numbers;
  for (size_t i = 0; i < marks.size(); ++i) {
    numbers.push_back(marks[i].mark.series);
    if (i + 1 < marks.size() && marks[i + 1].mark.begin_s == marks[i].mark.begin_s) continue;
    std::vector<std::string> tsuids;
    HOURCELL_RETURN_IF_ERROR(parts_.series->TsuidsFound(numbers, &tsuids));
    numbers.clear();
    Reader reader(*ruled, /*points_max=*/0, &writer_);
    for (const std::string& tsuid : tsuids)
      if (!tsuid.empty()) reader.AddTsuid(tsuid);
    if (reader.tsuids().empty()) continue;  // the series were dropped
    HOURCELL_RETURN_IF_ERROR(
        Compute(*ruled, RangesOf(*ruled, marks[i].mark, until->until_s), &reader));
  }
  HOURCELL_RETURN_IF_ERROR(writer_.Flush());
  if (writer_.HasFailed(ruled->metric)) return absl::InternalError("rollups: a level was refused");
  HOURCELL_RETURN_IF_ERROR(parts_.marks->Remove(ruled->metric, marks));
  return true;
}

// The begin of a range of all series; the rest becomes another range.
absl::StatusOr<bool> RollupKeeper::RepairRange(Ruled* ruled,
                                               const NotedMark& range,
                                               uint64_t until_s) {
  RollupMark piece = range.mark;
  // Nothing is computed from the watermark on, nor of hours whose points have expired.
  const uint64_t begin_s = std::max(piece.begin_s, FirstWholeHourS(ruled->metric));
  piece.end_s = std::min(piece.end_s, begin_s + ruled->hours * kKeptHourS);
  writer_.BeginRound();
  HOURCELL_RETURN_IF_ERROR(ComputeAll(ruled, piece, until_s));
  HOURCELL_RETURN_IF_ERROR(writer_.Flush());
  if (writer_.HasFailed(ruled->metric)) return absl::InternalError("rollups: a level was refused");
  if (piece.end_s < range.mark.end_s && piece.end_s < until_s) {
    const RollupMark rest{.begin_s = piece.end_s, .end_s = range.mark.end_s, .series = 0};
    HOURCELL_RETURN_IF_ERROR(parts_.marks->MarkRange(ruled->metric, rest));
  }
  HOURCELL_RETURN_IF_ERROR(parts_.marks->Remove(ruled->metric, {&range, 1}));
  return true;
}

}  // namespace hourcell
