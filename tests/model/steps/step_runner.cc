#include "tests/model/steps/step_runner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "codec/limits.h"
#include "codec/rows/row_key.h"
#include "engine/region_admin.h"
#include "engine/salt_admin.h"
#include "tests/model/queries/case_regions.h"
#include "tests/model/steps/step_checker.h"
#include "tests/model/steps/step_model.h"
#include "tests/model/steps/step_world.h"
#include "tests/model/steps/stepped_store.h"
#include "tests/support/builders.h"

namespace hourcell {
namespace {

std::string TagsText(const NaiveTags& tags) {
  std::string text;
  for (const auto& [key, value] : tags)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
  return text;
}

ComparedAnswer OfStatus(std::string_view what, const absl::Status& status) {
  if (status.ok()) return {"", "done"};
  return {fmt::format("{}: expected OK, got {}", what, status.ToString())};
}

// A change that a store may refuse because of its present contents.
ComparedAnswer OfChange(std::string_view what, const absl::Status& status) {
  const bool may_be = status.ok() || absl::IsFailedPrecondition(status) ||
                      absl::IsUnavailable(status) || absl::IsInvalidArgument(status);
  if (may_be) return {"", "asked"};
  return {fmt::format("{}: expected OK or a refusal, got {}", what, status.ToString())};
}

class StepRunner {
 public:
  StepRunner(const StepOptions& options, const StepRunSettings& settings)
      : settings_(settings),
        no_new_names_(options.no_new_names),
        store_(options),
        model_(options.ttl_s) {}

  std::string Open();
  ComparedAnswer Do(const ModelStep& step);
  ComparedAnswer CheckAll() { return checker().All(); }

 private:
  enum class Fate : uint8_t { kStored, kExpired, kRefused };

  Tsdb* tsdb() { return store_.tsdb(); }
  int64_t NowMs() { return store_.clock()->NowMs(); }
  StepWorld world() { return StepWorld(NowMs()); }
  StepChecker checker() { return {tsdb(), model_, NowMs()}; }

  ComparedAnswer Read(const ModelStep& step);
  ComparedAnswer Write(const ModelStep& step);
  ComparedAnswer Maintain(const ModelStep& step);
  ComparedAnswer Endure(const ModelStep& step);

  ComparedAnswer Put(const ModelStep& step, bool sync, bool* has_stored);
  ComparedAnswer PutBad(const ModelStep& step);
  Fate FateOf(const StepWorld::Point& point);
  std::string Note(const StepWorld::Point& point);
  std::string NoteName(UidKind kind, const std::string& name);
  ComparedAnswer Uid(const ModelStep& step);
  ComparedAnswer DeleteUid(UidKind kind, const std::string& name);
  ComparedAnswer Rename(const ModelStep& step);
  ComparedAnswer Delete(const ModelStep& step);
  ComparedAnswer Annotate(const ModelStep& step);
  ComparedAnswer Unannotate(const ModelStep& step);
  ComparedAnswer SetTtl(const ModelStep& step);
  ComparedAnswer Split(const ModelStep& step);
  ComparedAnswer Merge(const ModelStep& step);
  ComparedAnswer ChangeSalt(const ModelStep& step);
  ComparedAnswer LosePower(const ModelStep& step);
  ComparedAnswer Restore();
  std::string AnnotatedTsuid(uint32_t series) const;

  const StepRunSettings settings_;
  const uint32_t no_new_names_;
  SteppedStore store_;
  StepModel model_;
  std::optional<StepModel> backup_;  // of when the newest was made
};

std::string StepRunner::Open() {
  if (const absl::Status opened = store_.Open(); !opened.ok()) return opened.ToString();
  model_.set_epochs(*tsdb()->maintenance().salt()->Epochs());
  // Names that points may not create are there from the start.
  if (no_new_names_ == 0) return "";
  const UidKind kind = no_new_names_ == 1 ? UidKind::kMetric : UidKind::kTagv;
  for (uint32_t series = 0; series < kWorldSeries; ++series) {
    const WorldSeries& names = StepWorld::SeriesOf(series);
    std::vector<std::string> wanted = {names.metric};
    if (kind == UidKind::kTagv) {
      wanted.clear();
      for (const auto& [key, value] : names.tags)
        wanted.push_back(value);
    }
    for (const std::string& name : wanted) {
      if (const auto row = tsdb()->names().AssignUid(kind, name); !row.ok())
        return row.status().ToString();
      if (std::string fault = NoteName(kind, name); !fault.empty()) return fault;
    }
  }
  return "";
}

ComparedAnswer StepRunner::Do(const ModelStep& step) {
  if (step.kind == StepKind::kUid) return Uid(step);
  if (step.kind >= StepKind::kReopen && step.kind <= StepKind::kRestore) {
    ComparedAnswer answer = Endure(step);
    if (answer.fault.empty()) answer.fault = CheckAll().fault;
    return answer;
  }
  if (step.kind >= StepKind::kAdvance && step.kind <= StepKind::kTtl) return Maintain(step);
  switch (step.kind) {
    case StepKind::kPut:
    case StepKind::kPutBad:
    case StepKind::kDelete:
    case StepKind::kAnnotate:
    case StepKind::kUnannotate:
    case StepKind::kRename:
      return Write(step);
    default:
      return Read(step);
  }
}

ComparedAnswer StepRunner::Read(const ModelStep& step) {
  switch (step.kind) {
    case StepKind::kQuery:
      return checker().Query(step);
    case StepKind::kLast:
      return checker().Last(step);
    case StepKind::kScan:
      return checker().Scan(step);
    case StepKind::kSuggest:
      return checker().Suggest(step);
    case StepKind::kLookup:
      return checker().Lookup(step);
    case StepKind::kAnnotations:
      return checker().ReadAnnotations(step);
    default:
      return CheckAll();
  }
}

ComparedAnswer StepRunner::Write(const ModelStep& step) {
  bool has_stored = false;
  switch (step.kind) {
    case StepKind::kPut:
      return Put(step, /*sync=*/false, &has_stored);
    case StepKind::kPutBad:
      return PutBad(step);
    case StepKind::kDelete:
      return Delete(step);
    case StepKind::kAnnotate:
      return Annotate(step);
    case StepKind::kUnannotate:
      return Unannotate(step);
    default:
      return Rename(step);
  }
}

ComparedAnswer StepRunner::Maintain(const ModelStep& step) {
  switch (step.kind) {
    case StepKind::kAdvance:
      store_.clock()->Advance(int64_t{step.n[0]} * 1000);
      model_.Expire(NowMs());
      return {"", "later"};
    case StepKind::kSeal:
      return OfStatus("seal", tsdb()->maintenance().Seal());
    case StepKind::kSealDue:
      return OfStatus("seal due", tsdb()->maintenance().SealDue());
    case StepKind::kFlush:
      return OfStatus("flush", tsdb()->maintenance().Flush());
    case StepKind::kLsmCompact:
      return OfStatus("compact", tsdb()->maintenance().Compact());
    case StepKind::kDropExpired:
      return OfStatus("drop expired", tsdb()->retention().DropExpired().status());
    case StepKind::kSplit:
      return Split(step);
    case StepKind::kMerge:
      return Merge(step);
    case StepKind::kSalt:
      return ChangeSalt(step);
    case StepKind::kTtl:
      return SetTtl(step);
    default:
      tsdb()->maintenance().DropCaches();
      return {"", "dropped"};
  }
}

ComparedAnswer StepRunner::Endure(const ModelStep& step) {
  switch (step.kind) {
    case StepKind::kReopen:
      return OfStatus("reopen", store_.Reopen(step.n[0] % 4 == 1));
    case StepKind::kKill:
      return OfStatus("kill", store_.Kill());
    case StepKind::kLosePower:
      return LosePower(step);
    case StepKind::kBackup:
      backup_ = model_;
      return OfStatus("backup", store_.Backup());
    default:
      return Restore();
  }
}

StepRunner::Fate StepRunner::FateOf(const StepWorld::Point& point) {
  if (point.time.ms < model_.ExpiresBeforeMs(point.series.metric, NowMs())) return Fate::kExpired;
  bool is_known = no_new_names_ != 1 || model_.HasName(UidKind::kMetric, point.series.metric);
  for (const auto& [key, value] : point.series.tags)
    is_known = is_known && (no_new_names_ != 2 || model_.HasName(UidKind::kTagv, value));
  return is_known ? Fate::kStored : Fate::kRefused;
}

// Adds a name that is there now, unless it was before: looks up its UID.
std::string StepRunner::NoteName(UidKind kind, const std::string& name) {
  if (model_.HasName(kind, name)) return "";
  const auto found = tsdb()->names().FindUid(kind, name);
  if (!found.ok()) return fmt::format("new name {}: {}", name, found.status().ToString());
  const bool is_sound = found->uid_bytes.size() == store_.options().layout.width(kind) &&
                        found->uid_bytes.find_first_not_of('\0') != std::string::npos;
  if (!is_sound) return fmt::format("new name {}: no UID of the layout", name);
  if (model_.AddName(kind, name, found->uid_bytes)) return "";
  return fmt::format("new name {}: another name has had its UID", name);
}

std::string StepRunner::Note(const StepWorld::Point& point) {
  std::string fault = NoteName(UidKind::kMetric, point.series.metric);
  for (const auto& [key, value] : point.series.tags) {
    if (fault.empty()) fault = NoteName(UidKind::kTagk, key);
    if (fault.empty()) fault = NoteName(UidKind::kTagv, value);
  }
  if (fault.empty()) {
    model_.points()->Put(point.series.metric, point.series.tags, point.time.ms, point.value,
                         point.time.is_ms);
  }
  return fault;
}

ComparedAnswer StepRunner::Put(const ModelStep& step, bool sync, bool* has_stored) {
  const std::vector<StepWorld::Point> points = world().PointsOf(step);
  std::vector<OwnedPoint> owned;
  std::vector<std::string> tags;
  std::vector<size_t> want_refused;
  for (size_t i = 0; i < points.size(); ++i) {
    const StepWorld::Point& point = points[i];
    tags.push_back(TagsText(point.series.tags));
    owned.emplace_back(point.series.metric, tags.back(), point.time, point.value);
    if (FateOf(point) == Fate::kRefused) want_refused.push_back(i);
    *has_stored = *has_stored || FateOf(point) == Fate::kStored;
  }
  std::vector<PointView> views;
  std::vector<LinePoint> lines;
  // As points, or as lines, with blanks where they are free.
  const uint32_t way = step.kind == StepKind::kPut ? step.n[4] / 3 % 4 : 0;
  for (size_t i = 0; i < points.size(); ++i) {
    if (way == 3) tags[i] = " " + tags[i] + "  ";
    views.push_back(owned[i].view());
    lines.push_back({.metric = points[i].series.metric,
                     .tags = tags[i],
                     .timestamp = points[i].time,
                     .value = points[i].value});
  }
  std::vector<RefusedPoint> refused;
  const absl::Status stored = way < 2
                                  ? tsdb()->points().Append(views, &refused, {.sync = sync}).Wait()
                                  : tsdb()->points().Append(lines, &refused, {.sync = sync}).Wait();
  ComparedAnswer answer = OfStatus("put", stored);
  std::vector<size_t> got_refused;
  for (const RefusedPoint& one : refused)
    got_refused.push_back(one.index);
  if (got_refused != want_refused) {
    answer.fault = fmt::format("put: expected {}, got {} refused", fmt::join(want_refused, " "),
                               fmt::join(got_refused, " "));
  }
  std::vector<const StepWorld::Point*> kept;
  for (const StepWorld::Point& point : points) {
    if (FateOf(point) == Fate::kStored) kept.push_back(&point);
  }
  for (const StepWorld::Point* point : kept) {
    const bool forgets = step.kind == StepKind::kPut && settings_.forgets_seed != 0 &&
                         step.n[5] == settings_.forgets_seed && point->time.is_ms;
    if (answer.fault.empty() && !forgets) answer.fault = Note(*point);
  }
  answer.text = fmt::format("{} refused", refused.size());
  return answer;
}

// A bad point between two good ones, which are stored.
ComparedAnswer StepRunner::PutBad(const ModelStep& step) {
  const ModelStep good{.kind = StepKind::kPut, .n = {step.n[1], step.n[2], 1, 4, 0, 4}};
  const std::vector<StepWorld::Point> points = world().PointsOf(good);
  if (FateOf(points[0]) != Fate::kStored || FateOf(points[1]) != Fate::kStored) {
    return {"", "nothing"};
  }
  std::vector<OwnedPoint> owned;
  for (const StepWorld::Point& point : points)
    owned.emplace_back(point.series.metric, TagsText(point.series.tags), point.time, point.value);
  // Its names must not remain.
  std::vector<TagView> tags = {{"ghost", "ghost"}};
  PointView bad = owned[0].view();
  bad.tags = tags;
  switch (step.n[0] % 10) {
    case 0:
      bad.timestamp.ms = -1000;
      break;
    case 1:
      bad.timestamp.ms = kTimestampMsMax + 1;
      break;
    case 2:
      bad.timestamp = {.ms = points[0].time.ms + 1, .is_ms = false};
      break;
    case 3:
      bad.value = Value::Float(std::numeric_limits<double>::quiet_NaN());
      break;
    case 4:
      bad.value = Value::Float(-std::numeric_limits<double>::infinity());
      break;
    case 5:
      bad.tags = {};
      break;
    case 6:
      bad.metric = "no blanks";
      break;
    case 7:
      tags = {{"ghost", "a"}, {"ghost", "ghost"}};
      bad.tags = tags;
      break;
    case 8:
      tags = {{"ghost", "ghost"}, {"host", "a:b"}};
      bad.tags = tags;
      break;
    default:
      tags = {{"ghost", "ghost"}, {"", "a"}};
      bad.tags = tags;
  }
  const std::vector<PointView> views = {owned[0].view(), bad, owned[1].view()};
  std::vector<RefusedPoint> refused;
  ComparedAnswer answer = OfStatus("put", tsdb()->points().Append(views, &refused).Wait());
  if (refused.size() != 1 || refused[0].index != 1 || refused[0].error.text.empty()) {
    answer.fault = fmt::format("bad put: expected the second, got {} refused", refused.size());
  }
  for (const StepWorld::Point& point : points) {
    if (answer.fault.empty()) answer.fault = Note(point);
  }
  return answer;
}

ComparedAnswer StepRunner::Uid(const ModelStep& step) {
  const UidKind kind = StepWorld::KindOf(step.n[1]);
  const std::string& name = StepWorld::NameOf(kind, step.n[2]);
  switch (step.n[0] % 5) {
    case 1: {
      const auto row = tsdb()->names().AssignUid(kind, name);
      if (!row.ok()) return OfStatus("assign", row.status());
      if (std::string fault = NoteName(kind, name); !fault.empty()) return {fault};
      return checker().Find(kind, name);
    }
    case 2:
      return checker().Grep(step);
    case 3:
      return DeleteUid(kind, name);
    default:
      return checker().Find(kind, name);
  }
}

// Only for names without series: a series without a name is outside of the model.
ComparedAnswer StepRunner::DeleteUid(UidKind kind, const std::string& name) {
  if (model_.IsUsed(kind, name)) return {"", "used"};
  const absl::Status deleted = tsdb()->names().DeleteUid(kind, name);
  if (!model_.HasName(kind, name)) {
    if (absl::IsNotFound(deleted)) return {"", "unknown"};
    return {fmt::format("delete {}: expected kNotFound, got {}", name, deleted.ToString())};
  }
  model_.points()->DeleteName(kind, name);
  return OfStatus("delete " + name, deleted);
}

ComparedAnswer StepRunner::Rename(const ModelStep& step) {
  const UidKind kind = StepWorld::KindOf(step.n[0]);
  const std::string& name = StepWorld::NameOf(kind, step.n[1]);
  const std::string& new_name = StepWorld::NameOf(kind, step.n[2]);
  const absl::Status renamed = tsdb()->names().RenameUid(kind, name, new_name);
  const bool is_known = model_.HasName(kind, name);
  const bool is_taken = model_.HasName(kind, new_name);
  if (is_known && !is_taken) {
    if (renamed.ok()) model_.Rename(kind, name, new_name);
    return OfStatus("rename", renamed);
  }
  const bool is_right =
      (!is_known && absl::IsNotFound(renamed)) || (is_taken && absl::IsAlreadyExists(renamed));
  if (is_right) return {"", "refused"};
  return {fmt::format("rename {} to {}: expected kNotFound or kAlreadyExists, got {}", name,
                      new_name, renamed.ToString())};
}

ComparedAnswer StepRunner::Delete(const ModelStep& step) {
  const auto tsuid_of = [this](const WorldSeries& series) { return model_.TsuidOf(series); };
  const QuerySpec spec = world().DeletionOf(step, tsuid_of);
  const auto counted = tsdb()->points().CountPoints(spec);
  const auto got = tsdb()->points().DeletePoints(spec);
  const auto want = model_.points()->Delete(spec.queries[0], spec.start_ms, spec.end_ms);
  if (!want.has_value()) {
    if (absl::IsNotFound(got.status())) return {"", "unknown"};
    return {fmt::format("delete: expected kNotFound, got {}", got.status().ToString())};
  }
  if (!counted.ok()) return OfStatus("count", counted.status());
  if (counted->points != want->points) {
    return {fmt::format("count: expected {} points, got {}", want->points, counted->points)};
  }
  if (!got.ok()) return OfStatus("delete", got.status());
  const std::string text = fmt::format("{} points of {} rows", got->points, got->rows);
  if (got->points == want->points && got->rows == want->rows) return {"", text};
  return {fmt::format("delete: expected {} of {}, got {}", want->points, want->rows, text)};
}

std::string StepRunner::AnnotatedTsuid(uint32_t series) const {
  if (series >= kWorldSeries) return "";
  return model_.TsuidOf(StepWorld::SeriesOf(series)).value_or("");
}

ComparedAnswer StepRunner::Annotate(const ModelStep& step) {
  AnnotationEdit edit{.tsuid = AnnotatedTsuid(step.n[0]), .start_time = 0};
  const int64_t ms = world().MinuteMs(step.n[1]);
  const uint32_t form = step.n[2];
  edit.start_time = form % 2 == 0 ? ms / 1000 : ms;
  edit.description = fmt::format("note {}", form);
  if (form % 3 == 0) edit.notes = "more";
  if (form % 5 == 0) edit.end_time = edit.start_time + 60;
  const auto write = form % 4 == 3 ? AnnotationWrite::kReplace : AnnotationWrite::kMerge;
  const auto got = tsdb()->annotations().Put({&edit, 1}, write);
  if (ms < model_.AnnotationsExpireBeforeMs(edit.tsuid, NowMs())) {
    if (absl::IsInvalidArgument(got.status())) return {"", "expired"};
    return {fmt::format("annotate: expected it refused, got {}", got.status().ToString())};
  }
  if (!got.ok()) return OfStatus("annotate", got.status());
  Annotation& want = (*model_.annotations())[{edit.tsuid, ms}];
  if (write == AnnotationWrite::kReplace || want.start_time == 0) {
    want = {.tsuid = edit.tsuid, .start_time = edit.start_time};
  }
  want.description = *edit.description;
  if (edit.notes.has_value()) want.notes = *edit.notes;
  if (edit.end_time.has_value()) want.end_time = *edit.end_time;
  if (got->size() == 1 && got->front() == want) return {"", want.description};
  return {"annotate: got another one than was written"};
}

ComparedAnswer StepRunner::Unannotate(const ModelStep& step) {
  const std::string tsuid = AnnotatedTsuid(step.n[0]);
  const int64_t start_ms = world().MinuteMs(step.n[1]);
  if (step.n[2] % 2 == 0) {
    model_.annotations()->erase({tsuid, start_ms});
    return OfStatus("unannotate", tsdb()->annotations().Delete(tsuid, start_ms / 1000));
  }
  const int64_t end_ms = start_ms + int64_t{step.n[2]} * 60'000;
  const bool is_global = tsuid.empty();
  const std::vector<std::string> tsuids(is_global ? 0 : 1, tsuid);
  // How many is not compared: those that have expired count.
  const auto deleted = tsdb()->annotations().DeleteRange(tsuids, is_global, start_ms, end_ms);
  std::erase_if(*model_.annotations(), [&](const auto& entry) {
    const auto& [of, ms] = entry.first;
    return of == tsuid && ms >= start_ms && ms <= end_ms;
  });
  return OfStatus("unannotate", deleted.status());
}

// Never longer than it is: expired points are gone for good.
ComparedAnswer StepRunner::SetTtl(const ModelStep& step) {
  const std::string& metric = StepWorld::NameOf(UidKind::kMetric, step.n[0]);
  int64_t ttl_s = 1 + int64_t{step.n[1]};
  if (const int64_t now_s = model_.TtlOf(metric); now_s != 0) ttl_s = std::min(ttl_s, now_s);
  const absl::Status set = tsdb()->retention().SetMetricTtl(metric, ttl_s);
  if (!model_.HasName(UidKind::kMetric, metric)) {
    if (absl::IsNotFound(set)) return {"", "unknown"};
    return {fmt::format("ttl: expected kNotFound, got {}", set.ToString())};
  }
  model_.SetTtl(metric, ttl_s);
  model_.Expire(NowMs());
  return OfStatus("ttl", set);
}

ComparedAnswer StepRunner::Split(const ModelStep& step) {
  const auto listed = tsdb()->maintenance().regions()->List("data", ListDetail::kPlain);
  if (!listed.ok()) return OfStatus("list regions", listed.status());
  SplitRequest split{.region = std::to_string((*listed)[step.n[0] % listed->size()].id)};
  if (step.n[1] < 30) {
    split.into = 2 + step.n[1] % 2;
  } else {
    // Where rows of a metric, a bucket and an hour begin.
    const std::vector<SaltEpoch> epochs = *tsdb()->maintenance().salt()->Epochs();
    const uint32_t bucket = step.n[1] % epochs.back().buckets;
    std::string key;
    RowKeyCodec(store_.options().layout)
        .AppendHourPrefix(1 + step.n[1] % 3, bucket,
                          kHourSpan.BaseS(world().MinuteMs(60 * (step.n[1] % 5))), &key);
    split.at = KeyText(key);
    split.region = *split.at;
  }
  return OfChange("split", tsdb()->maintenance().regions()->Split(split).status());
}

ComparedAnswer StepRunner::Merge(const ModelStep& step) {
  const auto listed = tsdb()->maintenance().regions()->List("data", ListDetail::kPlain);
  if (!listed.ok()) return OfStatus("list regions", listed.status());
  const size_t first = step.n[0] % listed->size();
  const size_t end = std::min(listed->size(), first + 2 + step.n[1] % 3);
  if (end - first < 2) return {"", "asked"};
  std::vector<std::string> ids;
  for (size_t i = first; i < end; ++i)
    ids.push_back(std::to_string((*listed)[i].id));
  return OfChange("merge", tsdb()->maintenance().regions()->Merge("data", ids).status());
}

// Mostly at a time to come; where there are rows it is refused.
ComparedAnswer StepRunner::ChangeSalt(const ModelStep& step) {
  std::optional<uint64_t> from_s;
  if (step.n[1] % 16 >= 10) {
    from_s = static_cast<uint64_t>(world().MinuteMs(0)) / 1000 + 3600 * (step.n[1] % 16 - 8);
  }
  const uint32_t buckets = 1 + step.n[0] % 40;
  const absl::Status changed = tsdb()->maintenance().salt()->Change(buckets, from_s);
  const std::vector<SaltEpoch> epochs = *tsdb()->maintenance().salt()->Epochs();
  if (!changed.ok()) {
    if (epochs != model_.epochs()) return {"salt: a refusal changed the epochs"};
    return OfChange("salt", changed);
  }
  model_.set_epochs(epochs);
  if (epochs.back().buckets == buckets) return {"", "asked"};
  return {fmt::format("salt: expected {} buckets, got {}", buckets, epochs.back().buckets)};
}

// A put that is synced has all before it on disk, but where nothing is ever synced.
ComparedAnswer StepRunner::LosePower(const ModelStep& step) {
  bool has_stored = false;
  ComparedAnswer put = Put(step, /*sync=*/true, &has_stored);
  if (!put.fault.empty()) return put;
  const bool is_synced = has_stored && store_.options().sync != Durability::kNever;
  return OfStatus("power loss", is_synced ? store_.LosePower(step.n[2]) : store_.Kill());
}

ComparedAnswer StepRunner::Restore() {
  if (!backup_.has_value()) return {"", "done"};
  model_ = *backup_;
  model_.Expire(NowMs());
  return OfStatus("restore", store_.Restore());
}

}  // namespace

StepRun RunSteps(const StepCase& steps, const StepRunSettings& settings) {
  StepRun run;
  StepRunner runner(steps.options, settings);
  run.fault = runner.Open();
  for (const ModelStep& step : steps.steps) {
    if (!run.fault.empty()) return run;
    ComparedAnswer answer = runner.Do(step);
    ++run.steps;
    ++run.of_kind[static_cast<size_t>(step.kind)];
    if (settings.keep_answers) run.answers.push_back(std::move(answer.text));
    if (answer.fault.empty()) continue;
    run.fault = fmt::format("step {} {}: {}", run.steps - 1, ToCode(step), answer.fault);
  }
  if (!run.fault.empty()) return run;
  if (std::string fault = runner.CheckAll().fault; !fault.empty()) run.fault = "end: " + fault;
  return run;
}

}  // namespace hourcell
