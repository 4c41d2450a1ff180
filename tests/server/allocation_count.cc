// The codec's tests count allocations; so do these.

#include "tests/codec/allocation_count.cc"
