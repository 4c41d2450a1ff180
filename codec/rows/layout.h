// Layout: the arrangement of a store's bytes. Fixed and stored when the store is created, passed to
// every encoder and decoder. A store is never opened with another one.
//
//   row key = [salt][metric UID][base time, 4 bytes][tagk UID, tagv UID]...
//
// The order of the fields is data (`fields`), so that other orders can be compared: every encode,
// decode and range uses RowKeyCodec, which reads it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/limits.h"
#include "codec/rows/uid.h"

namespace hourcell {

// One field of a row key. ON DISK (by name).
enum class RowField : uint8_t { kSalt, kMetric, kBaseTime, kTags };

// How names become stored bytes. ON DISK (by name).
enum class NameEncoding : uint8_t {
  kLatin1 = 0,  // OpenTSDB's ISO-8859-1; a character above U+00FF is rejected
  kUtf8 = 1,
  kAny = 2,  // UTF-8, and any character but control characters, if the point has the flag
};

struct Layout {
  size_t metric_width = kUidWidthDefault;
  size_t tagk_width = kUidWidthDefault;
  size_t tagv_width = kUidWidthDefault;
  size_t salt_width = 0;  // bytes; 0 = rows are not salted
  // Buckets of the first salt epoch (salt_epochs.h). Used only with salt_width > 0.
  uint32_t salt_buckets = kSaltBucketsDefault;
  NameEncoding names = NameEncoding::kLatin1;
  std::vector<RowField> fields = {RowField::kSalt, RowField::kMetric, RowField::kBaseTime,
                                  RowField::kTags};

  size_t width(UidKind kind) const {
    return kind == UidKind::kMetric ? metric_width
           : kind == UidKind::kTagk ? tagk_width
                                    : tagv_width;
  }
  size_t pair_width() const { return tagk_width + tagv_width; }

  friend bool operator==(const Layout&, const Layout&) = default;
};

// kInvalidArgument, with the setting, the actual and the expected value: widths outside 1..8 (salt
// 0..8), buckets of 0 or more than the salt bytes can number, fields other than each of the four
// once, or tags that are not last.
absl::Status ValidateLayout(const Layout& layout);

// The layout as text, one `key=value` a line, keys as OpenTSDB's settings spell them:
//   tsd.storage.uid.width.metric=3 ... names=latin1, row_key=salt,metric,base_time,tags
std::string FormatLayout(const Layout& layout);

// Reads FormatLayout's text. kDataLoss for anything else.
absl::StatusOr<Layout> ParseLayout(std::string_view text);

// Every setting in which the two differ, as "key: store has X, asked for Y", joined by "; ". Empty
// if they are equal.
std::string DescribeDifference(const Layout& store, const Layout& asked);

}  // namespace hourcell
