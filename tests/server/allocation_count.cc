// The codec's tests count allocations; so do these, and what is live of them.

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
