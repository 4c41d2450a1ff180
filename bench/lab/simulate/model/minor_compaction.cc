#include "bench/lab/simulate/model/minor_compaction.h"

#include <algorithm>
#include <numeric>

#include "codec/base/check.h"

namespace hourcell {

FileRange SelectForMinorLsmCompaction(std::span<const uint64_t> file_bytes,
                                      const RatioSettings& settings) {
  HOURCELL_CHECK(settings.files_min > 0 && settings.files_max >= settings.files_min);
  const size_t files = file_bytes.size();
  size_t begin = 0;
  while (begin < files && file_bytes[begin] > settings.bytes_max)
    ++begin;
  for (; begin + settings.files_min <= files; ++begin) {
    const size_t end = std::min(files, begin + settings.files_max);
    const auto newer = file_bytes.subspan(begin + 1, end - begin - 1);
    const uint64_t sum = std::accumulate(newer.begin(), newer.end(), uint64_t{0});
    const double bytes_max = std::max(static_cast<double>(settings.bytes_min),
                                      settings.ratio * static_cast<double>(sum));
    if (static_cast<double>(file_bytes[begin]) <= bytes_max) return {.begin = begin, .end = end};
  }
  return {};
}

}  // namespace hourcell
