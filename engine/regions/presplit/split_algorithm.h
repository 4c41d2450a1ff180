// SplitAlgorithm: HBase's RegionSplitter.SplitAlgorithm: bounds that cut a key space into regions
// of equal width, to the byte.
//
//   HexStringSplit      keys are hex text, "00000000" to "ffffffff" unless said otherwise
//   DecimalStringSplit  decimal text, "00000000" to "99999999"
//   UniformSplit        raw bytes, nothing to ff ff ff ff ff ff ff ff
//
// HexStringSplit and DecimalStringSplit fit keys that begin with such text, lower case and as many
// digits as the last row: an upper-case hex key sorts before all bounds with letters. The rounding
// is HBase's: the width is rounded down, and the last region takes the remainder.
//
// Pure; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace hourcell {

// The most regions a table is pre-split into. HBase knows no bound; a process has use for hundreds.
inline constexpr uint32_t kPresplitRegionsMax = 65'536;

struct SplitAlgorithm {
  enum class Kind : uint8_t { kHexString, kDecimalString, kUniform };

  Kind kind = Kind::kHexString;
  std::string first = "00000000";  // the lowest row key
  std::string last = "ffffffff";   // the highest; of text keys all bounds have its width

  static SplitAlgorithm HexString();
  static SplitAlgorithm DecimalString();
  static SplitAlgorithm Uniform();

  // The bounds between `regions` regions: regions - 1 keys, ascending. kInvalidArgument: fewer than
  // 2 regions for kUniform, fewer than 1 for the others (1 gives an empty list, as in HBase), more
  // than kPresplitRegionsMax, last <= first, or a key space with fewer keys than regions.
  absl::StatusOr<std::vector<std::string>> Split(uint32_t regions) const;

  // The key in the middle of [start, end); an empty `start` is `first`, an empty `end` is `last`.
  // kInvalidArgument: end <= start, or a text key that has other characters than digits.
  absl::StatusOr<std::string> Midpoint(std::string_view start, std::string_view end) const;

  // The bounds that cut [start, end) into `parts`; with_ends puts start and end around them. Empty
  // keys as for Midpoint. Errors as for both.
  absl::StatusOr<std::vector<std::string>> SplitRange(std::string_view start,
                                                      std::string_view end,
                                                      uint32_t parts,
                                                      bool with_ends) const;
};

// HBase's Bytes.split: `bounds` keys at equal distances between `start` and `end`, as bytes, both
// ends included: bounds + 2 keys, the first `start` and the last `end`. The shorter end is padded
// with zero bytes, and both get more zero bytes until the bounds can differ. `counts_end`: HBase's
// `inclusive`, one key more lies between the ends. kInvalidArgument: end <= start (padded), no
// bounds, or too many.
absl::StatusOr<std::vector<std::string>> SplitBytes(std::string_view start,
                                                    std::string_view end,
                                                    bool counts_end,
                                                    uint32_t bounds);

}  // namespace hourcell
