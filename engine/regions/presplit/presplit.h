// Pre-splitting: the split keys a table begins with. n keys make n + 1 regions:
//
//   split keys  a, b, c   ->   regions  [, a)  [a, b)  [b, c)  [c, )
//
// The ways of HBase's shell and RegionSplitter, and our additions. A specification, and its keys:
//
//   hex:16            HexStringSplit, 16 regions (split_algorithm.h)
//   decimal:7         DecimalStringSplit
//   uniform:10        UniformSplit
//   keys:a,b,c        these keys (SPLITS); \xNN is the byte NN, so \x2C is a comma
//   file:bounds.txt   one key a line (SPLITS_FILE); the caller reads the file
//   salt              one region for each salt bucket of the layout
//   partition:20      one region for each of 20 partitions: 8 bytes, big-endian, 1 to 19
//
// Pure; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/layout.h"

namespace hourcell {

// The longest split key: HBase's limit of a row key.
inline constexpr size_t kSplitKeyBytesMax = 32'767;

// The most bytes of a text of split keys: a specification or a file.
inline constexpr size_t kSplitTextBytesMax = 16 * 1024 * 1024;

struct PresplitSpec {
  enum class Kind : uint8_t {
    kHexString,
    kDecimalString,
    kUniform,
    kKeys,
    kFile,
    kSalt,
    kPartition
  };

  Kind kind = Kind::kHexString;
  uint32_t regions = 0;           // of kHexString, kDecimalString, kUniform and kPartition
  std::vector<std::string> keys;  // of kKeys, ascending
  std::string path;               // of kFile

  friend bool operator==(const PresplitSpec&, const PresplitSpec&) = default;
};

// Reads a specification as above.
// kInvalidArgument: an unknown word, no number or one out of range (1 to kPresplitRegionsMax; from
// 2 for uniform and partition), no path, keys that SortSplitKeys refuses, or text after it.
absl::StatusOr<PresplitSpec> ParsePresplit(std::string_view text);

// The text of a specification, which ParsePresplit reads back to the same.
std::string FormatPresplit(const PresplitSpec& spec);

// The split keys of a specification. `file_text` is the text of kFile's file, and ignored
// otherwise. kInvalidArgument as the function of its kind.
absl::StatusOr<std::vector<std::string>> PresplitKeys(const PresplitSpec& spec,
                                                      const Layout& layout,
                                                      std::string_view file_text);

// The keys in order. kInvalidArgument: an empty key, one that comes twice, one longer than
// kSplitKeyBytesMax, or kPresplitRegionsMax keys or more.
absl::StatusOr<std::vector<std::string>> SortSplitKeys(std::vector<std::string> keys);

// SPLITS_FILE: one key a line in any order, lines that end with LF or CR LF, escapes as above.
// kInvalidArgument, naming the line: an empty line or a bad escape; else as SortSplitKeys.
absl::StatusOr<std::vector<std::string>> ParseSplitsFile(std::string_view text);

// HBaseAdmin.createTable(start, end, regions): bounds from `start` to `end`, both included, so that
// the first and the last region take the keys outside. kInvalidArgument: fewer than 3 regions, end
// <= start, an empty start.
absl::StatusOr<std::vector<std::string>> CreateTableKeys(std::string_view start,
                                                         std::string_view end,
                                                         uint32_t regions);

// The salt of each bucket but the first. kInvalidArgument: a layout without salt, or whose salt is
// not the first field of a row key, or that has 1 bucket or too many for a region each.
absl::StatusOr<std::vector<std::string>> SaltKeys(const Layout& layout);

// 1 to partitions - 1 as 8 bytes, big-endian: the bounds of keys that begin with a number modulo
// `partitions` (PartitionDistributor). kInvalidArgument: fewer than 2 or too many.
absl::StatusOr<std::vector<std::string>> PartitionKeys(uint32_t partitions);

// Which of the regions that `split_keys`, ascending, make holds `row`: 0 to split_keys.size().
size_t RegionIndexOf(const std::vector<std::string>& split_keys, std::string_view row);

}  // namespace hourcell
