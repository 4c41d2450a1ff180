// The end of RocksDB's SST files, which RocksDB reads before it knows whether it is whole:
//
//   properties   a block. RocksDB parses it before it compares the checksum
//                (table/meta_blocks.cc of 7.8.3): a flipped bit ends a process built with
//                assertions, as Debian's library is.
//   metaindex    a block: names of other blocks, such as the properties, with their handles.
//   footer       the last 53 bytes, the only ones without a checksum: the kind of checksum of
//                the blocks, and the version of their format. A flipped bit there turns
//                checksums off, or changes the meaning of blocks. All SST files of ours have
//                the same two values.
//
//   the footer of format 5:
//   0   1  kind of checksum
//   1   40 handles of the metaindex and of the index, and padding
//   41  4  format version, little-endian
//   45  8  magic number, little-endian
//
// A handle is the offset and the size of a block, two varints; after the block are its
// compression, 1 byte, and its checksum, 4 bytes little-endian. These blocks are never compressed.

#pragma once

#include <cstdint>
#include <string>

#include <rocksdb/file_system.h>
#include <rocksdb/table.h>

namespace hourcell {

inline constexpr uint32_t kTableFormatVersion = 5;
inline constexpr rocksdb::ChecksumType kTableChecksum = rocksdb::kXXH3;

// Corruption, with the path: the file of `bytes` bytes does not end as ours do, or the metaindex or
// the properties do not match their checksums. Others: the file system's. Thread-safe.
rocksdb::IOStatus CheckSstFooter(rocksdb::FSRandomAccessFile* file,
                                 const std::string& path,
                                 uint64_t bytes);

}  // namespace hourcell
