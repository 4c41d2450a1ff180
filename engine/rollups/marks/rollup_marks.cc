#include "engine/rollups/marks/rollup_marks.h"

#include <algorithm>
#include <string_view>

#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/rows/key_range.h"

// Why marks are rows of hours, and not sets of series as the active sets have them: a mark is
// removed alone, a few minutes later, and most hours are not marked. A set would be read, changed
// and written for each.

namespace hourcell {
namespace {

constexpr uint64_t kMarkedHourS = 3600;
// Rows of one write.
constexpr size_t kMarkRowsAtOnce = 4096;

Mutation SetRollupRow(std::string key, std::string value) {
  return {.table = TableId::kSystem,
          .kind = Mutation::Kind::kSet,
          .key = std::move(key),
          .value = std::move(value)};
}

Mutation DeleteRollupRow(std::string key) {
  return {.table = TableId::kSystem,
          .kind = Mutation::Kind::kDelete,
          .key = std::move(key),
          .value = {}};
}

// Writes the group in parts; only the last is synced, with all before.
absl::Status ApplyInParts(std::span<const Mutation> group, bool sync, Tables* tables) {
  while (!group.empty()) {
    const auto part = group.first(std::min(group.size(), kMarkRowsAtOnce));
    group = group.subspan(part.size());
    HOURCELL_RETURN_IF_ERROR(tables->Apply(part, sync && group.empty()));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<RollupMarks>> RollupMarks::Open(Tables* tables,
                                                               bool is_kept,
                                                               size_t marks_max) {
  auto marks = std::unique_ptr<RollupMarks>(new RollupMarks(tables, marks_max));
  HOURCELL_RETURN_IF_ERROR(is_kept ? marks->Load() : marks->DeleteRows());
  return marks;
}

absl::Status RollupMarks::Load() {
  const std::unique_ptr<TableView> view = tables_.Snapshot();
  absl::Status damage;
  std::vector<RollupUntil> untils;
  const auto add_until = [&](std::string_view key, std::string_view value) {
    absl::StatusOr<RollupUntil> until = ParseRollupUntil(key, value);
    damage = until.status();
    if (until.ok()) untils.push_back(*std::move(until));
    return damage.ok();
  };
  HOURCELL_RETURN_IF_ERROR(
      view->Scan(TableId::kSystem, PrefixRange(kRollupUntilPrefix), add_until));
  HOURCELL_RETURN_IF_ERROR(damage);
  std::vector<std::pair<Uid, RollupMark>> marks;
  const auto add_mark = [&](std::string_view key, std::string_view /*value*/) {
    Uid metric = 0;
    const absl::StatusOr<RollupMark> mark = ParseRollupMarkKey(key, &metric);
    damage = mark.status();
    if (mark.ok()) marks.emplace_back(metric, *mark);
    return damage.ok();
  };
  HOURCELL_RETURN_IF_ERROR(view->Scan(TableId::kSystem, PrefixRange(kRollupMarkPrefix), add_mark));
  HOURCELL_RETURN_IF_ERROR(damage);
  MutexLock lock(&mutex_);
  for (RollupUntil& until : untils) {
    State& state = states_[until.metric];
    state.limit_s = until.until_s;
    state.until = std::move(until);
  }
  for (const auto& [metric, mark] : marks) {
    const auto state = states_.find(metric);
    // A crash in Forget leaves marks without a watermark.
    if (state != states_.end()) AddLocked(&state->second, mark, /*is_written=*/true);
  }
  SetLateLocked();
  return absl::OkStatus();
}

absl::Status RollupMarks::DeleteRows() {
  std::vector<Mutation> group;
  HOURCELL_RETURN_IF_ERROR(tables_.Snapshot()->Scan(
      TableId::kSystem, PrefixRange(kRollupRowsPrefix), [&](std::string_view key, auto) {
        group.push_back(DeleteRollupRow(std::string(key)));
        return true;
      }));
  return ApplyInParts(group, /*sync=*/true, &tables_);
}

void RollupMarks::SetLateLocked() {
  uint64_t late_before_s = 0;
  for (const auto& [metric, state] : states_)
    late_before_s = std::max(late_before_s, state.limit_s);
  late_before_s_.store(late_before_s, std::memory_order_relaxed);
}

void RollupMarks::AddLocked(State* state, const RollupMark& mark, bool is_written) {
  const auto [at, is_new] = state->marks.try_emplace(mark);
  at->second.note = ++notes_;
  if (!is_new) return;
  at->second.is_written = is_written;
  if (mark.end_s - mark.begin_s > kMarkedHourS) state->ranges.insert(mark);
  if (!is_written) unwritten_.emplace_back(state->until.metric, mark);
  if (state->marks.size() <= marks_max_) return;
  LowerLocked(state, state->marks.begin()->first.begin_s);
}

// Removes the marks that are not below the new watermark.
void RollupMarks::LowerLocked(State* state, uint64_t until_s) {
  state->until.until_s = std::min(state->until.until_s, until_s);
  state->limit_s = state->until.until_s;
  state->is_promised = false;
  std::erase_if(state->marks, [state](const auto& entry) {
    if (entry.first.begin_s < state->until.until_s) return false;
    if (entry.second.is_written) state->obsolete.push_back(entry.first);
    state->ranges.erase(entry.first);
    return true;
  });
  lowered_.insert(state->until.metric);
  SetLateLocked();
}

void RollupMarks::Note(Uid metric, SeriesNumber series, uint64_t hour_s) {
  HOURCELL_DCHECK(hour_s % kMarkedHourS == 0);
  MutexLock lock(&mutex_);
  const auto state = states_.find(metric);
  if (state == states_.end() || hour_s >= state->second.limit_s) return;
  AddLocked(&state->second, {.begin_s = hour_s, .end_s = hour_s + kMarkedHourS, .series = series},
            /*is_written=*/false);
}

absl::Status RollupMarks::Write() {
  MutexLock write(&write_mutex_);
  return WriteAlone(/*sync=*/false);
}

// The changes that a write of rows takes from memory.
struct RollupMarks::Taken {
  struct Lowered {
    RollupUntil until;
    std::vector<RollupMark> obsolete;
  };
  std::vector<std::pair<Uid, RollupMark>> marks;
  std::vector<Lowered> lowered;
};

RollupMarks::Taken RollupMarks::TakeLocked() {
  Taken taken;
  taken.marks = std::exchange(unwritten_, {});
  // It was removed, or fell.
  const auto is_gone = [&](const auto& one) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const auto state = states_.find(one.first);
    return state == states_.end() || !state->second.marks.contains(one.second);
  };
  std::erase_if(taken.marks, is_gone);
  for (const Uid metric : std::exchange(lowered_, {})) {
    State& state = states_.at(metric);
    taken.lowered.push_back({.until = state.until, .obsolete = std::exchange(state.obsolete, {})});
  }
  return taken;
}

void RollupMarks::PutBackLocked(Taken taken) {
  unwritten_.insert(unwritten_.end(), taken.marks.begin(), taken.marks.end());
  for (Taken::Lowered& one : taken.lowered) {
    State& state = states_.at(one.until.metric);
    state.obsolete.insert(state.obsolete.end(), one.obsolete.begin(), one.obsolete.end());
    lowered_.insert(one.until.metric);
  }
}

absl::Status RollupMarks::WriteAlone(bool sync) {
  Taken taken;
  {
    MutexLock lock(&mutex_);
    if (unwritten_.empty() && lowered_.empty()) return absl::OkStatus();
    taken = TakeLocked();
  }
  std::vector<Mutation> group;
  for (const Taken::Lowered& one : taken.lowered) {
    group.push_back(SetRollupRow(RollupUntilKey(one.until.metric), RollupUntilValue(one.until)));
    for (const RollupMark& mark : one.obsolete)
      group.push_back(DeleteRollupRow(RollupMarkKey(one.until.metric, mark)));
  }
  for (const auto& [metric, mark] : taken.marks)
    group.push_back(SetRollupRow(RollupMarkKey(metric, mark), {}));
  HOURCELL_KILL_POINT("rollups:before_marks");
  const absl::Status written = ApplyInParts(group, sync, &tables_);
  HOURCELL_KILL_POINT("rollups:marks");
  MutexLock lock(&mutex_);
  if (!written.ok()) {
    PutBackLocked(std::move(taken));
    return written;
  }
  for (const auto& [metric, mark] : taken.marks) {
    State& state = states_.at(metric);
    const auto at = state.marks.find(mark);
    if (at != state.marks.end()) {
      at->second.is_written = true;
    } else {
      state.obsolete.push_back(mark);  // it fell meanwhile; the next write deletes its row
    }
  }
  return absl::OkStatus();
}

uint64_t RollupMarks::CleanUntilS(Uid metric, uint64_t from_s) const {
  MutexLock lock(&mutex_);
  const auto found = states_.find(metric);
  if (found == states_.end()) return 0;
  const State& state = found->second;
  for (const RollupMark& range : state.ranges) {
    if (range.begin_s > from_s) break;
    if (range.end_s > from_s) return from_s;
  }
  const auto next = state.marks.lower_bound({.begin_s = from_s, .end_s = 0, .series = 0});
  if (next == state.marks.end()) return state.until.until_s;
  return std::min(state.until.until_s, next->first.begin_s);
}

std::optional<RollupUntil> RollupMarks::UntilOf(Uid metric) const {
  MutexLock lock(&mutex_);
  const auto found = states_.find(metric);
  if (found == states_.end()) return std::nullopt;
  return found->second.until;
}

std::vector<Uid> RollupMarks::Metrics() const {
  MutexLock lock(&mutex_);
  std::vector<Uid> metrics;
  for (const auto& [metric, state] : states_)
    metrics.push_back(metric);
  return metrics;
}

absl::Status RollupMarks::Begin(Uid metric, const std::string& fingerprint) {
  HOURCELL_RETURN_IF_ERROR(Forget(metric));
  MutexLock write(&write_mutex_);
  const RollupUntil until{.metric = metric, .until_s = 0, .fingerprint = fingerprint};
  const Mutation row = SetRollupRow(RollupUntilKey(metric), RollupUntilValue(until));
  HOURCELL_RETURN_IF_ERROR(tables_.Apply({&row, 1}, /*sync=*/true));
  MutexLock lock(&mutex_);
  states_[metric] = State{.until = until};
  return absl::OkStatus();
}

void RollupMarks::Promise(Uid metric, uint64_t limit_s) {
  HOURCELL_DCHECK(limit_s % kMarkedHourS == 0);
  MutexLock lock(&mutex_);
  const auto found = states_.find(metric);
  HOURCELL_DCHECK(found != states_.end());
  found->second.limit_s = std::max(found->second.limit_s, limit_s);
  found->second.is_promised = true;
  SetLateLocked();
}

absl::Status RollupMarks::AdvanceAll(std::span<const Advance> advances) {
  MutexLock write(&write_mutex_);
  std::vector<Mutation> group;
  std::vector<Advance> made;
  {
    MutexLock lock(&mutex_);
    for (const Advance& advance : advances) {
      const auto found = states_.find(advance.metric);
      if (found == states_.end() || !found->second.is_promised ||
          found->second.until.until_s != advance.from_s) {
        continue;
      }
      RollupUntil until = found->second.until;
      until.until_s = advance.until_s;
      group.push_back(SetRollupRow(RollupUntilKey(until.metric), RollupUntilValue(until)));
      made.push_back(advance);
    }
  }
  if (group.empty()) return absl::OkStatus();
  HOURCELL_KILL_POINT("rollups:before_until");
  HOURCELL_RETURN_IF_ERROR(ApplyInParts(group, /*sync=*/true, &tables_));
  HOURCELL_KILL_POINT("rollups:until");
  MutexLock lock(&mutex_);
  for (const Advance& advance : made) {
    State& state = states_.at(advance.metric);
    // Otherwise it fell meanwhile, and the row is too high until the next Write.
    if (state.is_promised) state.until.until_s = advance.until_s;
    state.is_promised = false;
  }
  return absl::OkStatus();
}

std::vector<NotedMark> RollupMarks::MarksOf(Uid metric, size_t max) const {
  MutexLock lock(&mutex_);
  std::vector<NotedMark> marks;
  const auto found = states_.find(metric);
  if (found == states_.end()) return marks;
  for (const auto& [mark, state] : found->second.marks) {
    if (marks.size() == max) break;
    marks.push_back({.mark = mark, .note = state.note});
  }
  return marks;
}

std::vector<NotedMark> RollupMarks::RangesOf(Uid metric) const {
  MutexLock lock(&mutex_);
  std::vector<NotedMark> marks;
  const auto found = states_.find(metric);
  if (found == states_.end()) return marks;
  for (const RollupMark& range : found->second.ranges)
    marks.push_back({.mark = range, .note = found->second.marks.at(range).note});
  return marks;
}

absl::Status RollupMarks::Remove(Uid metric, std::span<const NotedMark> marks) {
  MutexLock write(&write_mutex_);
  std::vector<Mutation> group;
  {
    MutexLock lock(&mutex_);
    const auto found = states_.find(metric);
    if (found == states_.end()) return absl::OkStatus();
    State& state = found->second;
    for (const NotedMark& one : marks) {
      const auto at = state.marks.find(one.mark);
      if (at == state.marks.end() || at->second.note != one.note) continue;
      // A mark without a row leaves unwritten_ at the next Write.
      if (at->second.is_written) group.push_back(DeleteRollupRow(RollupMarkKey(metric, one.mark)));
      state.ranges.erase(one.mark);
      state.marks.erase(at);
    }
  }
  HOURCELL_KILL_POINT("rollups:before_unmark");
  return ApplyInParts(group, /*sync=*/false, &tables_);
}

absl::Status RollupMarks::MarkRange(Uid metric, const RollupMark& range) {
  HOURCELL_DCHECK(range.begin_s < range.end_s && range.begin_s % kMarkedHourS == 0);
  MutexLock write(&write_mutex_);
  {
    MutexLock lock(&mutex_);
    const auto found = states_.find(metric);
    if (found == states_.end() || range.begin_s >= found->second.limit_s) return absl::OkStatus();
    AddLocked(&found->second, range, /*is_written=*/false);
  }
  return WriteAlone(/*sync=*/true);
}

absl::Status RollupMarks::Lower(Uid metric, uint64_t until_s) {
  HOURCELL_DCHECK(until_s % kMarkedHourS == 0);
  MutexLock write(&write_mutex_);
  {
    MutexLock lock(&mutex_);
    const auto found = states_.find(metric);
    if (found == states_.end() || found->second.limit_s <= until_s) return absl::OkStatus();
    LowerLocked(&found->second, until_s);
  }
  return WriteAlone(/*sync=*/true);
}

// The rows first: a watermark that stays needs its marks.
absl::Status RollupMarks::Forget(Uid metric) {
  MutexLock write(&write_mutex_);
  std::vector<Mutation> group = {DeleteRollupRow(RollupUntilKey(metric))};
  {
    MutexLock lock(&mutex_);
    const auto found = states_.find(metric);
    if (found == states_.end()) return absl::OkStatus();
    for (const auto& [mark, state] : found->second.marks)
      group.push_back(DeleteRollupRow(RollupMarkKey(metric, mark)));
    for (const RollupMark& mark : found->second.obsolete)
      group.push_back(DeleteRollupRow(RollupMarkKey(metric, mark)));
  }
  HOURCELL_RETURN_IF_ERROR(ApplyInParts(group, /*sync=*/true, &tables_));
  HOURCELL_KILL_POINT("rollups:forgotten");
  MutexLock lock(&mutex_);
  states_.erase(metric);
  lowered_.erase(metric);
  std::erase_if(unwritten_, [metric](const auto& one) { return one.first == metric; });
  SetLateLocked();
  return absl::OkStatus();
}

}  // namespace hourcell
