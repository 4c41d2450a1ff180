#include "engine/bigtable/rows/version_ledger.h"

#include <algorithm>
#include <utility>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"

namespace hourcell {
namespace {

// Adds a range to ascending ranges and joins neighbours.
void AddRange(const VersionRange& range, std::vector<VersionRange>* ranges) {
  auto at = std::ranges::lower_bound(*ranges, range.first, {}, &VersionRange::first);
  HOURCELL_DCHECK(range.first <= range.last);
  HOURCELL_DCHECK(at == ranges->end() || range.last < at->first);
  HOURCELL_DCHECK(at == ranges->begin() || std::prev(at)->last < range.first);
  if (at != ranges->begin() && std::prev(at)->last + 1 == range.first) {
    --at;
    at->last = range.last;
  } else {
    at = ranges->insert(at, range);
  }
  const auto next = std::next(at);
  if (next != ranges->end() && at->last + 1 == next->first) {
    at->last = next->last;
    ranges->erase(next);
  }
}

}  // namespace

VersionLedger::VersionLedger(Reserve reserve, uint64_t block)
    : reserve_(std::move(reserve)), block_(block) {
  HOURCELL_CHECK(block > 0);
}

absl::Status VersionLedger::Open() {
  MutexLock reserve_lock(&reserve_mutex_);
  HOURCELL_RETURN_IF_ERROR(ReserveFor(1));
  MutexLock lock(&mutex_);
  HOURCELL_CHECK(max_ == 0 && next_ > 0);
  max_ = next_ - 1;
  return absl::OkStatus();
}

absl::Status VersionLedger::ReserveFor(uint64_t count) {
  {
    MutexLock lock(&mutex_);
    if (block_end_ - next_ >= count) return absl::OkStatus();
  }
  const uint64_t size = std::max(count, block_);
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t first, reserve_(size));
  MutexLock lock(&mutex_);
  if (first < block_end_) return absl::DataLossError("the counter of versions went back");
  next_ = first;
  block_end_ = first + size;
  HOURCELL_DCHECK(next_ > max_);
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> VersionLedger::Begin(uint64_t count) {
  HOURCELL_CHECK(count > 0);
  for (;;) {
    {
      MutexLock lock(&mutex_);
      if (block_end_ - next_ >= count) {
        const uint64_t first = std::exchange(next_, next_ + count);
        HOURCELL_DCHECK(first > max_);  // versions only grow
        max_ = first + count - 1;
        under_way_.emplace(first, max_);
        return first;
      }
    }
    // Other threads may use up the block before this one.
    MutexLock reserve_lock(&reserve_mutex_);
    HOURCELL_RETURN_IF_ERROR(ReserveFor(count));
  }
}

void VersionLedger::End(uint64_t first, bool is_known) {
  MutexLock lock(&mutex_);
  const auto write = under_way_.find(first);
  HOURCELL_CHECK(write != under_way_.end());
  if (!is_known) AddRange({.first = first, .last = write->second}, &unknown_);
  under_way_.erase(write);
}

bool VersionLedger::HasUnknown() {
  MutexLock lock(&mutex_);
  return !unknown_.empty();
}

VersionView VersionLedger::Acquire() {
  MutexLock lock(&mutex_);
  VersionView view = {.max = max_, .hidden = unknown_, .floor = max_ + 1};
  if (!under_way_.empty()) view.floor = under_way_.begin()->first;
  for (const auto& [first, last] : under_way_)
    AddRange({.first = first, .last = last}, &view.hidden);
  HOURCELL_DCHECK(view.floor <= view.max + 1);
  floors_.insert(view.floor);
  return view;
}

void VersionLedger::Release(const VersionView& view) {
  MutexLock lock(&mutex_);
  const auto floor = floors_.find(view.floor);
  HOURCELL_CHECK(floor != floors_.end());
  floors_.erase(floor);
}

VersionView VersionLedger::Settled() {
  MutexLock lock(&mutex_);
  uint64_t floor = max_ + 1;
  if (!under_way_.empty()) floor = std::min(floor, under_way_.begin()->first);
  if (!floors_.empty()) floor = std::min(floor, *floors_.begin());
  HOURCELL_DCHECK(floor > 0);
  return {.max = floor - 1, .hidden = unknown_, .floor = floor};
}

}  // namespace hourcell
