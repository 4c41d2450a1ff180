// AggregateSpans works column by column: it first forms the union of all times. Then, in tiles of
// the union that stay in the cache, every member adds its values to an array of accumulators. The
// results equal OpenTSDB's point by point merge, because members are added in the same order at
// every time.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "engine/query/accumulator.h"
#include "engine/query/stages/aggregate.h"
#include "engine/query/stages/rank.h"

namespace hourcell {
namespace {

// Times in a tile: 24 bytes of accumulator each, so that a tile fits the first-level cache.
constexpr size_t kTileTimes = 1024;

// Values in a tile of an aggregator that keeps them all; 8 bytes each.
constexpr size_t kTileValues = size_t{1} << 18;

using Times = std::vector<int64_t>;

// Memory of each member during a merge, without its points: its position and its progress.
constexpr size_t kMemberBytes = sizeof(Span*) + sizeof(size_t) + 2 * sizeof(Times);

// The kinds of a group's values, which determine the kinds of its results.
enum class Numbers : uint8_t { kIntegers, kDoubles, kMixed };

Numbers NumbersOf(std::span<const Span* const> members) {
  bool any_integer = false;
  bool any_double = false;
  for (const Span* member : members) {
    const auto doubles = std::count(member->is_float.begin(), member->is_float.end(), 1);
    any_double |= doubles > 0;
    any_integer |= static_cast<size_t>(doubles) < member->size();
  }
  if (any_integer && any_double) return Numbers::kMixed;
  return any_double ? Numbers::kDoubles : Numbers::kIntegers;
}

absl::Status InfinityError(double value, int64_t ms) {
  return absl::InvalidArgumentError(
      fmt::format("Got Infinity: {} at {} ms", value > 0 ? "Infinity" : "-Infinity", ms));
}

// Times of one member, borrowed, or of several, merged.
struct TimesPart {
  Times own;
  std::span<const int64_t> times;
};

// The caller frees `a` and `b`, whose memory `hold` no longer has.
absl::StatusOr<TimesPart> MergeTimes(const TimesPart& a, const TimesPart& b, MemoryHold* hold) {
  const size_t size = a.times.size() + b.times.size();
  HOURCELL_RETURN_IF_ERROR(hold->Take(size * sizeof(int64_t)));
  TimesPart merged;
  merged.own.reserve(size);
  std::ranges::set_union(a.times, b.times, std::back_inserter(merged.own));
  merged.times = merged.own;
  hold->GiveBack((a.own.capacity() + b.own.capacity()) * sizeof(int64_t));
  return merged;
}

// The union of the members' times up to `scan_end_ms`, ascending. On return `hold` has its bytes.
absl::StatusOr<Times> UnionOfTimes(std::span<const Span* const> members,
                                   int64_t scan_end_ms,
                                   MemoryHold* hold) {
  // Series of one sender, and all series after downsampling, often share their times.
  std::vector<TimesPart> parts;
  for (const Span* member : members) {
    if (parts.empty() || !std::ranges::equal(parts.back().times, member->t)) {
      parts.push_back({.own = {}, .times = member->t});
    }
  }
  while (parts.size() > 1) {
    const size_t pairs = parts.size() / 2;
    for (size_t i = 0; i < pairs; ++i) {
      HOURCELL_ASSIGN_OR_RETURN(TimesPart merged, MergeTimes(parts[2 * i], parts[2 * i + 1], hold));
      parts[2 * i] = {};
      parts[2 * i + 1] = {};
      parts[i] = std::move(merged);
    }
    if (parts.size() % 2 == 1) parts[pairs] = std::move(parts.back());
    parts.resize(parts.size() - pairs);
  }
  TimesPart& all = parts.front();
  const auto end = std::ranges::upper_bound(all.times, scan_end_ms);
  if (all.own.empty()) {
    HOURCELL_RETURN_IF_ERROR(hold->Take(all.times.size_bytes()));
    return Times(all.times.begin(), end);
  }
  all.own.resize(static_cast<size_t>(end - all.times.begin()));
  return std::move(all.own);
}

template <typename T, typename Member>
T ValueAt(const Member& member, size_t i) {
  if constexpr (std::is_same_v<T, double>) {
    return member.ToDouble(i);
  } else {
    return static_cast<int64_t>(member.v[i]);
  }
}

// Java's long arithmetic: products and sums wrap, the quotient truncates.
int64_t Lerp(int64_t dx, int64_t span_x, int64_t y0, int64_t y1) {
  const uint64_t rise = static_cast<uint64_t>(y1) - static_cast<uint64_t>(y0);
  const auto product = static_cast<int64_t>(static_cast<uint64_t>(dx) * rise);
  return static_cast<int64_t>(static_cast<uint64_t>(y0) + static_cast<uint64_t>(product / span_x));
}

double Lerp(int64_t dx, int64_t span_x, double y0, double y1) {
  return y0 + static_cast<double>(dx) * (y1 - y0) / static_cast<double>(span_x);
}

// The rule for a member at a time between two of its points.
struct MissingRule {
  Interpolation interpolation;
  bool is_rate;  // the latest rate holds; there is no interpolation
};

// The value of `member` at `ms`, between its points `next` - 1 and `next`.
template <typename T, typename Member>
T MissingValue(const Member& member, size_t next, int64_t ms, MissingRule rule) {
  const T before = ValueAt<T>(member, next - 1);
  if (rule.is_rate) return before;
  switch (rule.interpolation) {
    case Interpolation::kZeroIfMissing:
      return T{0};
    case Interpolation::kMaxIfMissing:
      return std::numeric_limits<T>::max();
    case Interpolation::kMinIfMissing:
      return std::numeric_limits<T>::lowest();
    case Interpolation::kPrevious:
      return before;
    case Interpolation::kLerp:
      break;
  }
  const int64_t x0 = member.t[next - 1];
  return Lerp(ms - x0, member.t[next] - x0, before, ValueAt<T>(member, next));
}

// Adds `member` to the column of `times`, from its first point to its last. `cursor` is its first
// point not before times[0]; returns the first point after the tile.
template <typename T, typename Member, typename Column>
size_t AddMember(const Member& member,
                 size_t cursor,
                 std::span<const int64_t> times,
                 MissingRule rule,
                 Column* column) {
  if (member.size() - cursor >= times.size() &&
      std::equal(times.begin(), times.end(), &member.t[cursor])) {
    for (size_t i = 0; i < times.size(); ++i)
      column->Add(i, ValueAt<T>(member, cursor + i));
    return cursor + times.size();
  }
  size_t i = 0;
  if (cursor == 0) {
    i = static_cast<size_t>(std::lower_bound(times.begin(), times.end(), member.t[0]) -
                            times.begin());
  }
  for (; i < times.size() && cursor < member.size(); ++i) {
    if (member.t[cursor] == times[i]) {
      column->Add(i, ValueAt<T>(member, cursor++));
    } else {
      column->Add(i, MissingValue<T>(member, cursor, times[i], rule));
    }
  }
  return cursor;
}

// Marks the times at which the member's current or next point is floating point. Before its begin a
// member counts with its first point; after its end it does not count.
void MarkDoubles(const Span& member,
                 size_t cursor,
                 std::span<const int64_t> times,
                 std::vector<uint8_t>* is_double) {
  for (size_t i = 0; i < times.size() && cursor < member.size(); ++i) {
    if (member.t[cursor] == times[i]) ++cursor;
    if (cursor > 0) (*is_double)[i] |= member.is_float[cursor - 1];
    if (cursor < member.size()) (*is_double)[i] |= member.is_float[cursor];
  }
}

// The merge of one group. `Integers` and `Doubles` are the aggregator's columns.
template <typename Integers, typename Doubles>
class GroupMerger {
 public:
  GroupMerger(std::span<const Span* const> members,
              MissingRule rule,
              AskedTimes asked,
              Integers integers,
              Doubles doubles)
      : members_(members),
        rule_(rule),
        asked_(asked),
        numbers_(NumbersOf(members)),
        cursors_(members.size()),
        integers_(std::move(integers)),
        doubles_(std::move(doubles)) {}

  absl::StatusOr<Span> Merge(Times times, size_t tile_times, MemoryHold* hold) {
    HOURCELL_RETURN_IF_ERROR(hold->Take(times.size() * (kSpanPointBytes - sizeof(int64_t))));
    Span out;
    out.v.reserve(times.size());
    out.is_float.reserve(times.size());
    for (size_t begin = 0; begin < times.size(); begin += tile_times) {
      const size_t size = std::min(tile_times, times.size() - begin);
      const std::span<const int64_t> tile(&times[begin], size);
      AddTile(tile);
      HOURCELL_RETURN_IF_ERROR(EmitTile(tile, &out));
    }
    out.t = std::move(times);
    return out;
  }

 private:
  void AddTile(std::span<const int64_t> tile) {
    if (numbers_ != Numbers::kDoubles) integers_.Reset(tile.size(), members_.size());
    if (numbers_ != Numbers::kIntegers) doubles_.Reset(tile.size(), members_.size());
    is_double_.assign(tile.size(), numbers_ == Numbers::kDoubles ? 1 : 0);
    for (size_t m = 0; m < members_.size(); ++m) {
      const Span& member = *members_[m];
      const size_t cursor = cursors_[m];
      if (cursor == member.size() || member.t[0] > tile.back()) {
        // It has ended or not begun; before its begin the type of its first point counts.
        if (cursor == 0 && member.is_float[0] != 0)
          std::fill(is_double_.begin(), is_double_.end(), 1);
        continue;
      }
      if (numbers_ == Numbers::kMixed) MarkDoubles(member, cursor, tile, &is_double_);
      // In a mixed group both sums are computed. Where a double takes part, the integer sum is of
      // its bits, and is never read.
      if (numbers_ != Numbers::kDoubles) {
        cursors_[m] = AddMember<int64_t>(member, cursor, tile, rule_, &integers_);
      }
      if (numbers_ != Numbers::kIntegers) {
        cursors_[m] = AddMember<double>(member, cursor, tile, rule_, &doubles_);
      }
    }
  }

  absl::Status EmitTile(std::span<const int64_t> tile, Span* out) {
    for (size_t i = 0; i < tile.size(); ++i) {
      out->is_float.push_back(is_double_[i]);
      if (is_double_[i] == 0) {
        out->v.push_back(static_cast<uint64_t>(integers_.Result(i)));
        continue;
      }
      const double result = doubles_.Result(i);
      if (std::isinf(result) && asked_.Has(tile[i])) return InfinityError(result, tile[i]);
      out->v.push_back(std::bit_cast<uint64_t>(result));
    }
    return absl::OkStatus();
  }

  const std::span<const Span* const> members_;
  const MissingRule rule_;
  const AskedTimes asked_;
  const Numbers numbers_;
  std::vector<size_t> cursors_;  // each member's first point not yet added
  // One for every time of the tile.
  Integers integers_;
  Doubles doubles_;
  std::vector<uint8_t> is_double_;
};

// True if AggregateOne gives the aggregate of a group with this member only.
bool IsKeptAlone(const Span& only, Aggregator aggregator) {
  if (only.empty() || !KeepsASingleValue(aggregator)) return false;
  const auto doubles =
      static_cast<size_t>(std::count(only.is_float.begin(), only.is_float.end(), 1));
  return doubles == 0 || doubles == only.size();
}

// The aggregate of a single member, made in its place. REQUIRES: IsKeptAlone.
absl::StatusOr<Span> AggregateOne(Span only,
                                  Aggregator aggregator,
                                  int64_t scan_end_ms,
                                  const AskedTimes& asked) {
  const auto size = static_cast<size_t>(
      std::upper_bound(only.t.begin(), only.t.end(), scan_end_ms) - only.t.begin());
  only.t.resize(size);
  only.v.resize(size);
  only.is_float.resize(size);
  if (!only.weights.empty()) only.weights.resize(size);
  if (only.empty() || only.is_float.front() == 0) return only;
  constexpr uint64_t kPlusZero = std::bit_cast<uint64_t>(0.0);
  constexpr uint64_t kMinusZero = std::bit_cast<uint64_t>(-0.0);
  const bool adds = StartsAtZero(aggregator);
  for (size_t i = 0; i < size; ++i) {
    const uint64_t bits = only.v[i];
    if (adds && bits == kMinusZero) only.v[i] = kPlusZero;  // 0.0 + -0.0
    if ((bits & Value::kSpecialBits) != Value::kSpecialBits) continue;
    const double value = std::bit_cast<double>(bits);
    if (std::isinf(value) && asked.Has(only.t[i])) return InfinityError(value, only.t[i]);
  }
  return only;
}

// Keeps the members until Finish.
class KeepingAggregator final : public SpanAggregator {
 public:
  explicit KeepingAggregator(AggregationSpec spec) : spec_(std::move(spec)) { spec_.times = {}; }

  void Add(Span&& member) override {
    bytes_ += sizeof(Span) + member.t.capacity() * kSpanPointBytes;
    members_.push_back(std::move(member));
  }

  absl::Status FinishInto(Span* merged) override {
    bytes_ = 0;
    if (members_.size() == 1 && IsKeptAlone(members_.front(), spec_.aggregator)) {
      Span only = std::move(members_.front());
      members_.clear();
      HOURCELL_ASSIGN_OR_RETURN(
          *merged, AggregateOne(std::move(only), spec_.aggregator, spec_.scan_end_ms, spec_.asked));
      return absl::OkStatus();
    }
    const std::vector<Span> members = std::exchange(members_, {});
    HOURCELL_ASSIGN_OR_RETURN(
        *merged, AggregateSpans(members, spec_.aggregator, spec_.is_rate, spec_.scan_end_ms,
                                spec_.asked, spec_.memory));
    return absl::OkStatus();
  }

  bool keeps_members() const override { return true; }
  void AddBuckets(const BucketsView& /*member*/) override { HOURCELL_CHECK(false); }

  size_t allocated_bytes() const override { return bytes_; }

 private:
  AggregationSpec spec_;
  std::vector<Span> members_;
  size_t bytes_ = 0;
};

// Adds each member to an accumulator at every time between its ends. Omits times at which all
// members lack a point.
template <typename Doubles>
class AddingAggregator final : public SpanAggregator {
 public:
  AddingAggregator(AggregationSpec spec, Doubles doubles)
      : spec_(std::move(spec)),
        rule_{.interpolation = InterpolationOf(spec_.aggregator), .is_rate = spec_.is_rate},
        doubles_(std::move(doubles)) {
    spec_.times.erase(std::upper_bound(spec_.times.begin(), spec_.times.end(), spec_.scan_end_ms),
                      spec_.times.end());
  }

  void Add(Span&& member) override { AddBuckets({.t = member.t, .v = member.v}); }

  bool keeps_members() const override { return false; }

  void AddBuckets(const BucketsView& member) override {
    if (member.empty()) return;
    if (members_ == 0) {
      doubles_.Reset(spec_.times.size(), 0);
      is_present_.assign(spec_.times.size(), 0);
    }
    ++members_;
    const std::span<const int64_t> times = spec_.times;
    if (times.empty() || member.t.front() > times.back()) return;
    // Mostly a member begins where the one before did, and has each time up to its last.
    if (first_ >= times.size() || times[first_] != member.t.front()) {
      first_ =
          static_cast<size_t>(std::ranges::lower_bound(times, member.t.front()) - times.begin());
    }
    const size_t count = std::min(member.size(), times.size() - first_);
    if (!std::ranges::equal(times.subspan(first_, count), member.t.first(count))) {
      AddMember<double>(member, 0, times, rule_, &doubles_);
      MarkPresent(member.t);
      return;
    }
    for (size_t i = 0; i < count; ++i)
      doubles_.Add(first_ + i, member.ToDouble(i));
    std::fill_n(is_present_.begin() + static_cast<ptrdiff_t>(first_), count, uint8_t{1});
  }

  absl::Status FinishInto(Span* merged) override {
    const size_t size = members_ == 0 ? 0 : spec_.times.size();
    members_ = 0;
    MemoryHold hold(spec_.memory);
    HOURCELL_RETURN_IF_ERROR(hold.Take(size * kSpanPointBytes));
    merged->t.clear();
    merged->v.clear();
    merged->t.reserve(size);
    merged->v.reserve(size);
    for (size_t i = 0; i < size; ++i) {
      if (is_present_[i] == 0) continue;
      const double result = doubles_.Result(i);
      const int64_t ms = spec_.times[i];
      if (std::isinf(result) && spec_.asked.Has(ms)) return InfinityError(result, ms);
      merged->t.push_back(ms);
      merged->v.push_back(std::bit_cast<uint64_t>(result));
    }
    merged->is_float.assign(merged->t.size(), 1);
    return absl::OkStatus();
  }

  size_t allocated_bytes() const override {
    return spec_.times.size() * (sizeof(int64_t) + Doubles::kBytes + sizeof(uint8_t));
  }

 private:
  // Of a member whose first time is not before that of first_.
  void MarkPresent(std::span<const int64_t> member) {
    size_t at = first_;
    for (const int64_t ms : member) {
      while (at < spec_.times.size() && spec_.times[at] < ms)
        ++at;
      if (at == spec_.times.size()) return;
      is_present_[at] = 1;
    }
  }

  AggregationSpec spec_;
  const MissingRule rule_;
  size_t members_ = 0;
  size_t first_ = 0;  // of the times: the first of the last member
  Doubles doubles_;
  std::vector<uint8_t> is_present_;
};

}  // namespace

absl::StatusOr<Span> AggregateSpans(std::span<const Span> members,
                                    Aggregator aggregator,
                                    bool is_rate,
                                    int64_t scan_end_ms,
                                    AskedTimes asked,
                                    MemoryAccount* memory) {
  HOURCELL_CHECK(aggregator != Aggregator::kNone);
  MemoryHold hold(memory);
  HOURCELL_RETURN_IF_ERROR(hold.Take(members.size() * kMemberBytes));
  std::vector<const Span*> live;
  for (const Span& member : members) {
    if (!member.empty()) live.push_back(&member);
  }
  if (live.empty()) return Span{};
  if (live.size() == 1 && IsKeptAlone(*live.front(), aggregator)) {
    HOURCELL_RETURN_IF_ERROR(hold.Take(live.front()->size() * kSpanPointBytes));
    return AggregateOne(*live.front(), aggregator, scan_end_ms, asked);
  }
  const MissingRule rule{.interpolation = InterpolationOf(aggregator), .is_rate = is_rate};
  HOURCELL_ASSIGN_OR_RETURN(Times times, UnionOfTimes(live, scan_end_ms, &hold));
  if (const auto rank = RankOf(aggregator)) {
    GroupMerger merger(live, rule, asked, RankColumn<int64_t>(*rank), RankColumn<double>(*rank));
    const size_t tile_times = std::clamp(kTileValues / live.size(), size_t{1}, kTileTimes);
    const size_t tile_values = std::min(tile_times, times.size()) * live.size();
    HOURCELL_RETURN_IF_ERROR(hold.Take(2 * tile_values * sizeof(double)));
    return merger.Merge(std::move(times), tile_times, &hold);
  }
  return WithAccumulators(aggregator, [&](auto integers, auto doubles) -> absl::StatusOr<Span> {
    GroupMerger merger(live, rule, asked, AccumulatorColumn<decltype(integers)>(),
                       AccumulatorColumn<decltype(doubles)>());
    return merger.Merge(std::move(times), kTileTimes, &hold);
  });
}

std::unique_ptr<SpanAggregator> MakeSpanAggregator(AggregationSpec spec) {
  HOURCELL_CHECK(spec.aggregator != Aggregator::kNone);
  if (spec.times.empty() || RankOf(spec.aggregator).has_value()) {
    return std::make_unique<KeepingAggregator>(std::move(spec));
  }
  return WithAccumulators(
      spec.aggregator, [&](auto /*integers*/, auto doubles) -> std::unique_ptr<SpanAggregator> {
        using Column = AccumulatorColumn<decltype(doubles)>;
        return std::make_unique<AddingAggregator<Column>>(std::move(spec), Column());
      });
}

}  // namespace hourcell
