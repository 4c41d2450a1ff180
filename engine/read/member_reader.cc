#include "engine/read/member_reader.h"

#include <algorithm>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/limits.h"

// Why batches: a query of all points of 100 million took 1.7 GB when all spans were read before the
// first was used. A batch takes about kBatchBytes, estimated by earlier batches. Its rows are read
// in the order of their keys, and its members are used in the order of their groups, so the size of
// batches does not change sums of doubles.

namespace hourcell {
namespace {

// Memory of a batch's spans, as estimated before reading.
constexpr size_t kBatchBytes = 16 << 20;
// Assumed points of an hour before any is read: one a second.
constexpr size_t kPointsOfHourGuess = 3600;
// For groups of one: members of the first batch, growth of batches, and members of any batch.
constexpr size_t kFirstMembers = 1024;
constexpr size_t kBatchGrowth = 4;
constexpr size_t kMembersMax = 16'384;
// With fewer rows than this, present hours are not looked up before reading.
constexpr uint64_t kRowsWorthAsking = 64;
// Estimated size of a cell: a packed hour of points every 10 s.
constexpr uint64_t kCellBytesGuess = 400;
// A query that reads more than this part of the block cache does not change it.
constexpr uint64_t kLargeShareOfCache = 4;

}  // namespace

uint64_t MemberReader::HoursOf(const ScanBounds& bounds) {
  return bounds.end_s <= bounds.begin_s ? 0
                                        : (bounds.end_s - bounds.begin_s) / kDataRowSpan.seconds;
}

MemberReader::MemberReader(const SpanReader::Parts& parts,
                           const QuerySpec& spec,
                           const SubQuery& query,
                           const SubQueryPlan& plan,
                           const SeriesGroups& groups)
    : parts_(parts), spec_(spec), query_(query), plan_(plan), groups_(groups) {}

absl::Status MemberReader::Begin(const Settings& settings) {
  HOURCELL_DCHECK(!reader_.has_value());  // begun once
  settings_ = settings;
  ScanBounds bounds = ClampHours(plan_.bounds);
  bounds.begin_s = std::max(bounds.begin_s, FirstRowFromS(kDataRowSpan, plan_.visible_from_ms));
  stored_ = AllRows(*parts_.view, bounds);
  if (HoursOf(bounds) * groups_.members().size() > kRowsWorthAsking && HoursOf(bounds) > 2) {
    HOURCELL_ASSIGN_OR_RETURN(stored_,
                              PresentRows(*parts_.row_keys, parts_.view, plan_.metric, bounds));
  }
  Sort(groups_.members());
  cost_ = EstimateFor(sorted_);
  reader_.emplace(parts_, SpanReader::Settings{.list = plan_.list.get(),
                                               .metric = plan_.metric,
                                               .bounds = plan_.bounds,
                                               .stored = stored_,
                                               .visible_from_ms = plan_.visible_from_ms,
                                               .downsample = query_.downsample,
                                               .range = {.start_ms = spec_.start_ms,
                                                         .end_ms = spec_.end_ms,
                                                         .scan = plan_.bounds,
                                                         .windows = spec_.windows},
                                               .division = spec_.read_division,
                                               .special_values = spec_.special_values});
  return absl::OkStatus();
}

uint64_t MemberReader::expected_bytes() const {
  return cost_.rows * kCellBytesGuess;
}

ReadCost MemberReader::EstimateFor(std::span<const uint32_t> sorted) const {
  ReadCost cost = EstimateRead(
      {.series = sorted,
       .metric_series = plan_.metric_series,
       .knows_all = plan_.list_is_whole,
       .hours = stored_.rows(),
       .buckets = parts_.row_keys->salt_epochs().BucketsMaxIn(stored_.begin_s(), stored_.end_s())});
  if (spec_.read_method != ReadMethod::kCheapest) cost.method = spec_.read_method;
  return cost;
}

void MemberReader::Sort(std::span<const uint32_t> members) {
  sorted_.assign(members.begin(), members.end());
  if (!std::ranges::is_sorted(sorted_)) std::ranges::sort(sorted_);
}

// The size of the next batch.
size_t MemberReader::BatchSize() const {
  size_t bytes = 0;  // of a member
  if (next_ > 0) {
    bytes = bytes_of_read_ / next_;
  } else {
    const size_t points = HoursOf(plan_.bounds) * kPointsOfHourGuess;
    bytes =
        kSpanPointBytes * (settings_.buckets == 0 ? points : std::min(points, settings_.buckets));
  }
  size_t size = kBatchBytes / std::max<size_t>(bytes, 64) + 1;
  // Batches begin small, to return the first results soon. Not if groups have several members:
  // those may lie anywhere, and each batch would step over the rows of the others.
  if (groups_.size() == groups_.members().size()) {
    size = std::min(size, std::clamp(kBatchGrowth * next_, kFirstMembers, kMembersMax));
  }
  return std::min(groups_.members().size() - next_, size);
}

absl::Status MemberReader::Read() {
  HOURCELL_DCHECK(reader_.has_value() && batch_.empty() && !is_done());
  const std::span<const uint32_t> members = groups_.members().subspan(next_, BatchSize());
  const bool is_all = members.size() == groups_.members().size();  // as Begin sorted them
  if (!is_all) Sort(members);
  const ReadCost cost = is_all ? cost_ : EstimateFor(sorted_);
  const bool is_large = expected_bytes() > settings_.block_cache_bytes / kLargeShareOfCache;
  HOURCELL_RETURN_IF_ERROR(reader_->Read(sorted_, cost.method, is_large, &spans_, &span_bytes_));
  batch_ = members;
  at_ = 0;
  next_ += members.size();
  HOURCELL_DCHECK(next_ <= groups_.members().size());
  bytes_of_read_ += span_bytes_ - members.size() * SpanReader::kSeriesBytes;
  return absl::OkStatus();
}

SeriesSpan* MemberReader::SpanOf(uint32_t member) {
  // Mostly the one after the last.
  if (at_ == sorted_.size() || sorted_[at_] != member) {
    at_ = static_cast<size_t>(std::ranges::lower_bound(sorted_, member) - sorted_.begin());
  }
  HOURCELL_DCHECK(at_ < sorted_.size());
  return &spans_.spans[at_++];
}

void MemberReader::Release() {
  HOURCELL_DCHECK(!batch_.empty());
  spans_ = {};
  parts_.memory->GiveBack(span_bytes_);
  batch_ = {};
}

}  // namespace hourcell
