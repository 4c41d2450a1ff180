// Regions that are split and merged by hand all the time, for tests that kill the server meanwhile.

#pragma once

#include <cstdint>

namespace hourcell {

// One change after the other until the server is gone: of at most four regions, at keys of the
// metric that was made first and the points of PutBody. Returns how many were made.
int ChangeRegionsUntilGone(uint16_t port, uint64_t seed);

}  // namespace hourcell
