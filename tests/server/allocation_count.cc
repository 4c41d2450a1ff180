// The tests of the server count allocations and the bytes that are live, as the codec's tests do.

#include "tests/codec/allocation_count.cc"

#include "tests/engine/live_bytes.h"

namespace hourcell {

size_t LiveBytes() {
  return AllocatedBytes();
}
size_t LiveBytesPeak() {
  return AllocatedBytesPeak();
}
void ResetLiveBytesPeak() {
  ResetAllocatedBytesPeak();
}

}  // namespace hourcell
