#include "engine/write/sealed_cells.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "codec/base/check.h"
#include "codec/cells/day_cell.h"
#include "codec/cells/packed_cell.h"
#include "codec/limits.h"
#include "codec/rows/row_span.h"
#include "engine/days/few_points.h"
#include "engine/days/hour_place.h"

// Why days are put together here, and not by the merge of rows alone: a back-fill of hourly points
// would give each point a cell, a row key and a place in a memtable, and inserting those took more
// than a third of its processor time. Of a day of 60 points an hour, most pages would be encoded
// twice or three times.

namespace hourcell {
namespace {

void AppendCellOf(const CellColumns& columns, CellEncoding encoding, std::string* cell) {
  if (encoding == CellEncoding::kPacked) {
    AppendPackedCell(columns, cell);
  } else {
    AppendCell(columns, cell);
  }
}

bool IsSameDay(uint32_t a_s, uint32_t b_s) {
  return kDaySpan.FloorS(a_s) == kDaySpan.FloorS(b_s);
}

// True for keys of rows of one series that are the same but for the base time.
bool DifferInTimeAlone(std::string_view a, std::string_view b, size_t at) {
  return a.substr(0, at) == b.substr(0, at) &&
         a.substr(at + kTimeFieldBytes) == b.substr(at + kTimeFieldBytes);
}

}  // namespace

void AppendHourPoints(const OpenHourPoints& points,
                      CellEncoding encoding,
                      CellColumns* scratch,
                      std::string* cell) {
  HOURCELL_DCHECK(points.points() > 0);
  scratch->clear();
  points.DecodeTo(scratch);
  if (!points.ascends()) SortLastWins(scratch);
  AppendCellOf(*scratch, encoding, cell);
}

void SealedCells::Pending::Clear() {
  key.clear();
  places.clear();
  columns.clear();
}

void SealedCells::Add(size_t place, const FrozenHour& hour, std::string key) {
  HOURCELL_DCHECK(hour.points->points() > 0);
  const uint32_t base_time_s = hour.info.base_time_s;
  if (hour.info.series != series_ || !IsSameDay(base_time_s, base_time_s_)) {
    FinishDay();
  } else if (base_time_s != base_time_s_) {
    FinishHour();
  }
  HOURCELL_DCHECK(day_.is_empty() || base_time_s >= base_time_s_);
  series_ = hour.info.series;
  base_time_s_ = base_time_s;
  const size_t before = hour_.columns.size();
  hour.points->DecodeTo(&hour_.columns);
  HOURCELL_DCHECK(hour_.columns.size() == before + hour.points->points());
  ascends_ = hour_.is_empty() && hour.points->ascends();
  if (hour_.is_empty()) hour_.key = std::move(key);
  hour_.places.push_back(place);
}

// True if the points of hour_ are few.
bool SealedCells::SharesDay() const {
  const CellColumns& columns = hour_.columns;
  if (settings_.encoding != CellEncoding::kPacked) return false;
  return AreFewPoints(static_cast<uint32_t>(columns.size()),
                      columns.offset_ms.back() - columns.offset_ms.front(),
                      settings_.day_points_max);
}

void SealedCells::FinishHour() {
  if (hour_.is_empty()) return;
  if (!ascends_) SortLastWins(&hour_.columns);
  const bool shares_day = SharesDay();
  std::string cell;
  if (!shares_day || settings_.keeps_hour_cells) {
    AppendCellOf(hour_.columns, settings_.encoding, &cell);
  }
  if (settings_.keeps_hour_cells) hour_cells_.push_back({hour_.places.front(), cell});
  if (!shares_day) {
    AppendMerge(&hour_, std::move(cell));
    return;
  }
  // Salt buckets may change within a day: then a key does not give those of the other hours.
  if (!day_.is_empty() && !DifferInTimeAlone(day_.key, hour_.key, settings_.base_time_at)) {
    AppendDay();
  }
  if (day_.is_empty()) day_.key = std::move(hour_.key);
  day_.places.insert(day_.places.end(), hour_.places.begin(), hour_.places.end());
  CellColumns& day = day_.columns;
  const CellColumns& hour = hour_.columns;
  const uint32_t start_ms = base_time_s_ % kDaySpan.seconds * 1000;
  for (const uint32_t offset_ms : hour.offset_ms)
    day.offset_ms.push_back(start_ms + offset_ms);
  day.bits.insert(day.bits.end(), hour.bits.begin(), hour.bits.end());
  day.flags.insert(day.flags.end(), hour.flags.begin(), hour.flags.end());
  hour_.Clear();
}

void SealedCells::FinishDay() {
  FinishHour();
  if (!day_.is_empty()) AppendDay();
}

void SealedCells::AppendDay() {
  HOURCELL_DCHECK(!day_.is_empty());
  std::string cell;
  AppendDayCell(day_.columns, &cell);
  AppendMerge(&day_, std::move(cell));
}

void SealedCells::AppendMerge(Pending* pending, std::string cell) {
  Mutation& merge = merges_.emplace_back();
  merge.kind = Mutation::Kind::kMerge;
  merge.key = std::move(pending->key);
  merge.value = std::move(cell);
  parts_.push_back({.begin = places_.size(), .end = places_.size() + pending->places.size()});
  places_.insert(places_.end(), pending->places.begin(), pending->places.end());
  pending->Clear();
}

// A memtable is fastest in key order.
void SealedCells::Finish() {
  FinishDay();
  std::vector<size_t> order(merges_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [this](size_t i) -> const std::string& { return merges_[i].key; });
  std::vector<Mutation> merges;
  std::vector<Part> parts;
  merges.reserve(order.size());
  parts.reserve(order.size());
  for (const size_t i : order) {
    merges.push_back(std::move(merges_[i]));
    parts.push_back(parts_[i]);
  }
  merges_ = std::move(merges);
  parts_ = std::move(parts);
}

}  // namespace hourcell
