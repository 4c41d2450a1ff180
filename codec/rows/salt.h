// The salt: which bucket a series' rows live in. OpenTSDB's RowKey.prefixKeyWithSalt, bit for bit:
// Java's Arrays.hashCode over metric UID and tag UIDs (a tsuid), 32-bit signed overflow and all,
// then the remainder by the bucket count, made positive. Time is not in it: all hours of a series
// share a bucket. Pure; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "codec/rows/layout.h"

namespace hourcell {

// Java's Arrays.hashCode(byte[]).
int32_t JavaBytesHash(std::string_view bytes);

// The bucket of `tsuid` among so many, in [0, buckets); 0 if the layout has no salt.
uint32_t SaltBucket(const Layout& layout, std::string_view tsuid, uint32_t buckets);
// Among layout.salt_buckets.
uint32_t SaltBucket(const Layout& layout, std::string_view tsuid);

// Appends `bucket` as layout.salt_width bytes (its low bytes, if they cannot hold it).
void AppendSalt(const Layout& layout, uint32_t bucket, std::string* out);

}  // namespace hourcell
