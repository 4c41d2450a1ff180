#include "engine/point_writer.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "codec/cell.h"
#include "codec/limits.h"
#include "codec/number.h"
#include "codec/value.h"

namespace hourcell {
namespace {

// What is wrong with the parts of a point that are not names.
std::optional<PointError> PointFault(const PointView& point, size_t tags_max) {
  const auto illegal = [](std::string text) {
    return PointError{PointErrorKind::kIllegalArgument, std::move(text)};
  };
  const Timestamp& time = point.timestamp;
  if (time.ms < 0 || time.ms > kTimestampMsMax) {
    return illegal(fmt::format("bad timestamp={}: got {} ms; want 0 to {} ms", time.ms, time.ms,
                               kTimestampMsMax));
  }
  if (!time.is_ms && time.ms % 1000 != 0) {
    return illegal(fmt::format(
        "bad timestamp={}: got {} ms in seconds precision; want whole seconds", time.ms, time.ms));
  }
  if (!point.value.is_integer() && !std::isfinite(point.value.floating())) {
    return illegal(fmt::format("value is NaN or Infinite: {}", JavaDouble(point.value.floating())));
  }
  if (point.tags.empty()) {
    return illegal(fmt::format("Need at least one tag (metric={}, tags={{}})", point.metric));
  }
  if (point.tags.size() > tags_max) {
    return illegal(
        fmt::format("Too many tags: {} maximum allowed: {}", point.tags.size(), tags_max));
  }
  for (size_t i = 1; i < point.tags.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (point.tags[i].key != point.tags[j].key) continue;
      return illegal(fmt::format("duplicate tag: {}={}", point.tags[i].key, point.tags[i].value));
    }
  }
  return std::nullopt;
}

}  // namespace

PointWriter::PointWriter(const Options& options, const RowKeyCodec& row_keys, const Parts& parts)
    : tags_max_(options.tags_max),
      sync_(options.sync == Durability::kAlways),
      row_keys_(row_keys),
      parts_(parts),
      points_added_(parts.stats->counter("datapoints.added", {{"type", "all"}})),
      points_refused_(parts.stats->counter("datapoints.refused", {{"type", "all"}})) {}

CommitTicket PointWriter::Append(std::span<const PointView> points,
                                 std::vector<RefusedPoint>* refused,
                                 const AppendOptions& options) {
  Batch batch = Place(points);
  points_refused_->Add(batch.refused.size());
  absl::Status applied;
  if (!batch.placed.empty()) {
    applied = parts_.tables->Apply(RowMerges(points, &batch), sync_ || options.sync);
    if (applied.ok()) points_added_->Add(batch.placed.size());
  }
  if (refused != nullptr) *refused = std::move(batch.refused);
  return CommitTicket(std::move(applied));
}

PointWriter::Batch PointWriter::Place(std::span<const PointView> points) {
  Batch batch;
  batch.series.reserve(points.size());
  batch.placed.reserve(points.size());
  std::vector<size_t> missing;
  std::string key;
  for (size_t i = 0; i < points.size(); ++i) {
    if (std::optional<PointError> fault = PointFault(points[i], tags_max_)) {
      batch.refused.push_back({.index = i, .error = *std::move(fault)});
      continue;
    }
    SeriesCache::MakeKey(points[i], &key);
    SeriesRef ref;
    if (!parts_.cache->Find(key, &ref)) {
      missing.push_back(i);
      continue;
    }
    batch.series.push_back(std::move(ref));
    PlacePoint(points[i], i, batch.series.size() - 1, &batch);
  }
  if (!missing.empty()) ResolveMissing(points, missing, &batch);
  std::ranges::sort(batch.refused, {}, &RefusedPoint::index);
  return batch;
}

void PointWriter::ResolveMissing(std::span<const PointView> points,
                                 std::span<const size_t> missing,
                                 Batch* batch) {
  const uint64_t epoch = parts_.cache->epoch();  // before the lookups it vouches for
  std::vector<const PointView*> wanted;
  wanted.reserve(missing.size());
  for (const size_t index : missing)
    wanted.push_back(&points[index]);
  std::vector<Parsed<SeriesRef>> results;
  parts_.series->GetOrCreate(wanted, &results);
  std::string key;
  for (size_t i = 0; i < missing.size(); ++i) {
    if (!results[i].ok()) {
      batch->refused.push_back({.index = missing[i], .error = results[i].error()});
      continue;
    }
    SeriesCache::MakeKey(points[missing[i]], &key);
    parts_.cache->Insert(key, *results[i], epoch);
    batch->series.push_back(*results[i]);
    PlacePoint(points[missing[i]], missing[i], batch->series.size() - 1, batch);
  }
}

void PointWriter::PlacePoint(const PointView& point,
                             size_t index,
                             size_t series_slot,
                             Batch* batch) const {
  const uint32_t base_time_s = BaseTimeS(point.timestamp.ms);
  const int64_t offset_ms = point.timestamp.ms - int64_t{base_time_s} * 1000;
  batch->placed.push_back({.series = batch->series[series_slot].number,
                           .base_time_s = base_time_s,
                           .offset_ms = static_cast<uint32_t>(offset_ms),
                           .index = index,
                           .series_slot = series_slot});
}

std::vector<Mutation> PointWriter::RowMerges(std::span<const PointView> points,
                                             Batch* batch) const {
  // Rows side by side, each in time order; of two points of one instant the one that came later
  // last.
  std::ranges::sort(batch->placed, [](const Placed& a, const Placed& b) {
    return std::tie(a.series, a.base_time_s, a.offset_ms, a.index) <
           std::tie(b.series, b.base_time_s, b.offset_ms, b.index);
  });
  std::vector<Mutation> merges;
  CellColumns columns;
  const auto same_row = [](const Placed& a, const Placed& b) {
    return a.series == b.series && a.base_time_s == b.base_time_s;
  };
  const std::vector<Placed>& placed = batch->placed;
  for (size_t begin = 0, end = 0; begin < placed.size(); begin = end) {
    columns.clear();
    for (end = begin; end < placed.size() && same_row(placed[begin], placed[end]); ++end) {
      const bool overwritten = end + 1 < placed.size() && same_row(placed[end], placed[end + 1]) &&
                               placed[end].offset_ms == placed[end + 1].offset_ms;
      if (overwritten) continue;
      const PointView& point = points[placed[end].index];
      columns.push_back({.offset_ms = placed[end].offset_ms,
                         .is_ms = point.timestamp.is_ms,
                         .flags = ValueFlags(point.value)},
                        point.value);
    }
    Mutation& merge = merges.emplace_back();
    merge.kind = Mutation::Kind::kMerge;
    row_keys_.Append(batch->series[placed[begin].series_slot].tsuid, placed[begin].base_time_s,
                     &merge.key);
    AppendCell(columns, &merge.value);
  }
  return merges;
}

}  // namespace hourcell
