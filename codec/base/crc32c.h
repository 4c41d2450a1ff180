// CRC-32C (Castagnoli; RFC 3720, appendix B.4), as iSCSI, ext4 and RocksDB have it. With the SSE4.2
// instruction where the processor has it, else with tables; both give the same.

#pragma once

#include <cstdint>
#include <string_view>

namespace hourcell {

// The CRC of what `crc` is the CRC of and `bytes` after it.
uint32_t ExtendCrc32c(uint32_t crc, std::string_view bytes);

// The CRC of `bytes`; 0 of none.
inline uint32_t Crc32c(std::string_view bytes) {
  return ExtendCrc32c(0, bytes);
}

namespace base_internal {
// The one with tables, for processors without the instruction and for tests.
uint32_t ExtendCrc32cPortable(uint32_t crc, std::string_view bytes);
}  // namespace base_internal

}  // namespace hourcell
