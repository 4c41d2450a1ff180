#include "codec/rows/salt.h"

#include <cstdlib>
#include <string>
#include <string_view>

#include "codec/base/bytes.h"

namespace hourcell {

int32_t JavaBytesHash(std::string_view bytes) {
  // Unsigned arithmetic wraps as Java's int does; signed overflow would be undefined.
  uint32_t hash = 1;
  for (const char byte : bytes) {
    hash = 31 * hash + static_cast<uint32_t>(static_cast<int8_t>(byte));
  }
  return static_cast<int32_t>(hash);
}

uint32_t SaltBucket(const Layout& layout, std::string_view tsuid, uint32_t buckets) {
  if (layout.salt_width == 0) return 0;
  // Metric 0 is for global annotations: OpenTSDB leaves them in bucket 0.
  const std::string_view metric = tsuid.substr(0, layout.metric_width);
  if (metric.find_first_not_of('\0') == std::string_view::npos) return 0;
  const int64_t hash = JavaBytesHash(tsuid);
  return static_cast<uint32_t>(std::abs(hash % static_cast<int64_t>(buckets)));
}

uint32_t SaltBucket(const Layout& layout, std::string_view tsuid) {
  return SaltBucket(layout, tsuid, layout.salt_buckets);
}

void AppendSalt(const Layout& layout, uint32_t bucket, std::string* out) {
  AppendBigEndian(bucket, layout.salt_width, out);
}

}  // namespace hourcell
