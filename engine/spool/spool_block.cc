#include "engine/spool/spool_block.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/crc32c.h"
#include "codec/base/status_macros.h"
#include "codec/base/varint.h"
#include "codec/limits.h"

// Why points with their names and not numbers of series, as the journal has them: the other server
// wants names, and a series may be dropped, or its metric renamed, before its points are sent.
// Points of one request mostly have the tags, or the metric, of the point before, so that they cost
// a few bytes.

namespace hourcell {
namespace {

constexpr char kVersion = 1;
constexpr char kVersionWithVia = 2;
constexpr char kHistogramVersions = 2;  // is added to a version
constexpr char kVersionMax = kVersionWithVia + kHistogramVersions;
constexpr size_t kIdBytes = 16;
constexpr size_t kCrcBytes = 4;

enum Flag : uint8_t {
  kMilliseconds = 1,
  kFloat = 2,
  kSameMetric = 4,
  kSameTags = 8,
  kFlags = 15,
  kHistogram = 16
};

bool HasVia(std::string_view block) {
  return block[0] == kVersionWithVia || block[0] == kVersionMax;
}

uint8_t* StoreName(std::string_view name, uint8_t* out) {
  out = StoreVarint(name.size(), out);
  std::memcpy(out, name.data(), name.size());
  return out + name.size();
}

// Of a point, at most.
size_t SpooledBytesMax(const PointView& point, std::string_view cell) {
  size_t bytes = 1 + 4 * kVarintBytesMax + point.metric.size() + cell.size();
  for (const TagView& tag : point.tags)
    bytes += 2 * kVarintBytesMax + tag.key.size() + tag.value.size();
  return bytes;
}

uint8_t FlagsOf(const PointView& point, std::string_view cell, const PointView* before) {
  unsigned flags = 0;
  if (point.timestamp.is_ms) flags |= kMilliseconds;
  if (!cell.empty()) {
    flags |= kHistogram;
  } else if (!point.value.is_integer()) {
    flags |= kFloat;
  }
  if (before != nullptr && before->metric == point.metric) flags |= kSameMetric;
  if (before != nullptr && std::ranges::equal(before->tags, point.tags)) flags |= kSameTags;
  return static_cast<uint8_t>(flags);
}

uint8_t* StorePoint(const PointView& point, std::string_view cell, uint8_t flags, uint8_t* out) {
  *out++ = flags;
  if ((flags & kSameMetric) == 0) out = StoreName(point.metric, out);
  if ((flags & kSameTags) == 0) {
    out = StoreVarint(point.tags.size(), out);
    for (const TagView& tag : point.tags)
      out = StoreName(tag.value, StoreName(tag.key, out));
  }
  const auto ms = static_cast<uint64_t>(point.timestamp.ms);
  out = StoreVarint(point.timestamp.is_ms ? ms : ms / 1000, out);
  if (!cell.empty()) return StoreName(cell, out);
  if (point.value.is_integer()) return StoreVarint(ZigZag(point.value.integer()), out);
  char bits[8];
  StoreBigEndian(std::bit_cast<uint64_t>(point.value.floating()), sizeof(bits), bits);
  std::memcpy(out, bits, sizeof(bits));
  return out + sizeof(bits);
}

absl::Status Cut() {
  return absl::DataLossError("spool block: a point is cut short");
}

// Takes points off the front of bytes.
class PointTaker {
 public:
  PointTaker(std::string_view bytes, bool may_have_histograms)
      : bytes_(bytes), known_flags_(may_have_histograms ? kFlags | kHistogram : kFlags) {}

  bool is_at_end() const { return bytes_.empty(); }
  absl::Status Take(SpooledPoints* out) {
    const auto flags = static_cast<uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    const bool is_histogram = (flags & kHistogram) != 0;
    if ((flags & ~known_flags_) != 0 || (is_histogram && (flags & kFloat) != 0) ||
        (!has_point_ && (flags & (kSameMetric | kSameTags)) != 0)) {
      return absl::DataLossError(fmt::format("spool block: a point has flags {:#x}", flags));
    }
    if ((flags & kSameMetric) == 0) HOURCELL_RETURN_IF_ERROR(TakeName(&point_.metric));
    if ((flags & kSameTags) == 0) HOURCELL_RETURN_IF_ERROR(TakeTags(out));
    HOURCELL_RETURN_IF_ERROR(TakeTime((flags & kMilliseconds) != 0));
    std::string_view cell;
    if (is_histogram) {
      HOURCELL_RETURN_IF_ERROR(TakeName(&cell));
      if (cell.empty()) return absl::DataLossError("spool block: a histogram has no bytes");
      point_.value = {};
    } else {
      HOURCELL_RETURN_IF_ERROR(TakeValue((flags & kFloat) != 0));
    }
    has_point_ = true;
    out->points.push_back(point_);
    out->cells.push_back(cell);
    return absl::OkStatus();
  }

 private:
  absl::Status TakeName(std::string_view* name) {
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t size, TakeVarint(&bytes_));
    if (size > bytes_.size()) return Cut();
    *name = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return absl::OkStatus();
  }
  absl::Status TakeTags(SpooledPoints* out) {
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t count, TakeVarint(&bytes_));
    if (count > kTagsMax) {
      return absl::DataLossError(
          fmt::format("spool block: a point has {} tags; expected at most {}", count, kTagsMax));
    }
    std::vector<TagView>& tags = out->tags.emplace_back(count);
    for (TagView& tag : tags) {
      HOURCELL_RETURN_IF_ERROR(TakeName(&tag.key));
      HOURCELL_RETURN_IF_ERROR(TakeName(&tag.value));
    }
    point_.tags = tags;
    return absl::OkStatus();
  }
  absl::Status TakeTime(bool is_ms) {
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t time, TakeVarint(&bytes_));
    const uint64_t most = static_cast<uint64_t>(kTimestampMsMax) / (is_ms ? 1 : 1000);
    if (time > most) {
      return absl::DataLossError(
          fmt::format("spool block: a point has time {}; expected at most {}", time, most));
    }
    point_.timestamp = {.ms = static_cast<int64_t>(is_ms ? time : time * 1000), .is_ms = is_ms};
    return absl::OkStatus();
  }
  absl::Status TakeValue(bool is_float) {
    if (!is_float) {
      HOURCELL_ASSIGN_OR_RETURN(const uint64_t value, TakeVarint(&bytes_));
      point_.value = Value::Integer(UnZigZag(value));
      return absl::OkStatus();
    }
    if (bytes_.size() < 8) return Cut();
    const auto value = std::bit_cast<double>(LoadBigEndian(bytes_.data(), 8));
    if (!std::isfinite(value)) return absl::DataLossError("spool block: a value is not finite");
    point_.value = Value::Float(value);
    bytes_.remove_prefix(8);
    return absl::OkStatus();
  }

  std::string_view bytes_;
  const unsigned known_flags_;
  PointView point_;  // the last one
  bool has_point_ = false;
};

absl::StatusOr<std::string_view> TakeVia(std::string_view* bytes) {
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t size, TakeVarint(bytes));
  const std::string_view via = bytes->substr(0, size);
  if (size == 0 || via.size() != size || !IsVia(via)) {
    return absl::DataLossError("spool block: bad ids of servers");
  }
  bytes->remove_prefix(size);
  return via;
}

}  // namespace

void AppendSpooledPoints(std::span<const PointView> points,
                         std::string* out,
                         std::span<const std::string_view> cells) {
  HOURCELL_DCHECK(cells.empty() || cells.size() == points.size());
  const auto cell_of = [&](size_t i) { return cells.empty() ? std::string_view() : cells[i]; };
  size_t bytes_max = 0;
  for (size_t i = 0; i < points.size(); ++i)
    bytes_max += SpooledBytesMax(points[i], cell_of(i));
  const size_t begin = out->size();
  out->resize(begin + bytes_max);
  auto* const first = reinterpret_cast<uint8_t*>(out->data()) + begin;
  uint8_t* end = first;
  const PointView* before = nullptr;
  for (size_t i = 0; i < points.size(); ++i) {
    end = StorePoint(points[i], cell_of(i), FlagsOf(points[i], cell_of(i), before), end);
    before = &points[i];
  }
  HOURCELL_DCHECK(static_cast<size_t>(end - first) <= bytes_max);
  out->resize(begin + static_cast<size_t>(end - first));
}

bool IsVia(std::string_view via) {
  if (via.size() > kViaBytesMax || (!via.empty() && via.size() % (kIdBytes + 1) != kIdBytes)) {
    return false;
  }
  for (size_t i = 0; i < via.size(); ++i) {
    const bool is_comma = i % (kIdBytes + 1) == kIdBytes;
    const bool is_digit = (via[i] >= '0' && via[i] <= '9') || (via[i] >= 'a' && via[i] <= 'f');
    if (is_comma ? via[i] != ',' : !is_digit) return false;
  }
  return true;
}

void AppendSpoolVia(std::string_view via, std::string* out) {
  HOURCELL_CHECK(IsVia(via));
  if (via.empty()) return;
  AppendVarint(via.size(), out);
  *out += via;
}

void SetSpoolBlockHeader(const SpoolBlockHeader& header, bool has_via, std::string* block) {
  HOURCELL_CHECK(block->size() >= kSpoolBlockHeaderBytes);
  char* const out = block->data();
  const int version = has_via ? kVersionWithVia : kVersion;
  out[0] = static_cast<char>(header.has_histograms ? version + kHistogramVersions : version);
  StoreBigEndian(header.points_before, 8, out + 1);
  StoreBigEndian(header.points, 4, out + 9);
  StoreBigEndian(static_cast<uint64_t>(header.time_ms), 8, out + 13);
}

absl::StatusOr<SpoolBlockHeader> DecodeSpoolBlockHeader(std::string_view block) {
  if (block.size() < kSpoolBlockHeaderBytes) {
    return absl::DataLossError(fmt::format("spool block: expected at least {} bytes, got {}",
                                           kSpoolBlockHeaderBytes, block.size()));
  }
  if (block[0] < kVersion || block[0] > kVersionMax) {
    return absl::DataLossError(fmt::format("spool block: expected {} to {}, got version {}",
                                           int{kVersion}, int{kVersionMax}, int{block[0]}));
  }
  return SpoolBlockHeader{.points_before = LoadBigEndian(block.data() + 1, 8),
                          .points = static_cast<uint32_t>(LoadBigEndian(block.data() + 9, 4)),
                          .time_ms = static_cast<int64_t>(LoadBigEndian(block.data() + 13, 8)),
                          .has_histograms = block[0] > kHistogramVersions};
}

absl::Status DecodeSpoolBlock(std::string_view block, SpooledPoints* out) {
  HOURCELL_ASSIGN_OR_RETURN(const SpoolBlockHeader header, DecodeSpoolBlockHeader(block));
  std::string_view bytes = block.substr(kSpoolBlockHeaderBytes);
  if (HasVia(block)) HOURCELL_RETURN_IF_ERROR(TakeVia(&bytes).status());
  PointTaker taker(bytes, header.has_histograms);
  size_t points = 0;
  for (; !taker.is_at_end(); ++points)
    HOURCELL_RETURN_IF_ERROR(taker.Take(out));
  if (points == header.points) return absl::OkStatus();
  return absl::DataLossError(
      fmt::format("spool block: has {} points; its header says {}", points, header.points));
}

std::string_view SpoolViaOf(std::string_view block) {
  if (!DecodeSpoolBlockHeader(block).ok() || !HasVia(block)) return {};
  block.remove_prefix(kSpoolBlockHeaderBytes);
  return TakeVia(&block).value_or("");
}

std::string EncodeSpoolPosition(const SpoolPosition& position) {
  std::string bytes;
  for (const uint64_t number : {position.sequence, position.points, position.dropped,
                                position.dropped_after, position.total}) {
    AppendBigEndian(number, 8, &bytes);
  }
  AppendBigEndian(Crc32c(bytes), kCrcBytes, &bytes);
  return bytes;
}

std::optional<SpoolPosition> DecodeSpoolPosition(std::string_view bytes) {
  constexpr size_t kOldBytes = 16;
  constexpr size_t kBytes = 40;
  if (bytes.size() != kOldBytes + kCrcBytes && bytes.size() != kBytes + kCrcBytes) {
    return std::nullopt;
  }
  const std::string_view numbers = bytes.substr(0, bytes.size() - kCrcBytes);
  if (LoadBigEndian(bytes.data() + numbers.size(), kCrcBytes) != Crc32c(numbers)) {
    return std::nullopt;
  }
  SpoolPosition position{.sequence = LoadBigEndian(bytes.data(), 8),
                         .points = LoadBigEndian(bytes.data() + 8, 8)};
  position.total = position.points;
  if (numbers.size() == kOldBytes) return position;
  position.dropped = LoadBigEndian(bytes.data() + 16, 8);
  position.dropped_after = LoadBigEndian(bytes.data() + 24, 8);
  position.total = LoadBigEndian(bytes.data() + 32, 8);
  return position;
}

}  // namespace hourcell
