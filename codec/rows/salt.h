// The salt: the bucket of a series' rows. OpenTSDB's RowKey.prefixKeyWithSalt, bit for bit: Java's
// Arrays.hashCode over metric UID and tag UIDs (a tsuid), with 32-bit signed overflow, then the
// remainder by the bucket count, made positive. It does not depend on time: all hours of a series
// share a bucket. Pure; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "codec/rows/layout.h"

namespace hourcell {

// Java's Arrays.hashCode(byte[]).
int32_t JavaBytesHash(std::string_view bytes);

// The bucket of `tsuid` among `buckets`, in [0, buckets); 0 if the layout has no salt.
uint32_t SaltBucket(const Layout& layout, std::string_view tsuid, uint32_t buckets);
// Among layout.salt_buckets.
uint32_t SaltBucket(const Layout& layout, std::string_view tsuid);

// Appends `bucket` as layout.salt_width bytes (its low bytes, if it does not fit).
void AppendSalt(const Layout& layout, uint32_t bucket, std::string* out);

}  // namespace hourcell
