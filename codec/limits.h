// All limits of stored and received data, each with its reason.

#pragma once

#include <cstddef>
#include <cstdint>

namespace hourcell {

// Offsets in a row are below this: OpenTSDB's MAX_TIMESPAN, its qualifiers' range, which packed
// cells share. Rows of such cells span at most this (codec/rows/row_span.h).
inline constexpr uint32_t kQualifierSpanMs = 3'600'000;

// UID and salt widths in bytes, as OpenTSDB allows them.
inline constexpr size_t kUidWidthMin = 1;
inline constexpr size_t kUidWidthMax = 8;
inline constexpr size_t kUidWidthDefault = 3;
inline constexpr size_t kSaltWidthMax = 8;
inline constexpr uint32_t kSaltBucketsDefault = 20;

// Tags of a point: the maximum in a row key whatever the setting, and the default of
// tsd.storage.max_tags (OpenTSDB: 8, of which its users complain).
inline constexpr size_t kTagsMax = 64;
inline constexpr size_t kTagsMaxDefault = kTagsMax;

// Bytes of a metric, tag key or tag value. OpenTSDB has HBase's row limit of 32,767; here names are
// keys, and no known sender comes near.
inline constexpr size_t kNameBytesMax = 1024;

// The last instant with a base time of 32 bits, in milliseconds. OpenTSDB accepts later ones and
// lets the base time wrap; Hourcell rejects them.
inline constexpr int64_t kTimestampMsMax = 4294967295999;

// Characters of an integer's text without its sign: OpenTSDB's rule, leading zeros count.
inline constexpr size_t kIntegerDigitsMax = 19;

// A point costs at most a 4-byte qualifier and an 8-byte value.
inline constexpr size_t kQualifierBytesMax = 4;
inline constexpr size_t kValueBytesMax = 8;

// A telnet line (OpenTSDB: 1,024, of which its users complain) and an HTTP body, inflated.
inline constexpr size_t kLineBytesMax = 64 * 1024;
inline constexpr size_t kBodyBytesMax = 64 * 1024 * 1024;

// A JSON body of a request other than a put; only puts are larger.
inline constexpr size_t kQueryBodyBytesMax = 1024 * 1024;

}  // namespace hourcell
