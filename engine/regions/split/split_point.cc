#include "engine/regions/split/split_point.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "engine/regions/region_name.h"

// Why points are refused here that HBase accepts, or refuses only later: a split at the region's
// own start, outside the region, or with next to nothing on one side costs a flush and two families
// and changes nothing. Where the middle is useless, other places are tried, so that a region does
// not stay without an answer (HBASE-23620, HBASE-26996).

namespace hourcell {
namespace {

// A point this near the middle is good enough to stop.
constexpr double kGoodEnough = 0.01;

// Bisections between two keys of files. Each halves the distance in key space: to get from one hour
// of a metric to one of its series takes a bit of hour, tagk and tagv UIDs each, most of these
// where no key is. This number is enough for four tags.
constexpr int kBisectionsMax = 256;

// The byte at `i`, with zero bytes after the end.
uint32_t ByteAt(std::string_view key, size_t i) {
  return i < key.size() ? static_cast<uint8_t>(key[i]) : 0;
}

size_t CommonPrefixBytes(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                             a.begin());
}

// Finds the point of one target.
class PointFinder {
 public:
  PointFinder(const SplitTarget& target, const SplitProbe& probe)
      : target_(target), probe_(probe), total_bytes_(Bytes(target.range.start, target.range.end)) {}

  SplitPoint Find() {
    switch (target_.place) {
      case SplitPlace::kBytes:
        return total_bytes_ == 0 ? None("no bytes") : Settle(Median());
      case SplitPlace::kHBase: {
        const std::string point = HBaseSplitPoint(target_.files);
        return point.empty() ? None("no file has a middle row of its own") : Settle(point);
      }
      case SplitPlace::kLoad:
        return target_.hint.empty() ? None("no point by load") : Settle(target_.hint);
      case SplitPlace::kEnd:
        return End();
    }
    HOURCELL_CHECK(false);
  }

 private:
  static SplitPoint None(std::string reason) { return {.reason = std::move(reason)}; }

  uint64_t Bytes(std::string_view start, std::string_view end) const {
    return probe_.bytes_between(start, end);
  }
  uint64_t LeftBytes(std::string_view key) const { return Bytes(target_.range.start, key); }
  bool IsInside(std::string_view key) const {
    return CheckSplitPoint(target_.range, key) == SplitPointFault::kNone;
  }

  // Keys of files that could be points, ascending.
  std::vector<std::string> FileKeys() const {
    std::vector<std::string> keys;
    for (const FileSpan& file : target_.files) {
      for (const std::string& key : {file.smallest, file.largest}) {
        if (IsInside(key)) keys.push_back(key);
      }
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
  }

  // A key above all of the region's that a file has; its end if it has one.
  std::string Top() const {
    if (!target_.range.end.empty()) return target_.range.end;
    std::string top;
    for (const FileSpan& file : target_.files)
      top = std::max(top, file.largest);
    return AfterKey(std::max(top, target_.range.start));
  }

  // The row that is at `key` or next to it, if the probe can find rows.
  std::string RowFrom(const std::string& key) const {
    if (!probe_.first_row_from) return key;
    const std::string row = probe_.first_row_from(key);
    return IsInside(row) ? row : key;
  }

  // Keys of files first, since a file that lies on one side wholly need not be rewritten.
  std::string Median() const {
    const std::vector<std::string> keys = FileKeys();
    const auto high = std::partition_point(keys.begin(), keys.end(), [&](const std::string& key) {
      return LeftBytes(key) * 2 < total_bytes_;
    });
    std::string low_key = high == keys.begin() ? target_.range.start : *(high - 1);
    std::string high_key = high == keys.end() ? Top() : *high;
    std::string best;
    double best_off = 1;
    const auto consider = [&](const std::string& key) {
      const double share = static_cast<double>(LeftBytes(key)) / static_cast<double>(total_bytes_);
      if (IsInside(key) && std::abs(share - 0.5) < best_off) {
        best_off = std::abs(share - 0.5);
        best = key;
      }
      return share < 0.5;
    };
    consider(low_key);
    consider(high_key);
    for (int i = 0; i < kBisectionsMax && best_off > kGoodEnough; ++i) {
      const std::string middle = KeyBetween(low_key, high_key);
      if (middle <= low_key || middle >= high_key) break;
      (consider(middle) ? low_key : high_key) = middle;
    }
    return RowFrom(best);
  }

  SplitPoint End() const {
    const std::string& largest = target_.hint;
    std::string key = AfterKey(largest);
    if (target_.restriction.is_active()) key = target_.restriction.GroupEnd(largest);
    if (largest.empty() || !IsInside(key)) {
      return None(
          fmt::format("no key of the region is above its largest, {}", ToStringBinary(largest)));
    }
    SplitPoint point{.key = key, .reason = "", .left_bytes = LeftBytes(key)};
    point.right_bytes = total_bytes_ - std::min(total_bytes_, point.left_bytes);
    if (point.left_bytes < target_.daughter_bytes_min) return None(TooSmall(point));
    return point;
  }

  std::string TooSmall(const SplitPoint& point) const {
    return fmt::format("{} would leave {} and {} bytes; expected at least {} each",
                       ToStringBinary(point.key), point.left_bytes, point.right_bytes,
                       target_.daughter_bytes_min);
  }

  // The fault of a point; empty if it can be taken. Fills the point's bytes in.
  std::string FaultOf(SplitPoint* point) const {
    switch (CheckSplitPoint(target_.range, point->key)) {
      case SplitPointFault::kEmpty:
        return "the point is empty";
      case SplitPointFault::kEqualsStart:
        return fmt::format("{} is the region's start", ToStringBinary(point->key));
      case SplitPointFault::kOutside:
        return fmt::format("{} is not in {}", ToStringBinary(point->key), RangeText(target_.range));
      case SplitPointFault::kNone:
        break;
    }
    point->left_bytes = LeftBytes(point->key);
    point->right_bytes = total_bytes_ - std::min(total_bytes_, point->left_bytes);
    const bool is_useless =
        std::min(point->left_bytes, point->right_bytes) < target_.daughter_bytes_min;
    return is_useless ? TooSmall(*point) : "";
  }

  // The wanted point, or the nearest that can be taken.
  SplitPoint Settle(const std::string& wanted) const {
    SplitPoint point{.key = std::string(target_.restriction.Truncate(wanted))};
    const std::string fault = FaultOf(&point);
    if (fault.empty()) return point;
    if (target_.restriction.is_active()) {
      for (const std::string& key :
           {Above(wanted), target_.restriction.GroupStart(wanted), Below(wanted)}) {
        SplitPoint other{.key = key};
        if (!FaultOf(&other).empty()) continue;
        other.reason = fmt::format("{}; next group taken", fault);
        return other;
      }
    }
    return None(target_.restriction.is_active()
                    ? fmt::format("{}, nor is there another group", fault)
                    : fault);
  }

  // The start of the next group that has a row, else the end of this one.
  std::string Above(const std::string& key) const {
    std::string end = target_.restriction.GroupEnd(key);
    if (end.empty() || !probe_.first_row_from) return end;
    const std::string row = probe_.first_row_from(end);
    std::string next(target_.restriction.Truncate(row));
    return next >= end ? next : end;
  }

  // The start of the group of the last key of a file below the group of `key`.
  std::string Below(const std::string& key) const {
    const std::string start = target_.restriction.GroupStart(key);
    std::string below;
    for (const std::string& file_key : FileKeys()) {
      const std::string group(target_.restriction.Truncate(file_key));
      if (group < start && IsInside(group)) below = std::max(below, group);
    }
    return below;
  }

  const SplitTarget& target_;
  const SplitProbe& probe_;
  const uint64_t total_bytes_;
};

// Where `key` lies between `low` and `high`, in [0, 1].
double PositionIn(std::string_view low, std::string_view high, std::string_view key) {
  if (key <= low) return 0;
  if (key >= high) return 1;
  const size_t skip = CommonPrefixBytes(low, high);
  const auto number = [&](std::string_view text) {
    double value = 0;
    for (size_t i = skip + 8; i-- > skip;)
      value = (value + static_cast<double>(ByteAt(text, i))) / 256;
    return value;
  };
  const double width = number(high) - number(low);
  return width > 0 ? std::clamp((number(key) - number(low)) / width, 0.0, 1.0) : 0;
}

}  // namespace

SplitPoint FindSplitPoint(const SplitTarget& target, const SplitProbe& probe) {
  return PointFinder(target, probe).Find();
}

SplitPointFault CheckSplitPoint(const RegionRange& range, std::string_view key) {
  if (key.empty()) return SplitPointFault::kEmpty;
  if (key == range.start) return SplitPointFault::kEqualsStart;
  return range.Contains(key) ? SplitPointFault::kNone : SplitPointFault::kOutside;
}

absl::StatusOr<std::string> CheckUserPoint(const RegionRange& range,
                                           const SplitRestriction& restriction,
                                           std::string_view key) {
  std::string point(restriction.Truncate(key));
  const SplitPointFault fault = CheckSplitPoint(range, point);
  if (fault == SplitPointFault::kNone) return point;
  const std::string cut = point == key ? "" : fmt::format(", cut to \"{}\"", ToStringBinary(point));
  return absl::InvalidArgumentError(
      fmt::format("split key \"{}\"{}: {}; expected a key inside of {} and not its start",
                  ToStringBinary(key), cut,
                  fault == SplitPointFault::kEmpty         ? "is empty"
                  : fault == SplitPointFault::kEqualsStart ? "is the region's start"
                                                           : "is outside",
                  RangeText(range)));
}

std::string HBaseSplitPoint(std::span<const FileSpan> files) {
  struct Store {
    uint64_t bytes = 0;
    const FileSpan* largest = nullptr;
  };
  std::map<uint32_t, Store> stores;
  for (const FileSpan& file : files) {
    Store& store = stores[file.store];
    store.bytes += file.bytes;
    if (store.largest == nullptr || file.bytes > store.largest->bytes) store.largest = &file;
  }
  std::string point;
  uint64_t bytes = 0;
  for (const auto& [number, store] : stores) {
    const FileSpan& file = *store.largest;
    const bool has_point =
        !file.mid.empty() && file.mid != file.smallest && file.mid != file.largest;
    if (has_point && (point.empty() || store.bytes > bytes)) {
      point = file.mid;
      bytes = store.bytes;
    }
  }
  return point;
}

size_t MidBlockOfSingleLevelIndex(size_t blocks, MidKeyRule rule) {
  HOURCELL_CHECK(blocks > 0);
  return rule == MidKeyRule::kCurrent ? blocks / 2 : (blocks - 1) / 2;
}

size_t MidBlockOfMultiLevelIndex(size_t data_blocks) {
  HOURCELL_CHECK(data_blocks > 0);
  return (data_blocks - 1) / 2;
}

uint64_t BytesOfSpans(std::span<const FileSpan> files,
                      std::string_view start,
                      std::string_view end) {
  double bytes = 0;
  for (const FileSpan& file : files) {
    // A file of one row is a point: it is in the range or not.
    const std::string top = AfterKey(file.largest);
    if (file.smallest == file.largest) {
      const bool is_inside = file.smallest >= start && (end.empty() || file.smallest < end);
      bytes += is_inside ? static_cast<double>(file.bytes) : 0;
      continue;
    }
    const double from = PositionIn(file.smallest, top, start);
    const double to = end.empty() ? 1 : PositionIn(file.smallest, top, end);
    bytes += std::max(0.0, to - from) * static_cast<double>(file.bytes);
  }
  return static_cast<uint64_t>(bytes);
}

std::string KeyBetween(std::string_view low, std::string_view high) {
  HOURCELL_DCHECK(low < high);
  // (low + high) / 2 as numbers of `digits` digits to the base 256 after the common prefix.
  const size_t skip = CommonPrefixBytes(low, high);
  const size_t digits = std::max(low.size(), high.size()) - skip + 1;
  std::string middle(low.substr(0, skip));
  middle.resize(skip + digits);
  uint32_t carry = 0;  // of the sum, so that the halving can start at the front
  std::vector<uint32_t> sums(digits + 1);
  for (size_t i = digits; i-- > 0;) {
    const uint32_t sum = ByteAt(low, skip + i) + ByteAt(high, skip + i) + carry;
    sums[i + 1] = sum & 0xFF;
    carry = sum >> 8;
  }
  sums[0] = carry;
  for (size_t i = 0; i < digits; ++i)
    middle[skip + i] = static_cast<char>(((sums[i] & 1) << 7) | (sums[i + 1] >> 1));
  // Two bytes after the place where it leaves `low` are precise enough, and short.
  const size_t leaves = CommonPrefixBytes(low, middle);
  middle.resize(std::min(middle.size(), leaves + 3));
  return middle;
}

}  // namespace hourcell
