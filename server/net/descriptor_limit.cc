#include "server/net/descriptor_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <limits>

namespace hourcell {

int64_t DescriptorLimit() {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  constexpr rlim_t kMost = std::numeric_limits<int32_t>::max();
  return static_cast<int64_t>(std::min(limit.rlim_cur, kMost));
}

int64_t RaiseDescriptorLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);  // on failure the old limit stays
  }
  return DescriptorLimit();
}

}  // namespace hourcell
