#include "engine/rows/series_key.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <roaring/roaring.hh>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr size_t kChunkBytes = 6;
constexpr size_t kDayBytes = 2;
constexpr char kArrayFormat = 1;
constexpr char kRoaringFormat = 2;
constexpr char kDamagedFormat = '\xff';
// For more numbers than this, Roaring's header costs less than it saves.
constexpr size_t kArrayNumbersMax = 16;

std::string KeyOf(char prefix) {
  return std::string(1, prefix);
}

absl::Status BadPosting(std::string_view set) {
  const auto format = static_cast<uint8_t>(set.empty() ? 0 : set[0]);
  if (format > kRoaringFormat && set[0] != kDamagedFormat) {
    return absl::DataLossError(
        NewerFormatMessage(fmt::format("posting set format {:02x}", format), "01, 02 and ff"));
  }
  return absl::DataLossError(
      fmt::format("posting set: does not decode; got {}", ToHex(set.substr(0, 32))));
}

// True if each number is above the previous one.
bool Ascends(std::span<const uint16_t> numbers) {
  return std::ranges::adjacent_find(numbers, std::ranges::greater_equal()) == numbers.end();
}

// Appends the numbers of a set; false if it is damaged, then with the numbers of its intact part.
bool DecodeLow(std::string_view set, std::vector<uint16_t>* low) {
  if (set.empty()) return false;
  if (set[0] == kDamagedFormat) {
    DecodeLow(set.substr(1), low);
    return false;
  }
  const std::string_view body = set.substr(1);
  const size_t first = low->size();
  if (set[0] == kArrayFormat) {
    if (body.empty() || body.size() % 2 != 0) return false;
    for (size_t i = 0; i < body.size(); i += 2) {
      low->push_back(static_cast<uint16_t>(LoadBigEndian(body.data() + i, 2)));
    }
    return Ascends(std::span(*low).subspan(first));
  }
  if (set[0] != kRoaringFormat || body.empty()) return false;
  if (roaring_bitmap_portable_deserialize_size(body.data(), body.size()) != body.size()) {
    return false;
  }
  const Roaring bitmap = Roaring::readSafe(body.data(), body.size());
  for (const uint32_t number : bitmap) {
    if (number > 0xFFFF) return false;
    low->push_back(static_cast<uint16_t>(number));
  }
  return Ascends(std::span(*low).subspan(first));
}

}  // namespace

std::string SeriesCounterKey() {
  return KeyOf('c');
}

std::string LogRowPrefix() {
  return KeyOf('b');
}

std::string LogRowKey(SeriesNumber first) {
  std::string key = LogRowPrefix();
  AppendBigEndian(first, 8, &key);
  return key;
}

std::string IndexedKey() {
  return KeyOf('i');
}

std::string SeriesNumberKey(SeriesNumber number) {
  std::string key = KeyOf('n');
  AppendBigEndian(number, 8, &key);
  return key;
}

std::string SeriesTsuidKey(std::string_view tsuid) {
  std::string key = KeyOf('t');
  key.append(tsuid);
  return key;
}

std::string SeriesTsuidPrefix(const Layout& layout, Uid metric) {
  std::string key = KeyOf('t');
  AppendBigEndian(metric, layout.metric_width, &key);
  return key;
}

std::string MetricPostingPrefix(const Layout& layout, Uid metric) {
  std::string key = KeyOf('m');
  AppendBigEndian(metric, layout.metric_width, &key);
  return key;
}

std::string TagPostingPrefix(const Layout& layout, Uid metric, const TagUids& tag) {
  std::string key = KeyOf('p');
  AppendBigEndian(metric, layout.metric_width, &key);
  AppendBigEndian(tag.tagk, layout.tagk_width, &key);
  AppendBigEndian(tag.tagv, layout.tagv_width, &key);
  return key;
}

std::string ActiveSetsPrefix() {
  return KeyOf('a');
}

std::string ActiveSetsPrefix(const Layout& layout, Uid metric) {
  std::string key = KeyOf('a');
  AppendBigEndian(metric, layout.metric_width, &key);
  return key;
}

std::string ActiveSetPrefix(const Layout& layout, Uid metric, uint32_t day) {
  std::string key = ActiveSetsPrefix(layout, metric);
  AppendBigEndian(day, kDayBytes, &key);
  return key;
}

void AppendPostingChunk(SeriesNumber number, std::string* key) {
  AppendBigEndian(number >> 16, kChunkBytes, key);
}

absl::StatusOr<uint64_t> PostingChunk(std::string_view key, size_t prefix_size) {
  if (key.size() != prefix_size + kChunkBytes) {
    return absl::DataLossError(fmt::format("posting key {}: expected {} bytes, got {}", ToHex(key),
                                           prefix_size + kChunkBytes, key.size()));
  }
  return LoadBigEndian(key.data() + prefix_size, kChunkBytes);
}

std::string PostingOfOne(SeriesNumber number) {
  std::string set;
  AddToPosting(number, &set);
  return set;
}

void AddToPosting(SeriesNumber number, std::string* set) {
  if (set->empty()) set->push_back(kArrayFormat);
  AppendBigEndian(number & 0xFFFF, 2, set);
}

absl::Status DecodePosting(std::string_view set, uint64_t chunk, std::vector<SeriesNumber>* out) {
  std::vector<uint16_t> low;
  if (!DecodeLow(set, &low)) return BadPosting(set);
  for (const uint16_t number : low)
    out->push_back((chunk << 16) | number);
  return absl::OkStatus();
}

void MergePostings(std::span<const std::string_view> sets, std::string* out) {
  std::vector<uint16_t> low;
  out->clear();
  for (const std::string_view set : sets) {
    if (!DecodeLow(set, &low) && out->empty()) out->push_back(kDamagedFormat);
  }
  std::ranges::sort(low);
  low.erase(std::unique(low.begin(), low.end()), low.end());
  if (low.size() <= kArrayNumbersMax) {
    out->push_back(kArrayFormat);
    for (const uint16_t number : low)
      AppendBigEndian(number, 2, out);
    return;
  }
  Roaring bitmap;
  for (const uint16_t number : low)
    bitmap.add(number);
  bitmap.runOptimize();
  const size_t at = out->size() + 1;
  out->push_back(kRoaringFormat);
  out->resize(at + bitmap.getSizeInBytes(/*portable=*/true));
  bitmap.write(out->data() + at, /*portable=*/true);
}

absl::StatusOr<uint64_t> DecodeU64(std::string_view value) {
  if (value.size() != 8) {
    return absl::DataLossError(
        fmt::format("number {}: expected 8 bytes, got {}", ToHex(value), value.size()));
  }
  return LoadBigEndian(value.data(), 8);
}

std::string EncodeU64(uint64_t value) {
  std::string bytes;
  AppendBigEndian(value, 8, &bytes);
  return bytes;
}

}  // namespace hourcell
