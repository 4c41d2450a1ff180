#include "engine/query/stages/downsampler.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/limits.h"
#include "engine/query/accumulator.h"
#include "engine/query/stages/calendar_grid.h"
#include "engine/query/stages/condenser.h"
#include "engine/query/stages/rank.h"

namespace hourcell {
namespace {

int64_t AlignDown(int64_t ms, int64_t interval_ms) {
  return ms - ms % interval_ms;
}

int64_t AlignUp(int64_t ms, int64_t interval_ms) {
  const int64_t down = AlignDown(ms, interval_ms);
  if (down == ms) return ms;
  return down > INT64_MAX - interval_ms ? INT64_MAX : down + interval_ms;
}

double FillValue(const DownsampleSpec& spec) {
  return spec.fill == FillPolicy::kZero ? spec.fill_value
                                        : std::numeric_limits<double>::quiet_NaN();
}

int64_t BeginMs(const QueryRange& range) {
  return int64_t{range.scan.begin_s} * 1000;
}

int64_t EndMs(const QueryRange& range) {
  return static_cast<int64_t>(std::min<uint64_t>(range.scan.end_s, INT64_MAX / 1000)) * 1000;
}

// Buckets aligned to multiples of the interval since 1970; CalendarGrid is the calendar's
// counterpart.
class FixedGrid {
 public:
  explicit FixedGrid(int64_t interval_ms) : interval_ms_(interval_ms) {}
  int64_t Floor(int64_t ms) const { return AlignDown(ms, interval_ms_); }
  int64_t Next(int64_t ms) const {
    return ms > INT64_MAX - interval_ms_ ? INT64_MAX : ms + interval_ms_;
  }

 private:
  const int64_t interval_ms_;
};

// How many buckets begin in [begin_ms, end_ms), both boundaries.
size_t CountBuckets(const FixedGrid& grid, int64_t begin_ms, int64_t end_ms) {
  const int64_t interval_ms = grid.Next(begin_ms) - begin_ms;
  return begin_ms >= end_ms ? 0 : static_cast<size_t>((end_ms - begin_ms) / interval_ms);
}
size_t CountBuckets(const CalendarGrid& grid, int64_t begin_ms, int64_t end_ms) {
  size_t count = 0;
  for (; begin_ms < end_ms; begin_ms = grid.Next(begin_ms))
    ++count;
  return count;
}

// The one bucket of `all`.
class OneBucketGrid {
 public:
  OneBucketGrid(int64_t begin_ms, int64_t end_ms) : begin_ms_(begin_ms), end_ms_(end_ms) {}
  int64_t Floor(int64_t /*ms*/) const { return begin_ms_; }
  int64_t Next(int64_t /*ms*/) const { return end_ms_; }

 private:
  const int64_t begin_ms_;
  const int64_t end_ms_;
};

// Room for more buckets than most rows have.
constexpr size_t kBucketsAtFirst = 64;

// The limits of the buckets: points before `first_ms` and from `end_ms` on are skipped; with fill
// there are buckets from `fill_begin_ms` to (excluding) `end_ms`, both boundaries.
struct BucketLimits {
  int64_t first_ms = 0;
  int64_t end_ms = INT64_MAX;
  int64_t fill_begin_ms = 0;
  size_t expected = kBucketsAtFirst;  // buckets of a span, to make room for
};

BucketLimits LimitsBetween(const DownsampleSpec& spec, int64_t begin_ms, int64_t end_ms) {
  const bool fills = spec.fill != FillPolicy::kNone;
  const auto buckets =
      static_cast<size_t>(std::max<int64_t>(end_ms - begin_ms, 0) / spec.interval_ms);
  return {.first_ms = AlignUp(begin_ms, spec.interval_ms),
          .end_ms = fills ? AlignDown(end_ms, spec.interval_ms) : INT64_MAX,
          .fill_begin_ms = AlignDown(begin_ms, spec.interval_ms),
          .expected = std::min(buckets + 1, kBucketsAtFirst)};
}

BucketLimits LimitsByCalendar(const DownsampleSpec& spec,
                              const CalendarGrid& grid,
                              const QueryRange& range) {
  const int64_t begin_ms = grid.Floor(range.start_ms);
  const bool fills = spec.fill != FillPolicy::kNone;
  return {.first_ms = begin_ms,
          .end_ms = fills ? grid.Next(grid.Floor(range.end_ms)) : INT64_MAX,
          .fill_begin_ms = begin_ms};
}

// The values of a bucket, for an aggregator that picks one by rank; used like an accumulator.
class RankBucket {
 public:
  explicit RankBucket(const Rank& rank) : rank_(rank) {}
  void Clear() { values_.clear(); }
  void Add(double value) {
    if (!std::isnan(value)) values_.push_back(value);
  }
  size_t allocated_bytes() const { return values_.capacity() * sizeof(double); }
  size_t GrowthBytes(size_t points) const {
    const size_t wanted = values_.size() + points;
    return wanted <= values_.capacity() ? 0 : 2 * wanted * sizeof(double);
  }
  double Result() { return values_.empty() ? kNoValue : SelectRank(rank_, std::span(values_)); }

 private:
  Rank rank_;
  std::vector<double> values_;
};

template <typename Accumulator>
void Clear(Accumulator* accumulator) {
  *accumulator = {};
}
void Clear(RankBucket* bucket) {
  bucket->Clear();
}

// In addition to the accumulator's own size.
template <typename Accumulator>
size_t AllocatedBytes(const Accumulator& /*accumulator*/) {
  return 0;
}
size_t AllocatedBytes(const RankBucket& bucket) {
  return bucket.allocated_bytes();
}

template <typename Accumulator>
size_t GrowthOf(const Accumulator& /*accumulator*/, size_t /*points*/) {
  return 0;
}
size_t GrowthOf(const RankBucket& bucket, size_t points) {
  return bucket.GrowthBytes(points);
}

// The kinds of a set of values.
enum class ValueKinds : uint8_t { kIntegers, kFloats, kBoth };

ValueKinds KindsOf(std::span<const uint8_t> flags) {
  constexpr uint64_t kFloats = 0x0101010101010101 * kFloatFlag;
  uint64_t some = 0;
  uint64_t all = kFloats;
  size_t i = 0;
  for (; i + sizeof(uint64_t) <= flags.size(); i += sizeof(uint64_t)) {
    uint64_t eight = 0;
    std::memcpy(&eight, &flags[i], sizeof(eight));
    some |= eight;
    all &= eight;
  }
  for (; i < flags.size(); ++i) {
    some |= flags[i];
    all &= flags[i] | ~uint64_t{kFloatFlag};
  }
  if ((some & kFloats) == 0) return ValueKinds::kIntegers;
  return (all & kFloats) == kFloats ? ValueKinds::kFloats : ValueKinds::kBoth;
}

// Memory for the first buckets of many spans, taken in large pieces.
class BucketRoom {
 public:
  struct Buckets {
    int64_t* times = nullptr;
    uint64_t* values = nullptr;
  };
  // Memory of `count` buckets, not initialised. It lives as long as the room.
  Buckets Take(size_t count) {
    constexpr size_t kPieceMin = 256;
    constexpr size_t kPieceMax = 8192;
    if (left_ < count) {
      piece_ = std::max(count, std::clamp(2 * piece_, kPieceMin, kPieceMax));
      left_ = piece_;
      times_.push_back(std::make_unique_for_overwrite<int64_t[]>(piece_));
      values_.push_back(std::make_unique_for_overwrite<uint64_t[]>(piece_));
    }
    left_ -= count;
    return {.times = times_.back().get() + left_, .values = values_.back().get() + left_};
  }

 private:
  size_t piece_ = 0;  // buckets of the last piece
  size_t left_ = 0;   // in the last piece
  std::vector<std::unique_ptr<int64_t[]>> times_;
  std::vector<std::unique_ptr<uint64_t[]>> values_;
};

// Output values are all doubles: the array of types is written once, at the end.
template <typename Grid, typename Bucket>
class BucketBuilder final : public SpanBuilder {
 public:
  BucketBuilder(const DownsampleSpec& spec, Grid grid, const BucketLimits& limits, Bucket empty)
      : grid_(std::move(grid)),
        limits_(limits),
        fills_(spec.fill != FillPolicy::kNone),
        filled_to_ms_(limits.fill_begin_ms),
        bucket_(std::move(empty)) {}

  // Takes the memory of the first buckets of `room`, which is borrowed.
  void set_room(BucketRoom* room) { room_ = room; }

  void AddRow(int64_t base_ms, const CellColumns& columns, size_t first, size_t end) override {
    const uint32_t* const offsets = columns.offset_ms.data();
    const uint64_t* const bits = columns.bits.data();
    const auto ms_at = [=](size_t i) { return base_ms + offsets[i]; };
    switch (KindsOf(std::span(columns.flags).subspan(first, end - first))) {
      case ValueKinds::kIntegers:
        return AddPoints(first, end, ms_at, [=](size_t i) {
          return static_cast<double>(static_cast<int64_t>(bits[i]));
        });
      case ValueKinds::kFloats:
        return AddPoints(first, end, ms_at,
                         [=](size_t i) { return std::bit_cast<double>(bits[i]); });
      case ValueKinds::kBoth:
        return AddPoints(first, end, ms_at, [&](size_t i) { return columns.value(i).ToDouble(); });
    }
  }

  void AddSpan(const Span& span) override {
    AddPoints(
        0, span.size(), [&](size_t i) { return span.t[i]; },
        [&](size_t i) { return span.ToDouble(i); });
  }

  bool AddSummary(int64_t base_ms, const CellSummary& summary) override {
    const int64_t first_ms = base_ms + summary.first_offset_ms;
    const int64_t last_ms = base_ms + summary.last_offset_ms;
    if (first_ms < limits_.first_ms || last_ms >= limits_.end_ms) return false;
    if (is_open_ && first_ms < bucket_end_ms_) {
      return last_ms < bucket_end_ms_ && AddSummaryTo(summary, &bucket_);
    }
    if (last_ms >= grid_.Next(grid_.Floor(first_ms))) return false;
    Bucket fresh = bucket_;
    Clear(&fresh);
    if (!AddSummaryTo(summary, &fresh)) return false;
    OpenBucket(first_ms);
    bucket_ = std::move(fresh);
    return true;
  }

  void FinishInto(Span* span) override {
    const BucketsView buckets = FinishInPlace();
    if (span_.t.empty()) {
      span->t.assign(buckets.t.begin(), buckets.t.end());
      span->v.assign(buckets.v.begin(), buckets.v.end());
    } else {
      span_.t.resize(count_);
      span_.v.resize(count_);
      // Not swapped: the builder would keep the memory of another member's filled span.
      span->t = std::move(span_.t);
      span->v = std::move(span_.v);
    }
    span->is_float.assign(span->t.size(), 1);
  }

  BucketsView FinishInPlace() override {
    has_gaps_ |= fills_ && filled_to_ms_ < limits_.end_ms;
    if (count_ == 0 && is_open_) {
      only_ = std::bit_cast<uint64_t>(bucket_.Result());
      return {.t = {&bucket_ms_, 1}, .v = {&only_, 1}};
    }
    CloseBucket();
    return {.t = {buckets_.times, count_}, .v = {buckets_.values, count_}};
  }

  bool has_gaps() const override { return has_gaps_; }

  size_t allocated_bytes() const override {
    const size_t buckets = span_.t.empty() ? capacity_ : span_.t.capacity();
    return sizeof(*this) + buckets * kSpanPointBytes + AllocatedBytes(bucket_);
  }

  size_t GrowthBytes(size_t points) const override {
    const size_t buckets = count_ + points + 1;
    const size_t of_span = buckets <= capacity_ ? 0 : (buckets + buckets / 2) * kSpanPointBytes;
    return of_span + GrowthOf(bucket_, points);
  }

 private:
  template <typename MsAt, typename DoubleAt>
  void AddPoints(size_t begin, size_t end, const MsAt& ms_at, const DoubleAt& double_at) {
    size_t i = begin;
    while (i < end && ms_at(i) < limits_.first_ms)
      ++i;
    while (i < end && ms_at(end - 1) >= limits_.end_ms)
      --end;
    Bucket bucket = std::move(bucket_);  // in registers
    while (i < end) {
      if (!is_open_ || ms_at(i) >= bucket_end_ms_) {
        bucket_ = std::move(bucket);
        OpenBucket(ms_at(i));
        bucket = std::move(bucket_);
      }
      const size_t bucket_end = i + CountInBucket(i, end, ms_at);
      for (; i < bucket_end; ++i)
        bucket.Add(double_at(i));
    }
    bucket_ = std::move(bucket);
  }

  // Number of points from `i` on in the open bucket: mostly as many as in the previous one.
  template <typename MsAt>
  size_t CountInBucket(size_t i, size_t end, const MsAt& ms_at) {
    size_t next = std::min(i + last_count_, end);
    const bool is_it = next > i && ms_at(next - 1) < bucket_end_ms_ &&
                       (next == end || ms_at(next) >= bucket_end_ms_);
    if (!is_it) {
      next = i;
      while (next < end && ms_at(next) < bucket_end_ms_)
        ++next;
    }
    last_count_ = next - i;
    return last_count_;
  }

  // Ends the open bucket, if there is one, and begins the one of `ms`.
  void OpenBucket(int64_t ms) {
    const bool was_open = is_open_;
    CloseBucket();
    // Mostly it is the next one, which does not need a division.
    const int64_t next_end_ms = was_open ? grid_.Next(bucket_end_ms_) : 0;
    if (was_open && ms < next_end_ms) {
      bucket_ms_ = std::exchange(bucket_end_ms_, next_end_ms);
    } else {
      bucket_ms_ = grid_.Floor(ms);
      bucket_end_ms_ = grid_.Next(bucket_ms_);
    }
    is_open_ = true;
    has_gaps_ |= fills_ && filled_to_ms_ < bucket_ms_;
    filled_to_ms_ = bucket_end_ms_;
  }

  void CloseBucket() {
    if (!is_open_) return;
    Push(bucket_ms_, bucket_.Result());
    Clear(&bucket_);
    is_open_ = false;
  }

  void Push(int64_t ms, double value) {
    if (count_ == capacity_) Grow();
    buckets_.times[count_] = ms;
    buckets_.values[count_] = std::bit_cast<uint64_t>(value);
    ++count_;
  }

  // Makes room for many buckets, so that Push is a few instructions.
  void Grow() {
    if (count_ == 0 && room_ != nullptr) {
      capacity_ = limits_.expected;
      buckets_ = room_->Take(capacity_);
      return;
    }
    const bool was_in_room = span_.t.empty();
    capacity_ = std::max(limits_.expected, count_ + count_ / 2 + 1);
    span_.t.resize(capacity_);
    span_.v.resize(capacity_);
    if (was_in_room) {
      std::copy_n(buckets_.times, count_, span_.t.begin());
      std::copy_n(buckets_.values, count_, span_.v.begin());
    }
    buckets_ = {.times = span_.t.data(), .values = span_.v.data()};
  }

  const Grid grid_;
  const BucketLimits limits_;
  const bool fills_;
  int64_t filled_to_ms_;  // the first bucket after those of the span
  bool has_gaps_ = false;
  bool is_open_ = false;
  int64_t bucket_ms_ = 0;
  int64_t bucket_end_ms_ = 0;
  uint64_t only_ = 0;      // the value of a single bucket
  size_t last_count_ = 0;  // points of the previous bucket
  Bucket bucket_;
  BucketRoom* room_ = nullptr;
  BucketRoom::Buckets buckets_;  // the first `count_` are valid; of the room, or of span_
  size_t capacity_ = 0;
  size_t count_ = 0;
  Span span_;  // empty: the buckets are of the room
};

// All points, as they are, or condensed for windows.
class PointBuilder final : public SpanBuilder {
 public:
  explicit PointBuilder(const std::optional<WindowSpec>& windows) : windows_(windows) {}
  void set_room(BucketRoom* /*room*/) {}
  void AddRow(int64_t base_ms, const CellColumns& columns, size_t first, size_t end) override {
    const size_t count = end - first;
    Reserve(count);
    for (const uint32_t offset : std::span(columns.offset_ms).subspan(first, count))
      span_.t.push_back(base_ms + offset);
    if (!span_.weights.empty()) return AddDoubles(columns, first, end);
    const std::span<const uint64_t> bits = std::span(columns.bits).subspan(first, count);
    span_.v.insert(span_.v.end(), bits.begin(), bits.end());
    for (const uint8_t flags : std::span(columns.flags).subspan(first, count))
      span_.is_float.push_back((flags & kFloatFlag) != 0 ? 1 : 0);
  }
  bool AddSummary(int64_t base_ms, const CellSummary& summary) override {
    return windows_.has_value() && AppendCondensed(*windows_, base_ms, summary, &span_);
  }
  void AddSpan(const Span& span) override {
    HOURCELL_DCHECK(span_.weights.empty());
    span_.t.insert(span_.t.end(), span.t.begin(), span.t.end());
    span_.v.insert(span_.v.end(), span.v.begin(), span.v.end());
    span_.is_float.insert(span_.is_float.end(), span.is_float.begin(), span.is_float.end());
  }
  void FinishInto(Span* span) override { *span = std::move(span_); }
  BucketsView FinishInPlace() override { HOURCELL_CHECK(false); }
  bool has_gaps() const override { return false; }
  size_t allocated_bytes() const override {
    return sizeof(*this) + span_.t.capacity() * kSpanPointBytes +
           span_.weights.capacity() * sizeof(uint32_t);
  }
  size_t GrowthBytes(size_t points) const override {
    return Fits(points) ? 0 : GrownSize(points) * kSpanPointBytes;
  }

 private:
  // The values of points that are after condensed ones.
  void AddDoubles(const CellColumns& columns, size_t first, size_t end) {
    for (size_t i = first; i < end; ++i)
      span_.v.push_back(std::bit_cast<uint64_t>(columns.value(i).ToDouble()));
    span_.is_float.resize(span_.v.size(), 1);
    span_.weights.resize(span_.v.size(), 1);
  }

  bool Fits(size_t points) const { return span_.t.capacity() - span_.t.size() >= points; }
  size_t GrownSize(size_t points) const {
    return std::max(2 * span_.t.capacity(), span_.t.size() + points);
  }
  void Reserve(size_t points) {
    if (Fits(points)) return;
    const size_t size = GrownSize(points);
    span_.t.reserve(size);
    span_.v.reserve(size);
    span_.is_float.reserve(size);
  }

  const std::optional<WindowSpec> windows_;
  Span span_;
};

template <typename Grid>
class GridFiller final : public GapFiller {
 public:
  GridFiller(const DownsampleSpec& spec, Grid grid, const BucketLimits& limits)
      : grid_(std::move(grid)),
        begin_ms_(limits.fill_begin_ms),
        end_ms_(limits.end_ms),
        fill_(std::bit_cast<uint64_t>(FillValue(spec))),
        buckets_(CountBuckets(grid_, begin_ms_, end_ms_)) {}

  Span Fill(const Span& span) const override {
    Span filled;
    filled.t.reserve(buckets_);
    filled.v.reserve(buckets_);
    size_t next = 0;
    for (int64_t ms = begin_ms_; ms < end_ms_; ms = grid_.Next(ms)) {
      const bool has_points = next < span.size() && span.t[next] == ms;
      filled.t.push_back(ms);
      filled.v.push_back(has_points ? span.v[next++] : fill_);
    }
    HOURCELL_DCHECK(next == span.size());
    filled.is_float.assign(filled.t.size(), 1);
    return filled;
  }

  size_t buckets() const override { return buckets_; }

 private:
  const Grid grid_;
  const int64_t begin_ms_;
  const int64_t end_ms_;
  const uint64_t fill_;
  const size_t buckets_;
};

template <typename Builder>
class BuilderRow final : public SpanBuilders {
 public:
  // A single builder shares with no other: it would only copy its buckets.
  BuilderRow(const Builder& first, size_t count)
      : builders_(count, InRoom(first, count > 1 ? &room_ : nullptr)) {}
  BuilderRow(const BuilderRow&) = delete;
  BuilderRow& operator=(const BuilderRow&) = delete;
  SpanBuilder& operator[](size_t i) override { return builders_[i]; }

 private:
  static Builder InRoom(Builder builder, BucketRoom* room) {
    builder.set_room(room);
    return builder;
  }

  BucketRoom room_;
  std::vector<Builder> builders_;
};

// Calls `make` with a builder of the type for the function, and returns its result.
template <typename Grid, typename Make>
auto WithBucketBuilder(const DownsampleSpec& spec,
                       const Grid& grid,
                       const BucketLimits& limits,
                       const Make& make) {
  if (const auto rank = RankOf(spec.function)) {
    return make(BucketBuilder<Grid, RankBucket>(spec, grid, limits, RankBucket(*rank)));
  }
  return WithAccumulators(spec.function, [&](auto /*integers*/, auto doubles) {
    return make(BucketBuilder<Grid, decltype(doubles)>(spec, grid, limits, doubles));
  });
}

// As WithBucketBuilder, for any query.
template <typename Make>
auto WithSpanBuilder(const std::optional<DownsampleSpec>& spec,
                     const QueryRange& range,
                     const Make& make) {
  if (!spec.has_value()) return make(PointBuilder(range.windows));
  if (spec->all) {
    DownsampleSpec without_fill = *spec;
    without_fill.fill = FillPolicy::kNone;
    const int64_t end_ms = std::max(range.start_ms, range.end_ms);
    return WithBucketBuilder(without_fill, OneBucketGrid(range.start_ms, end_ms),
                             {.first_ms = range.start_ms, .end_ms = end_ms, .expected = 1}, make);
  }
  if (spec->calendar) {
    const CalendarGrid grid(*spec, range.start_ms);
    return WithBucketBuilder(*spec, grid, LimitsByCalendar(*spec, grid, range), make);
  }
  return WithBucketBuilder(*spec, FixedGrid(spec->interval_ms),
                           LimitsBetween(*spec, BeginMs(range), EndMs(range)), make);
}

std::unique_ptr<SpanBuilder> MakeOne(auto builder) {
  return std::make_unique<decltype(builder)>(std::move(builder));
}

}  // namespace

std::unique_ptr<SpanBuilder> MakeSpanBuilder(const std::optional<DownsampleSpec>& spec,
                                             const QueryRange& range) {
  return WithSpanBuilder(spec, range, [](auto builder) { return MakeOne(std::move(builder)); });
}

std::unique_ptr<SpanBuilders> MakeSpanBuilders(const std::optional<DownsampleSpec>& spec,
                                               const QueryRange& range,
                                               size_t count) {
  return WithSpanBuilder(spec, range, [&](const auto& builder) -> std::unique_ptr<SpanBuilders> {
    using Builder = std::decay_t<decltype(builder)>;
    return std::make_unique<BuilderRow<Builder>>(builder, count);
  });
}

std::unique_ptr<GapFiller> MakeGapFiller(const DownsampleSpec& spec, const QueryRange& range) {
  if (spec.all || spec.fill == FillPolicy::kNone) return nullptr;
  if (spec.calendar) {
    const CalendarGrid grid(spec, range.start_ms);
    return std::make_unique<GridFiller<CalendarGrid>>(spec, grid,
                                                      LimitsByCalendar(spec, grid, range));
  }
  return std::make_unique<GridFiller<FixedGrid>>(spec, FixedGrid(spec.interval_ms),
                                                 LimitsBetween(spec, BeginMs(range), EndMs(range)));
}

bool MayUseSummaries(const std::optional<DownsampleSpec>& spec, const QueryRange& range) {
  if (!spec.has_value()) return range.windows.has_value() && MayBeUndivided(*range.windows);
  if (!UsesSummaries(spec->function)) return false;
  return spec->all || spec->interval_ms >= kQualifierSpanMs;
}

std::optional<size_t> BucketCount(const DownsampleSpec& spec, const QueryRange& range, size_t max) {
  if (spec.all) return 1;
  const int64_t end_ms = EndMs(range);
  size_t count = 0;
  if (spec.calendar) {
    const CalendarGrid grid(spec, range.start_ms);
    int64_t ms = grid.Floor(std::min(BeginMs(range), range.start_ms));
    for (; ms < end_ms && count <= max; ms = grid.Next(ms))
      ++count;
  } else if (const int64_t begin_ms = AlignDown(BeginMs(range), spec.interval_ms);
             begin_ms < end_ms) {
    count = static_cast<size_t>((end_ms - begin_ms - 1) / spec.interval_ms) + 1;
  }
  if (count > max) return std::nullopt;
  return count;
}

std::optional<std::vector<int64_t>> BucketTimes(const DownsampleSpec& spec,
                                                const QueryRange& range,
                                                size_t max) {
  if (spec.all) return std::vector<int64_t>{range.start_ms};
  const std::optional<size_t> count = BucketCount(spec, range, max);
  if (!count.has_value()) return std::nullopt;
  std::vector<int64_t> times;
  times.reserve(*count);
  const auto add_all = [&times, end_ms = EndMs(range)](const auto& grid, int64_t begin_ms) {
    for (int64_t ms = grid.Floor(begin_ms); ms < end_ms; ms = grid.Next(ms))
      times.push_back(ms);
  };
  if (spec.calendar) {
    const CalendarGrid grid(spec, range.start_ms);
    add_all(grid, std::min(BeginMs(range), range.start_ms));
  } else {
    add_all(FixedGrid(spec.interval_ms), BeginMs(range));
  }
  HOURCELL_DCHECK(times.size() == *count);
  return times;
}

Span DownsampleBetween(const Span& span,
                       const DownsampleSpec& spec,
                       int64_t begin_ms,
                       int64_t end_ms) {
  HOURCELL_CHECK(!spec.all && !spec.calendar && spec.interval_ms > 0);
  const FixedGrid grid(spec.interval_ms);
  const BucketLimits limits = LimitsBetween(spec, begin_ms, end_ms);
  const auto builder =
      WithBucketBuilder(spec, grid, limits, [](auto made) { return MakeOne(std::move(made)); });
  builder->AddSpan(span);
  Span buckets = builder->Finish();
  if (!builder->has_gaps()) return buckets;
  return GridFiller<FixedGrid>(spec, grid, limits).Fill(buckets);
}

Span Downsample(const Span& span, const DownsampleSpec& spec, const QueryRange& range) {
  const auto builder = MakeSpanBuilder(spec, range);
  builder->AddSpan(span);
  Span buckets = builder->Finish();
  return builder->has_gaps() ? MakeGapFiller(spec, range)->Fill(buckets) : buckets;
}

absl::Status CheckBucketCount(const DownsampleSpec& spec, const QueryRange& range) {
  if (spec.all || spec.fill == FillPolicy::kNone) return absl::OkStatus();
  const int64_t buckets = (EndMs(range) - BeginMs(range)) / spec.interval_ms;
  if (buckets <= kFilledBucketsMax) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      fmt::format("downsample: {} buckets of {} ms to fill in each series; expected at most {}: a "
                  "longer interval, a shorter range, or no fill policy",
                  buckets, spec.interval_ms, kFilledBucketsMax));
}

}  // namespace hourcell
