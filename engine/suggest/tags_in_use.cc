#include "engine/suggest/tags_in_use.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>
#include <roaring/roaring64map.hh>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/rows/tsuid.h"

namespace hourcell {
namespace {

// Series between two looks at the watch, and those whose tsuids are read together.
constexpr size_t kTagSeriesAtOnce = 4096;
// After a visit of all series, the next one waits for this multiple of its time.
constexpr int64_t kVisitPause = 20;

}  // namespace

// A bit for each UID. UIDs are given in order, so most bits are in full or regular containers.
struct TagsInUse::Uids {
  Roaring64Map tagks;
  Roaring64Map tagvs;

  absl::Status Add(const Layout& layout, std::string_view tsuid) {
    HOURCELL_ASSIGN_OR_RETURN(const SeriesUids series, ParseTsuid(layout, tsuid));
    for (const TagUids& tag : series.tags) {
      tagks.add(uint64_t{tag.tagk});
      tagvs.add(uint64_t{tag.tagv});
    }
    return absl::OkStatus();
  }
};

TagsInUse::TagsInUse(const Layout& layout, SeriesTable* series, MonotonicClock* clock)
    : layout_(layout), series_(*series), clock_(*clock) {}

TagsInUse::~TagsInUse() = default;

absl::Status TagsInUse::Refresh(const QueryWatch& watch) {
  HOURCELL_DCHECK(!series_.is_followed());
  MutexLock refresh(&refresh_);
  bool is_visited = false;
  {
    ReaderLock lock(&uids_mutex_);
    is_visited = uids_ != nullptr;
  }
  const SeriesSet::Pointer unlisted = series_.unlisted()->Now();
  const bool has_drops = series_.dropping()->changes() != drops_ ||
                         !SeriesSet::Difference(unlisted, left_out_).empty();
  if (!is_visited || (has_drops && clock_.MonotonicMs() >= next_visit_ms_)) return VisitAll(watch);
  HOURCELL_RETURN_IF_ERROR(AddListedAgain(unlisted, watch));
  return AddNewer(watch);
}

absl::Status TagsInUse::VisitAll(const QueryWatch& watch) {
  // Before the visit: a series that is made or dropped meanwhile is looked at again.
  const SeriesNumber last_number = series_.last_number();
  const uint64_t drops = series_.dropping()->changes();
  const SeriesSet::Pointer unlisted = series_.unlisted()->Now();
  const int64_t begin_ms = clock_.MonotonicMs();
  auto uids = std::make_unique<Uids>();
  size_t visited = 0;
  absl::Status fault;
  const auto add = [&](SeriesNumber number, std::string_view tsuid) {
    if (visited++ % kTagSeriesAtOnce == 0) fault = watch.Check();
    if (unlisted != nullptr && unlisted->Contains(number)) return fault.ok();
    if (fault.ok()) fault = uids->Add(layout_, tsuid);
    return fault.ok();
  };
  HOURCELL_RETURN_IF_ERROR(series_.Visit(std::nullopt, add));
  HOURCELL_RETURN_IF_ERROR(fault);
  const int64_t end_ms = clock_.MonotonicMs();
  next_visit_ms_ = end_ms + kVisitPause * (end_ms - begin_ms);
  last_number_ = last_number;
  drops_ = drops;
  left_out_ = unlisted;
  WriterLock lock(&uids_mutex_);
  uids_ = std::move(uids);
  return absl::OkStatus();
}

absl::Status TagsInUse::AddNewer(const QueryWatch& watch) {
  const SeriesNumber last_number = series_.last_number();
  std::vector<SeriesNumber> numbers;
  while (last_number_ < last_number) {
    HOURCELL_RETURN_IF_ERROR(watch.Check());
    numbers.resize(std::min<uint64_t>(last_number - last_number_, kTagSeriesAtOnce));
    std::iota(numbers.begin(), numbers.end(), last_number_ + 1);
    HOURCELL_RETURN_IF_ERROR(AddTagsOf(numbers));
    last_number_ = numbers.back();
  }
  return absl::OkStatus();
}

// Adds the tags of the series that the last visit left out, and that `unlisted` lacks.
absl::Status TagsInUse::AddListedAgain(const SeriesSet::Pointer& unlisted,
                                       const QueryWatch& watch) {
  const std::vector<SeriesNumber> numbers = SeriesSet::Difference(left_out_, unlisted);
  std::span<const SeriesNumber> left(numbers);
  while (!left.empty()) {
    HOURCELL_RETURN_IF_ERROR(watch.Check());
    const auto some = left.first(std::min(left.size(), kTagSeriesAtOnce));
    HOURCELL_RETURN_IF_ERROR(AddTagsOf(some));
    left = left.subspan(some.size());
  }
  if (!numbers.empty()) left_out_ = SeriesSet::Intersection(left_out_, unlisted);
  return absl::OkStatus();
}

absl::Status TagsInUse::AddTagsOf(std::span<const SeriesNumber> numbers) {
  std::vector<std::string> tsuids;
  HOURCELL_RETURN_IF_ERROR(series_.TsuidsFound(numbers, &tsuids));
  WriterLock lock(&uids_mutex_);
  if (uids_ == nullptr) return absl::OkStatus();  // cleared meanwhile: the next call visits
  for (const std::string& tsuid : tsuids) {
    if (!tsuid.empty()) HOURCELL_RETURN_IF_ERROR(uids_->Add(layout_, tsuid));
  }
  return absl::OkStatus();
}

bool TagsInUse::Has(UidKind kind, Uid uid) const {
  ReaderLock lock(&uids_mutex_);
  if (uids_ == nullptr) return false;
  if (kind == UidKind::kTagk) return uids_->tagks.contains(uint64_t{uid});
  return kind == UidKind::kTagv && uids_->tagvs.contains(uint64_t{uid});
}

void TagsInUse::Clear() {
  WriterLock lock(&uids_mutex_);
  uids_ = nullptr;
}

}  // namespace hourcell
