// CRC-32C (Castagnoli; RFC 3720, appendix B.4), as in iSCSI, ext4 and RocksDB. Uses the SSE4.2
// instruction where the processor has it, else tables; both give the same result.

#pragma once

#include <cstdint>
#include <string_view>

namespace hourcell {

// `crc` is the CRC of some bytes; returns the CRC of these followed by `bytes`.
uint32_t ExtendCrc32c(uint32_t crc, std::string_view bytes);

// The CRC of `bytes`; 0 for no bytes.
inline uint32_t Crc32c(std::string_view bytes) {
  return ExtendCrc32c(0, bytes);
}

namespace base_internal {
// The implementation with tables, for processors without the instruction and for tests.
uint32_t ExtendCrc32cPortable(uint32_t crc, std::string_view bytes);
}  // namespace base_internal

}  // namespace hourcell
