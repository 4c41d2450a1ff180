// The rows of the `series` table: series numbers, and posting lists that find them by tag.
//
//   key                                                     value
//   63 'c'                                                  counter: the highest number given, u64
//   6e 'n' | number / 64, u64                               tsuids of 64 numbers (series_rows.h)
//   74 't' | tsuid                                          number, u64
//   6d 'm' | metric UID | chunk, u48                        posting set: all series of the metric
//   70 'p' | metric UID | tagk UID | tagv UID | chunk, u48  posting set: those with that tag
//   61 'a' | metric UID | day, u16 | chunk, u48             posting set: series of the metric that
//                                                           may have points on that day: active set
//   62 'b' | first number, u64                              tsuids of new series: log row
//   69 'i'                                                  log rows up to this number are done
//
// engine/series/series_rows.h describes the last two.
//
// A series number has 64 bits and is never reused. A posting set holds the low 16 bits of the
// numbers whose upper 48 bits are the key's chunk, so a value has at most 8 KiB. A new series adds
// itself by merging sets of one; the merge is a union, so it commutes and can be repeated.
//
// A day is the number of days since 1970, in UTC. Opening the first hour of a day adds a series to
// an active set of that day, permanently; see active_sets.h.
//
// A posting set is a format byte and then
//   01   numbers, u16 each, ascending                       small sets; the operands of merges
//   02   a Roaring bitmap in the portable format  (github.com/RoaringBitmap/RoaringFormatSpec)
//   ff   another set: the rest of a merge of which a part did not decode; reading it is data loss
//
// Integers are big-endian (inside a Roaring bitmap, as that format says). Pure; thread-safe.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/rows/layout.h"
#include "codec/rows/tsuid.h"

namespace hourcell {

using SeriesNumber = uint64_t;

// The day of an active set.
inline constexpr uint32_t kDayS = 86'400;
constexpr uint32_t DayOf(uint32_t base_time_s) {
  return base_time_s / kDayS;
}

std::string SeriesCounterKey();
std::string LogRowPrefix();
std::string LogRowKey(SeriesNumber first);
std::string IndexedKey();
std::string SeriesNumberKey(SeriesNumber number);
std::string SeriesTsuidKey(std::string_view tsuid);

// Prefix of the keys of all tsuids of a metric; after the prefix's first byte the key is the tsuid.
std::string SeriesTsuidPrefix(const Layout& layout, Uid metric);

// Prefixes of posting keys, to which a chunk is appended.
std::string MetricPostingPrefix(const Layout& layout, Uid metric);
std::string TagPostingPrefix(const Layout& layout, Uid metric, const TagUids& tag);
// Prefix of the metric's active sets: of all days, and of one.
std::string ActiveSetsPrefix(const Layout& layout, Uid metric);
// Prefix of the active sets of all metrics.
std::string ActiveSetsPrefix();
std::string ActiveSetPrefix(const Layout& layout, Uid metric, uint32_t day);
void AppendPostingChunk(SeriesNumber number, std::string* key);

// The chunk of a posting key with a prefix of `prefix_size` bytes. kDataLoss: another length.
absl::StatusOr<uint64_t> PostingChunk(std::string_view key, size_t prefix_size);

// A set of one number.
std::string PostingOfOne(SeriesNumber number);

// Adds to an empty set or to one that is the result of this function or of PostingOfOne. REQUIRES:
// the number is in the same chunk, and above all in the set.
void AddToPosting(SeriesNumber number, std::string* set);

// The numbers of a set in `chunk`, appended ascending. kDataLoss: not a posting set.
absl::Status DecodePosting(std::string_view set, uint64_t chunk, std::vector<SeriesNumber>* out);

// The union of sets. Never fails: if one does not decode, the result is marked damaged.
void MergePostings(std::span<const std::string_view> sets, std::string* out);

// A u64 value. kDataLoss: not 8 bytes.
absl::StatusOr<uint64_t> DecodeU64(std::string_view value);
std::string EncodeU64(uint64_t value);

}  // namespace hourcell
