#include "engine/write/point_writer.h"

#include <algorithm>
#include <deque>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "codec/text/name.h"
#include "codec/text/number.h"
#include "codec/text/point_text.h"

// Why a batch is sorted by lane: each lane's lock is then taken once a batch and not once a point.
// Names are read only if the cache does not know the spelling of the series, and new series are
// made outside of the locks that known ones take: otherwise a burst of new series delays the puts
// of known ones. Values and times are checked before names: a refused point must not create a name.

namespace hourcell {
namespace {

PointError Illegal(std::string text) {
  return {.kind = PointErrorKind::kIllegalArgument, .text = std::move(text)};
}

}  // namespace

std::optional<PointError> ContentFault(const Timestamp& time,
                                       const Value& value,
                                       bool may_be_special) {
  if (time.ms < 0 || time.ms > kTimestampMsMax) {
    return Illegal(fmt::format("bad timestamp={}: expected 0 to {} ms, got {} ms", time.ms,
                               kTimestampMsMax, time.ms));
  }
  if (!time.is_ms && time.ms % 1000 != 0) {
    return Illegal(
        fmt::format("bad timestamp={}: expected whole seconds, got {} ms in seconds precision",
                    time.ms, time.ms));
  }
  if (value.is_special() && !may_be_special && !value.is_stale_marker()) {
    return Illegal(fmt::format("value is NaN or Infinite: {}", JavaDouble(value.floating())));
  }
  return std::nullopt;
}

std::optional<PointError> TagsFault(const PointView& point, size_t tags_max) {
  if (point.tags.empty()) {
    return Illegal(
        fmt::format("Need at least one tag (metric={}, tags={{}})", TextForMessage(point.metric)));
  }
  if (point.tags.size() > tags_max) {
    return Illegal(
        fmt::format("Too many tags: {} maximum allowed: {}", point.tags.size(), tags_max));
  }
  for (size_t i = 1; i < point.tags.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (point.tags[i].key != point.tags[j].key) continue;
      return Illegal(fmt::format("duplicate tag: {}={}", TextForMessage(point.tags[i].key),
                                 TextForMessage(point.tags[i].value)));
    }
  }
  return std::nullopt;
}

namespace {

using NameLimits = PointWriter::NameLimits;

// The names of points with an unknown spelling.
class PointNames {
 public:
  PointNames(size_t points, const NameLimits& limits) : limits_(limits) { views_.reserve(points); }

  std::optional<PointError> Add(const PointView& point) {
    if (auto fault = TagsFault(point, limits_.tags_max)) return fault;
    if (auto fault = FaultOfOpenTsdb(point)) return fault;
    views_.push_back(point);
    return std::nullopt;
  }
  std::optional<PointError> Add(const LinePoint& point) {
    PointText& text = texts_.emplace_back();  // owns the text of the view
    if (auto fault = text.ParseSeries(point, {.tags_max = limits_.tags_max})) return fault;
    if (auto fault = FaultOfOpenTsdb(text.point())) return fault;
    views_.push_back(text.point());
    views_.back().timestamp = point.timestamp;
    views_.back().value = point.value;
    return std::nullopt;
  }
  std::span<const PointView> views() const { return views_; }
  // Moves out the views and the texts that they borrow.
  void MoveTo(std::deque<PointText>* texts, std::vector<PointView>* views) && {
    *texts = std::move(texts_);
    *views = std::move(views_);
  }

 private:
  // A store that accepts any names accepts only OpenTSDB's from clients that use its protocol.
  // Other stores refuse a name when it is created.
  std::optional<PointError> FaultOfOpenTsdb(const PointView& point) const {
    if (!limits_.only_opentsdb || point.has_any_names) return std::nullopt;
    return NamesFault(point, NameEncoding::kUtf8, limits_.extra_name_chars);
  }

  const NameLimits& limits_;
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

// The series of a point that is refused for another reason than its series.
constexpr SeriesNumber kNoSeries = ~SeriesNumber{0};

// The name of a point's metric in UTF-8; a line has it as it came.
std::string_view MetricName(const PointView& point, std::string* /*buffer*/) {
  return point.metric;
}
std::string_view MetricName(const LinePoint& point, std::string* buffer) {
  return TelnetTextToUtf8(point.metric, buffer);
}

// The expiry times of a batch's metrics, by their spelling.
class KeptFrom {
 public:
  KeptFrom(const RowExpiry& expiry, UidDirectory* uids) : expiry_(expiry), uids_(*uids) {}

  template <typename Point>
  int64_t Ms(const Point& point) {
    const auto [found, is_new] = by_metric_.try_emplace(point.metric, 0);
    if (is_new) {
      std::string buffer;
      found->second = BeforeMs(uids_.Find(UidKind::kMetric, MetricName(point, &buffer)));
    }
    return found->second;
  }

 private:
  int64_t BeforeMs(const absl::StatusOr<std::optional<Uid>>& uid) const {
    // A new or invalid metric uses the default TTL.
    if (uid.ok() || absl::IsInvalidArgument(uid.status())) {
      return expiry_.ExpiresBeforeMs(uid.ok() ? uid->value_or(kNoUid) : kNoUid);
    }
    return 0;  // its TTL cannot be read: the point is refused for that, not dropped by another's
  }

  const RowExpiry& expiry_;
  UidDirectory& uids_;
  absl::flat_hash_map<std::string_view, int64_t> by_metric_;
};

// Approximate size of a definition in the journal: names, UIDs and lengths.
size_t DefinitionBytes(const PointView& point) {
  constexpr size_t kBesideAName = 8;
  size_t bytes = point.metric.size() + kBesideAName;
  for (const TagView& tag : point.tags)
    bytes += tag.key.size() + tag.value.size() + 2 * kBesideAName;
  return bytes;
}

// Runs a change of the store. An exception would leave it half made: if memory runs out here, the
// process ends, and the next open replays the journal.
template <typename Work>
void WholeOrNot(const Work& work) noexcept {  // NOLINT(bugprone-exception-escape): meant to end it
  work();
}

// kAborted if a point may be retried later.
absl::Status WhyThrottled(std::span<const RefusedPoint> refused) {
  const auto found = std::ranges::find(refused, PointErrorKind::kThrottled,
                                       [](const RefusedPoint& point) { return point.error.kind; });
  return found == refused.end() ? absl::OkStatus() : absl::AbortedError(found->error.text);
}

bool SameSpelling(const Spelling& a, const Spelling& b) {
  return a.hash == b.hash && a.head == b.head && a.tail == b.tail;
}

}  // namespace

struct PointWriter::Batch {
  std::string spelling_bytes;
  std::vector<Spelling> spellings;   // of each point
  std::vector<CachedSeries> series;  // of each point, written whole by FindKnown; number 0: not
                                     // known, kNoSeries: refused
  std::vector<RefusedPoint> refused;
  uint64_t expired = 0;             // points that are left out
  std::vector<size_t> lane_ends;    // into placed, of each lane
  std::vector<PlacedPoint> placed;  // lane by lane; resized and written whole by Place
  size_t definition_bytes = 0;      // that go into the journal, roughly

  void Clear() {
    spelling_bytes.clear();
    spellings.clear();
    refused.clear();
    expired = 0;
    lane_ends.clear();
    definition_bytes = 0;
  }
};

struct PointWriter::AskedPoints {
  uint64_t number = 0;
  std::deque<PointText> texts;  // what views of lines borrow
  std::vector<PointView> views;
  std::vector<size_t> indexes;  // of the views, into the batch
  std::string_view via;
};

PointWriter::PointWriter(const Options& options, const Parts& parts)
    : limits_{.tags_max = options.tags_max,
              .only_opentsdb =
                  parts.series->layout().names == NameEncoding::kAny && !options.put_any_names,
              .extra_name_chars = options.extra_name_chars},
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

// If memory for the batch cannot be allocated, the whole batch is refused.
template <typename Point>
CommitTicket PointWriter::AppendBatch(std::span<const Point> points,
                                      std::vector<RefusedPoint>* refused,
                                      const AppendOptions& options) {
  try {
    return TakeBatch(points, refused, options);
  } catch (const std::bad_alloc&) {
    return CommitTicket(absl::UnavailableError("put: out of memory: no point was taken"));
  }
}

template <typename Point>
CommitTicket PointWriter::TakeBatch(std::span<const Point> points,
                                    std::vector<RefusedPoint>* refused,
                                    const AppendOptions& options) {
  if (points.empty()) return CommitTicket();
  // The inner call would overwrite the batch of the outer one.
  if (parts_.observed_puts != nullptr && ObservedPuts::IsAsking()) {
    return CommitTicket(absl::FailedPreconditionError(
        "put: called by an observer in BeforePut or BeforeStore; an observer must not put there"));
  }
  if (absl::Status room = parts_.admission->Admit(options.wait_ms); !room.ok()) {
    return CommitTicket(std::move(room));
  }
  // Kept from batch to batch, to reuse its memory, unless the batch is huge.
  constexpr size_t kKeptPointsMax = 16384;
  thread_local Batch batch;
  if (batch.series.capacity() > kKeptPointsMax) batch = Batch();
  batch.Clear();
  // From before the lookup of series until their points are in open hours.
  ReadPins::Pin pin;
  if (parts_.puts != nullptr) pin = parts_.puts->Acquire();
  FindKnown(points, &batch);
  RefuseItems(options.items, &batch);  // before they create names
  AskedPoints asked;
  if (parts_.observed_puts != nullptr) {
    absl::StatusOr<AskedPoints> allowed = AskObservers(points, batch, options.via);
    if (!allowed.ok()) {
      points_refused_->Add(points.size());
      return CommitTicket(std::move(allowed).status());
    }
    asked = *std::move(allowed);
  }
  WholeOrNot([&] { ResolveMissing(points, options, &batch); });  // may make series
  RefuseItems(options.items, &batch);
  if (options.all_or_none) {
    if (absl::Status refused_all = WhyThrottled(batch.refused); !refused_all.ok()) {
      return CommitTicket(std::move(refused_all));
    }
  }
  uint64_t block = 0;
  {
    const ObservedPuts::Order order(parts_.observed_puts);
    if (parts_.observed_puts != nullptr) ShowObservers(asked, batch);
    Place(points, &batch);
    WholeOrNot([&] { block = AppendPlaced(&batch); });
  }
  CommitTicket ticket;
  WholeOrNot([&] { ticket = Commit(&batch, {asked.number, block}, refused, options); });
  return ticket;
}

CommitTicket PointWriter::Commit(Batch* batch_of_points,
                                 const Appended& appended,
                                 std::vector<RefusedPoint>* refused,
                                 const AppendOptions& options) {
  Batch& batch = *batch_of_points;
  points_expired_->Add(batch.expired);
  // Every point was stored, refused or expired.
  HOURCELL_DCHECK(batch.placed.size() + batch.refused.size() + batch.expired ==
                  batch.series.size());
  points_refused_->Add(batch.refused.size());
  points_added_->Add(batch.placed.size());
  if (refused != nullptr) {
    std::ranges::sort(batch.refused, {}, &RefusedPoint::index);
    *refused = std::move(batch.refused);
  }
  if (batch.placed.empty()) return CommitTicket();
  const uint64_t block = appended.block;
  if (parts_.sample != nullptr) {
    parts_.sample->Add(batch.placed.size(), [&batch](size_t i) {
      constexpr int64_t kHourS = 3'600;
      const int64_t seconds = batch.placed[i].time.ms / 1'000;
      return SampledPut{.series = batch.placed[i].series,
                        .base_time_s = static_cast<uint32_t>(seconds - seconds % kHourS)};
    });
  }
  // Before the points are pending: then background commits acknowledge them too.
  if (parts_.observed_puts != nullptr) {
    parts_.observed_puts->Add(appended.batch, batch.placed.size(), block,
                              options.sync || always_sync_);
  }
  // Approximate; pending bytes only decide when a background commit begins.
  constexpr size_t kBytesPerPoint = 6;
  if (parts_.commit->AddPending(batch.placed.size() * kBytesPerPoint + batch.definition_bytes)) {
    // Failures are retried, and returned to waiting callers.
    parts_.commit->CommitThrough(block, /*sync=*/false).IgnoreError();
  }
  return CommitTicket(parts_.commit, block, options.sync);
}

template <typename Point>
void PointWriter::FindKnown(std::span<const Point> points, Batch* batch) {
  batch->spellings.reserve(points.size());
  AppendSpellings(points, &batch->spelling_bytes, &batch->spellings);
  HOURCELL_DCHECK(batch->spellings.size() == points.size());
  batch->series.resize(points.size());
  parts_.cache->FindAll(batch->spellings, batch->series);
  // Before names are read: points that are not stored must not create a name.
  CheckPoints(points, batch);
}

template <typename Point>
absl::StatusOr<PointWriter::AskedPoints> PointWriter::AskObservers(std::span<const Point> points,
                                                                   const Batch& batch,
                                                                   std::string_view via) const {
  HOURCELL_CHECK(parts_.observed_puts != nullptr);
  AskedPoints asked;
  asked.via = via;
  PointNames names(points.size(), limits_);
  asked.indexes.reserve(points.size());
  for (size_t i = 0; i < points.size(); ++i) {
    // Later checks refuse points without a series, with the same words.
    if (batch.series[i].number == kNoSeries) continue;
    if (!names.Add(points[i]).has_value()) asked.indexes.push_back(i);
  }
  HOURCELL_ASSIGN_OR_RETURN(asked.number, parts_.observed_puts->Ask(names.views(), via));
  std::move(names).MoveTo(&asked.texts, &asked.views);
  return asked;
}

void PointWriter::ShowObservers(const AskedPoints& asked, const Batch& batch) const {
  const auto is_refused = [&](size_t index) { return batch.series[index].number == kNoSeries; };
  if (std::ranges::none_of(asked.indexes, is_refused)) {
    if (!asked.views.empty()) parts_.observed_puts->Show({asked.number, asked.views, asked.via});
    return;
  }
  std::vector<PointView> stored;
  for (size_t i = 0; i < asked.views.size(); ++i)
    if (!is_refused(asked.indexes[i])) stored.push_back(asked.views[i]);
  if (!stored.empty()) parts_.observed_puts->Show({asked.number, stored, asked.via});
}

void PointWriter::ShowNewSeries(std::span<const PointView* const> points,
                                std::span<const Parsed<SeriesRef>> found) const {
  std::vector<CreatedSeries> created;
  for (size_t i = 0; i < points.size(); ++i) {
    if (!found[i].ok() || !found[i]->is_new) continue;
    created.push_back({.number = found[i]->number,
                       .tsuid = found[i]->tsuid,
                       .metric = points[i]->metric,
                       .tags = points[i]->tags});
  }
  if (!created.empty()) parts_.observed_puts->ShowNew(created);
}

template <typename Point>
void PointWriter::CheckPoints(std::span<const Point> points, Batch* batch) const {
  const int64_t may_expire_ms = parts_.expiry == nullptr ? 0 : parts_.expiry->MayExpireBeforeMs();
  std::optional<KeptFrom> kept_from;
  for (size_t i = 0; i < points.size(); ++i) {
    const Point& point = points[i];
    if (auto fault = ContentFault(point.timestamp, point.value, point.may_be_special)) {
      batch->refused.push_back({.index = i, .error = *std::move(fault)});
      batch->series[i].number = kNoSeries;
      continue;
    }
    if (points[i].timestamp.ms >= may_expire_ms) continue;
    if (!kept_from.has_value()) kept_from.emplace(*parts_.expiry, parts_.uids);
    if (points[i].timestamp.ms >= kept_from->Ms(points[i])) continue;
    batch->series[i].number = kNoSeries;
    ++batch->expired;
  }
}

template <typename Point>
void PointWriter::ResolveMissing(std::span<const Point> points,
                                 const AppendOptions& options,
                                 Batch* batch) {
  const auto is_missing = [](const CachedSeries& one) { return one.number == 0; };
  if (std::ranges::none_of(batch->series, is_missing)) return;
  const uint64_t epoch = parts_.cache->epoch();  // before the lookups it vouches for
  // One a spelling: its first point, and its place among the names or its error.
  struct Missing {
    size_t point;
    size_t name;
    std::optional<PointError> fault;
  };
  std::vector<Missing> missing;
  absl::flat_hash_map<uint64_t, size_t> by_hash;
  std::vector<std::pair<size_t, size_t>> waiting;  // point, and its place in `missing`
  PointNames names(points.size(), limits_);
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
  parts_.series->GetOrCreate(views, &refs, options.wait_ms, options.new_series);
  HOURCELL_DCHECK(refs.size() == views.size());
  if (parts_.observed_puts != nullptr) ShowNewSeries(views, refs);
  std::vector<CachedSeries> found(missing.size());
  std::vector<Spelling> learnt;  // with their series
  std::vector<CachedSeries> learnt_series;
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
    // In the journal before its first point, and so before other threads can find it.
    found[i].number = ref->number;
    const bool is_synced = parts_.series->IsSynced(ref->number);
    if (!is_synced) batch->definition_bytes += DefinitionBytes(view);
    found[i].slot = parts_.open_hours->LaneOf(ref->number)
                        .Attach(ref->number, is_synced ? nullptr : &definition);
    learnt.push_back(batch->spellings[missing[i].point]);
    learnt_series.push_back(found[i]);
  }
  parts_.cache->InsertAll(learnt, learnt_series, epoch);
  for (const auto& [point, index] : waiting) {
    batch->series[point] = found[index];
    if (found[index].number != 0) continue;
    batch->series[point].number = kNoSeries;
    batch->refused.push_back({.index = point, .error = *missing[index].fault});
  }
}

void PointWriter::RefuseItems(std::span<const size_t> items, Batch* batch) {
  if (items.empty() || batch->refused.empty()) return;
  HOURCELL_DCHECK(items.size() == batch->series.size());
  absl::flat_hash_map<size_t, PointError> faults;  // the first of each item
  for (const RefusedPoint& point : batch->refused)
    faults.try_emplace(items[point.index], point.error);
  for (size_t i = 0; i < items.size(); ++i) {
    if (batch->series[i].number == kNoSeries) continue;
    const auto fault = faults.find(items[i]);
    if (fault == faults.end()) continue;
    batch->series[i].number = kNoSeries;
    batch->refused.push_back({.index = i, .error = fault->second});
  }
}

// Sorts the points by lane, without refused ones.
template <typename Point>
void PointWriter::Place(std::span<const Point> points, Batch* batch) const {
  const OpenHours& open_hours = *parts_.open_hours;
  const size_t lanes = parts_.open_hours->lanes().size();
  batch->lane_ends.assign(lanes + 1, 0);
  for (const CachedSeries& series : batch->series) {
    if (series.number != kNoSeries) ++batch->lane_ends[open_hours.LaneIndexOf(series.number) + 1];
  }
  for (size_t lane = 0; lane < lanes; ++lane)
    batch->lane_ends[lane + 1] += batch->lane_ends[lane];
  batch->placed.resize(batch->lane_ends[lanes]);
  // lane_ends[l] is where lane l begins, and becomes where it ends.
  const std::span<PlacedPoint> placed(batch->placed);
  const CachedSeries* series = batch->series.data();
  for (const Point& point : points) {
    const CachedSeries& found = *series++;
    if (found.number == kNoSeries) continue;
    const size_t place = batch->lane_ends[open_hours.LaneIndexOf(found.number)]++;
    placed[place] = {
        .series = found.number, .slot = found.slot, .time = point.timestamp, .value = point.value};
  }
  HOURCELL_DCHECK(batch->lane_ends[lanes - 1] == placed.size());
}

uint64_t PointWriter::AppendPlaced(Batch* batch) {
  const auto now_s = static_cast<uint32_t>(parts_.clock->MonotonicMs() / 1000);
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
  HOURCELL_DCHECK(begin == placed.size());
  parts_.open_hours->AddBytes(bytes);
  return block;
}

absl::Status StatusOfRefused(std::string_view metric, const PointError& error) {
  const std::string text = fmt::format("put {}: {}", metric, error.text);
  switch (error.kind) {
    case PointErrorKind::kInvalidValue:
    case PointErrorKind::kIllegalArgument:
    case PointErrorKind::kNoSuchRollup:
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
