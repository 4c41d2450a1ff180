#include "engine/point_writer.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/limits.h"
#include "codec/number.h"
#include "codec/point_text.h"

namespace hourcell {
namespace {

PointError Illegal(std::string text) {
  return {.kind = PointErrorKind::kIllegalArgument, .text = std::move(text)};
}

// What is wrong with a point's time or value.
std::optional<PointError> ContentFault(const Timestamp& time, const Value& value) {
  if (time.ms < 0 || time.ms > kTimestampMsMax) {
    return Illegal(fmt::format("bad timestamp={}: got {} ms; want 0 to {} ms", time.ms, time.ms,
                               kTimestampMsMax));
  }
  if (!time.is_ms && time.ms % 1000 != 0) {
    return Illegal(fmt::format(
        "bad timestamp={}: got {} ms in seconds precision; want whole seconds", time.ms, time.ms));
  }
  if (!value.is_integer() && !std::isfinite(value.floating())) {
    return Illegal(fmt::format("value is NaN or Infinite: {}", JavaDouble(value.floating())));
  }
  return std::nullopt;
}

// What is wrong with the number and the keys of the tags.
std::optional<PointError> TagsFault(const PointView& point, size_t tags_max) {
  if (point.tags.empty()) {
    return Illegal(fmt::format("Need at least one tag (metric={}, tags={{}})", point.metric));
  }
  if (point.tags.size() > tags_max) {
    return Illegal(
        fmt::format("Too many tags: {} maximum allowed: {}", point.tags.size(), tags_max));
  }
  for (size_t i = 1; i < point.tags.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (point.tags[i].key != point.tags[j].key) continue;
      return Illegal(fmt::format("duplicate tag: {}={}", point.tags[i].key, point.tags[i].value));
    }
  }
  return std::nullopt;
}

// The names of points whose series is not known by its spelling.
class Names {
 public:
  Names(size_t points, size_t tags_max) : limits_{.tags_max = tags_max} { views_.reserve(points); }

  std::optional<PointError> Add(const PointView& point) {
    if (auto fault = TagsFault(point, limits_.tags_max)) return fault;
    views_.push_back(point);
    return std::nullopt;
  }
  std::optional<PointError> Add(const LinePoint& point) {
    PointText& text = texts_.emplace_back();  // keeps what the view borrows
    if (auto fault = text.ParseSeries(point.metric, point.tags, limits_)) return fault;
    views_.push_back(text.point());
    views_.back().timestamp = point.timestamp;
    views_.back().value = point.value;
    return std::nullopt;
  }
  std::span<const PointView> views() const { return views_; }

 private:
  const PointLimits limits_;
  std::deque<PointText> texts_;
  std::vector<PointView> views_;
};

void AppendSpellings(std::span<const LinePoint> points,
                     std::string* /*bytes*/,
                     std::vector<Spelling>* spellings) {
  for (const LinePoint& point : points)
    spellings->push_back(SpellingOf(point));
}

void AppendSpellings(std::span<const PointView> points,
                     std::string* bytes,
                     std::vector<Spelling>* spellings) {
  size_t total = 0;
  for (const PointView& point : points)
    total += SpellingBytes(point);
  bytes->clear();
  bytes->reserve(total);
  for (const PointView& point : points)
    spellings->push_back(SpellingOf(point, bytes));
}

// Stands for the series of a point that is refused whatever its series is.
constexpr SeriesNumber kNoSeries = ~SeriesNumber{0};

// From when on points are kept, by metric; what one batch has asked for.
class KeptFrom {
 public:
  KeptFrom(const RowExpiry& expiry, UidDirectory* uids) : expiry_(expiry), uids_(*uids) {}

  int64_t Ms(std::string_view metric) {
    const auto [found, is_new] = by_metric_.try_emplace(metric, 0);
    if (is_new) {
      const absl::StatusOr<std::optional<Uid>> uid = uids_.Find(UidKind::kMetric, metric);
      // A metric that is new, or none at all, has no TTL of its own.
      found->second = expiry_.ExpiresBeforeMs(uid.ok() ? uid->value_or(kNoUid) : kNoUid);
    }
    return found->second;
  }

 private:
  const RowExpiry& expiry_;
  UidDirectory& uids_;
  absl::flat_hash_map<std::string_view, int64_t> by_metric_;
};

bool SameSpelling(const Spelling& a, const Spelling& b) {
  return a.hash == b.hash && a.head == b.head && a.tail == b.tail;
}

}  // namespace

struct PointWriter::Batch {
  std::string spelling_bytes;
  std::vector<Spelling> spellings;   // of each point
  std::vector<CachedSeries> series;  // of each point; number 0: not known, kNoSeries: refused
  std::vector<RefusedPoint> refused;
  std::vector<size_t> lane_ends;    // into placed, of each lane
  std::vector<PlacedPoint> placed;  // lane by lane

  void Clear() {
    spelling_bytes.clear();
    spellings.clear();
    series.clear();
    refused.clear();
    lane_ends.clear();
    placed.clear();
  }
};

PointWriter::PointWriter(const Options& options, const Parts& parts)
    : tags_max_(options.tags_max),
      always_sync_(options.sync == Durability::kAlways),
      parts_(parts),
      points_added_(parts.stats->counter("datapoints.added", {{"type", "all"}})),
      points_refused_(parts.stats->counter("datapoints.refused", {{"type", "all"}})),
      points_expired_(parts.stats->counter("datapoints.expired", {{"type", "all"}})) {}

CommitTicket PointWriter::Append(std::span<const PointView> points,
                                 std::vector<RefusedPoint>* refused,
                                 const AppendOptions& options) {
  return AppendBatch(points, refused, options);
}

CommitTicket PointWriter::Append(std::span<const LinePoint> points,
                                 std::vector<RefusedPoint>* refused,
                                 const AppendOptions& options) {
  return AppendBatch(points, refused, options);
}

template <typename Point>
CommitTicket PointWriter::AppendBatch(std::span<const Point> points,
                                      std::vector<RefusedPoint>* refused,
                                      const AppendOptions& options) {
  if (points.empty()) return CommitTicket();
  // The batch of the caller's caller is in the memory that this one would take.
  if (parts_.ledger != nullptr && PutLedger::IsAsking()) {
    return CommitTicket(absl::FailedPreconditionError("put: from inside of BeforePut"));
  }
  if (absl::Status room = parts_.admission->Admit(options.wait_ms); !room.ok()) {
    return CommitTicket(std::move(room));
  }
  // Kept from batch to batch, so that its memory is used again; but not that of a huge one.
  constexpr size_t kKeptPointsMax = 16384;
  thread_local Batch batch;
  if (batch.series.capacity() > kKeptPointsMax) batch = Batch();
  batch.Clear();
  FindKnown(points, &batch);
  uint64_t number = 0;
  if (parts_.ledger != nullptr) {
    absl::StatusOr<uint64_t> allowed = AskObservers(points, batch);
    if (!allowed.ok()) {
      points_refused_->Add(points.size());
      return CommitTicket(std::move(allowed).status());
    }
    number = *allowed;
  }
  ResolveMissing(points, &batch);
  Place(points, &batch);
  points_refused_->Add(batch.refused.size());
  points_added_->Add(batch.placed.size());
  if (refused != nullptr) {
    std::ranges::sort(batch.refused, {}, &RefusedPoint::index);
    *refused = std::move(batch.refused);
  }
  if (batch.placed.empty()) return CommitTicket();
  const uint64_t block = AppendPlaced(&batch);
  // Before it is pending: the commit that nobody waits for acknowledges it too.
  if (parts_.ledger != nullptr) {
    parts_.ledger->Add(number, batch.placed.size(), block, options.sync || always_sync_);
  }
  // Roughly; how much waits is only looked at to begin a commit that nobody waits for.
  constexpr size_t kBytesPerPoint = 6;
  if (parts_.commit->AddPending(batch.placed.size() * kBytesPerPoint)) {
    // What fails here is tried again, and told to whoever waits.
    parts_.commit->CommitThrough(block, /*sync=*/false).IgnoreError();
  }
  return CommitTicket(parts_.commit, block, options.sync);
}

template <typename Point>
void PointWriter::FindKnown(std::span<const Point> points, Batch* batch) {
  batch->spellings.reserve(points.size());
  AppendSpellings(points, &batch->spelling_bytes, &batch->spellings);
  batch->series.resize(points.size());
  parts_.cache->FindAll(batch->spellings, batch->series);
  // Before names are looked at: what is not stored must not leave a new name behind.
  CheckPoints(points, batch);
}

template <typename Point>
absl::StatusOr<uint64_t> PointWriter::AskObservers(std::span<const Point> points,
                                                   const Batch& batch) const {
  Names names(points.size(), tags_max_);
  for (size_t i = 0; i < points.size(); ++i) {
    // What has no series to be told of is refused further on, with the same words.
    if (batch.series[i].number != kNoSeries) names.Add(points[i]);
  }
  return parts_.ledger->Ask(names.views());
}

template <typename Point>
void PointWriter::CheckPoints(std::span<const Point> points, Batch* batch) const {
  const int64_t may_expire_ms = parts_.expiry == nullptr ? 0 : parts_.expiry->MayExpireBeforeMs();
  std::optional<KeptFrom> kept_from;
  uint64_t expired = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    if (auto fault = ContentFault(points[i].timestamp, points[i].value)) {
      batch->refused.push_back({.index = i, .error = *std::move(fault)});
      batch->series[i].number = kNoSeries;
      continue;
    }
    if (points[i].timestamp.ms >= may_expire_ms) continue;
    if (!kept_from.has_value()) kept_from.emplace(*parts_.expiry, parts_.uids);
    if (points[i].timestamp.ms >= kept_from->Ms(points[i].metric)) continue;
    batch->series[i].number = kNoSeries;
    ++expired;
  }
  points_expired_->Add(expired);
}

template <typename Point>
void PointWriter::ResolveMissing(std::span<const Point> points, Batch* batch) {
  const auto is_missing = [](const CachedSeries& one) { return one.number == 0; };
  if (std::ranges::none_of(batch->series, is_missing)) return;
  const uint64_t epoch = parts_.cache->epoch();  // before the lookups it vouches for
  // Each spelling once: its first point, and its place among the names or what is wrong with them.
  struct Missing {
    size_t point;
    size_t name;
    std::optional<PointError> fault;
  };
  std::vector<Missing> missing;
  absl::flat_hash_map<uint64_t, size_t> by_hash;
  std::vector<std::pair<size_t, size_t>> waiting;  // point, and its place in `missing`
  Names names(points.size(), tags_max_);
  for (size_t i = 0; i < points.size(); ++i) {
    if (batch->series[i].number != 0) continue;
    const auto [place, is_new] = by_hash.try_emplace(batch->spellings[i].hash, missing.size());
    size_t index = place->second;
    if (is_new || !SameSpelling(batch->spellings[i], batch->spellings[missing[index].point])) {
      index = missing.size();
      const size_t name = names.views().size();
      missing.push_back({.point = i, .name = name, .fault = names.Add(points[i])});
    }
    waiting.emplace_back(i, index);
  }

  std::vector<const PointView*> views;
  for (const PointView& view : names.views())
    views.push_back(&view);
  std::vector<Parsed<SeriesRef>> refs;
  parts_.series->GetOrCreate(views, &refs);
  std::vector<CachedSeries> found(missing.size());
  for (size_t i = 0; i < missing.size(); ++i) {
    if (missing[i].fault.has_value()) continue;
    const Parsed<SeriesRef>& ref = refs[missing[i].name];
    if (!ref.ok()) {
      missing[i].fault = ref.error();
      continue;
    }
    const PointView& view = *views[missing[i].name];
    const SeriesDefinition definition{.number = ref->number,
                                      .metric_uid = ref->metric,
                                      .metric = view.metric,
                                      .tags = view.tags,
                                      .tag_uids = ref->tags};
    // In the journal before its first point, and so before others can find it.
    found[i].number = ref->number;
    found[i].slot =
        parts_.open_hours->LaneOf(ref->number)
            .Attach(ref->number, parts_.series->IsSynced(ref->number) ? nullptr : &definition);
    parts_.cache->Insert(batch->spellings[missing[i].point], found[i], epoch);
  }
  for (const auto& [point, index] : waiting) {
    batch->series[point] = found[index];
    if (found[index].number != 0) continue;
    batch->series[point].number = kNoSeries;
    batch->refused.push_back({.index = point, .error = *missing[index].fault});
  }
}

// Sorts the points by lane, and leaves out those that are refused.
template <typename Point>
void PointWriter::Place(std::span<const Point> points, Batch* batch) const {
  const size_t lanes = parts_.open_hours->lanes().size();
  batch->lane_ends.assign(lanes + 1, 0);
  for (size_t i = 0; i < points.size(); ++i) {
    const CachedSeries& series = batch->series[i];
    if (series.number == kNoSeries) continue;
    ++batch->lane_ends[parts_.open_hours->LaneIndexOf(series.number) + 1];
  }
  for (size_t lane = 0; lane < lanes; ++lane)
    batch->lane_ends[lane + 1] += batch->lane_ends[lane];
  batch->placed.resize(batch->lane_ends[lanes]);
  // lane_ends[l] is where lane l begins, and becomes where it ends.
  for (size_t i = 0; i < points.size(); ++i) {
    const CachedSeries& series = batch->series[i];
    if (series.number == kNoSeries) continue;
    const size_t place = batch->lane_ends[parts_.open_hours->LaneIndexOf(series.number)]++;
    batch->placed[place] = {.series = series.number,
                            .slot = series.slot,
                            .time = points[i].timestamp,
                            .value = points[i].value};
  }
}

uint64_t PointWriter::AppendPlaced(Batch* batch) {
  const auto now_s = static_cast<uint32_t>(parts_.clock->NowMs() / 1000);
  const std::span<PlacedPoint> placed(batch->placed);
  uint64_t block = 0;
  int64_t bytes = 0;
  size_t begin = 0;
  for (size_t lane = 0; lane < parts_.open_hours->lanes().size(); ++lane) {
    const size_t end = batch->lane_ends[lane];
    if (begin == end) continue;
    block = std::max(block, parts_.open_hours->lanes()[lane].Append(
                                placed.subspan(begin, end - begin), now_s, &bytes));
    begin = end;
  }
  parts_.open_hours->AddBytes(bytes);
  return block;
}

absl::Status StatusOfRefused(std::string_view metric, const PointError& error) {
  const std::string text = fmt::format("put {}: {}", metric, error.text);
  switch (error.kind) {
    case PointErrorKind::kInvalidValue:
    case PointErrorKind::kIllegalArgument:
      return absl::InvalidArgumentError(text);
    case PointErrorKind::kUnknownName:
      return absl::NotFoundError(text);
    case PointErrorKind::kThrottled:
    case PointErrorKind::kStorage:
      return absl::UnavailableError(text);
  }
  HOURCELL_CHECK(false);
}

}  // namespace hourcell
