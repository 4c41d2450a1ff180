// KeyTemplate: how a series' point becomes a row key, as text, so that a design can be tried
// without being built: the simulator's layouts, and the orders of fields that the layout benchmark
// compares. Fields are joined by '+' or ',', in their order:
//
//   metric             the metric's UID              metric~, reversed-metric   its bytes reversed
//   tags               tagk and tagv UIDs, ascending
//   hour, time         the hour, 4 bytes, seconds    hour~, reversed-time       2^32 - 1 - hour
//   day                the day, 4 bytes, seconds
//   ms                 the time, 8 bytes, ms         ms~                        2^63 - 1 - ms
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

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/rows/layout.h"

namespace hourcell {

// The inputs of a key. The tsuid of a plain id is the id in 8 bytes, without a metric.
struct KeyParts {
  std::string_view tsuid = {};  // metric UID, then tags
  size_t metric_bytes = 0;      // of the tsuid
  uint64_t number = 0;          // of the series, or the id
  uint64_t time_ms = 0;
  const std::array<uint8_t, 16>* md5 = nullptr;  // of the tsuid, if it is known already
};

enum class KeyFieldKind : uint8_t {
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

struct KeyField {
  KeyFieldKind kind = KeyFieldKind::kMetric;
  uint64_t number = 0;    // the operand
  std::string text = {};  // of kText
};

// Appends a field that is a part of the row's name: REQUIRES: one of kMetric to kMsReversed.
void AppendRowField(KeyFieldKind kind,
                    std::string_view metric,
                    std::string_view tags,
                    uint64_t time_ms,
                    std::string* out);

// Appends the first `digits` lower-case hex digits of an MD5, at most 32.
void AppendHexDigits(const std::array<uint8_t, 16>& digest, size_t digits, std::string* out);

class KeyTemplate {
 public:
  // kInvalidArgument: an unknown field, an operand that is missing, out of range or too much.
  static absl::StatusOr<KeyTemplate> Parse(std::string_view text);

  // True if a field is called so, with or without an operand after a colon.
  static bool IsField(std::string_view word);

  // Appends the key.
  void Append(const KeyParts& parts, std::string* out) const;

  // The template as fields, names taken apart.
  const std::string& text() const { return text_; }
  std::span<const KeyField> fields() const { return fields_; }
  // Whether Append hashes the series by MD5.
  bool has_md5() const;

  // The salt's buckets, 0 without salt; for pre-splits and for the cost of a scan.
  uint64_t salt_buckets() const;
  size_t salt_bytes() const;
  // True if the first field that differs between keys says the time: then all writes go to one
  // place.
  bool begins_with_time() const;
  // How many ranges a scan of one metric's hours has to visit: buckets, or 0 for "all keys".
  uint64_t ranges_of_scan() const;

 private:
  absl::Status AddField(std::string_view word);
  void AppendField(const KeyField& field, const KeyParts& parts, std::string* out) const;

  std::string text_;
  std::vector<KeyField> fields_;
  Layout salt_layout_;
};

}  // namespace hourcell
