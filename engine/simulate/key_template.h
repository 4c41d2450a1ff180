// KeyTemplate: how a series' point becomes a row key, as text, so that a design can be tried
// without being built. Fields are joined by '+', in their order:
//
//   metric             the metric's UID                   metric~   its bytes in reverse
//   tags               tagk and tagv UIDs, ascending
//   hour               the hour, 4 bytes, seconds         hour~     2^32 - 1 - hour: newest first
//   day                the day, 4 bytes, seconds
//   ms                 the time, 8 bytes, milliseconds    ms~       2^63 - 1 - ms
//   salt:20            OpenTSDB's salt, a byte up to 256 buckets, else two
//   hash:2             the first bytes, 1 to 16, of MD5 of the series
//   hex:4              the first hex digits, 1 to 32, of MD5 of the series
//   id                 the series' number, 8 bytes
//   modulo:20          the series' number modulo 20, 8 bytes
//   text:abc           these characters
//
// Names for whole templates: opentsdb (metric+hour+tags), salted:20 (salt:20+metric+hour+tags),
// hash-prefix:2 (hash:2+metric+hour+tags), reversed-metric (metric~+hour+tags), tags-first
// (metric+tags+hour), time-first (hour+metric+tags), newest-first (metric+hour~+tags),
// partition:20 (modulo:20+id). All integers are big-endian. Pure; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/layout.h"

namespace hourcell {

// What a key is made from. Of a plain id the tsuid is the id in 8 bytes, without a metric.
struct KeyParts {
  std::string_view tsuid = {};  // metric UID, then tags
  size_t metric_bytes = 0;      // of the tsuid
  uint64_t number = 0;          // of the series, or the id
  uint64_t time_ms = 0;
};

class KeyTemplate {
 public:
  // kInvalidArgument: an unknown field, an operand that is missing, out of range or too much.
  static absl::StatusOr<KeyTemplate> Parse(std::string_view text);

  // Appends the key.
  void Append(const KeyParts& parts, std::string* out) const;

  // The template as fields, names taken apart.
  const std::string& text() const { return text_; }

  // The salt's buckets, 0 without salt; for pre-splits and for the cost of a scan.
  uint64_t salt_buckets() const;
  size_t salt_bytes() const;
  // True if the first field that differs between keys says the time: then all writes go to one
  // place.
  bool begins_with_time() const;
  // How many ranges a scan of one metric's hours has to visit: buckets, or 0 for "all keys".
  uint64_t ranges_of_scan() const;

 private:
  enum class FieldKind : uint8_t {
    kMetric,
    kMetricReversed,
    kTags,
    kHour,
    kHourReversed,
    kDay,
    kMs,
    kMsReversed,
    kSalt,
    kHash,
    kHex,
    kId,
    kModulo,
    kText,
  };
  struct Field {
    FieldKind kind = FieldKind::kMetric;
    uint64_t number = 0;
    std::string text = {};
  };
  struct FieldName;

  absl::Status AddField(std::string_view word);
  void AppendField(const Field& field, const KeyParts& parts, std::string* out) const;

  static const FieldName kFieldNames[];

  std::string text_;
  std::vector<Field> fields_;
  Layout salt_layout_;
};

}  // namespace hourcell
