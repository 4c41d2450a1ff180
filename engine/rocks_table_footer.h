// The footer of RocksDB's table files, the only bytes of one that no checksum covers: what kind of
// checksum the blocks have, and the version of their format. A flipped bit there turns checksums
// off, or blocks into something else. All table files of ours have the same two.
//
//   the last 53 bytes of format 5:
//   0   1  kind of checksum
//   1   40 two handles, as varints, and padding: what they lead to has a checksum
//   41  4  format version, little-endian
//   45  8  magic number, little-endian

#pragma once

#include <cstdint>
#include <string>

#include <rocksdb/file_system.h>
#include <rocksdb/table.h>

namespace hourcell {

inline constexpr uint32_t kTableFormatVersion = 5;
inline constexpr rocksdb::ChecksumType kTableChecksum = rocksdb::kXXH3;

// Corruption, with the path: the file of that size does not end with a footer of ours. Others: the
// file system's. Thread-safe.
rocksdb::IOStatus CheckTableFooter(rocksdb::FSRandomAccessFile* file,
                                   const std::string& path,
                                   uint64_t bytes);

}  // namespace hourcell
