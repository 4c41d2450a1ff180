#include "engine/rocks_table_footer.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "codec/base/bytes.h"

namespace hourcell {
namespace {

constexpr size_t kFooterBytes = 53;
constexpr size_t kVersionAt = 41;
// The version, and 0x88e241b785f4cff7.
constexpr std::string_view kEnd("\x05\0\0\0\xf7\xcf\xf4\x85\xb7\x41\xe2\x88", 12);
static_assert(kEnd.size() == kFooterBytes - kVersionAt);
static_assert(kEnd[0] == kTableFormatVersion);

}  // namespace

rocksdb::IOStatus CheckTableFooter(rocksdb::FSRandomAccessFile* file,
                                   const std::string& path,
                                   uint64_t bytes) {
  if (bytes < kFooterBytes) {
    return rocksdb::IOStatus::Corruption(
        path, fmt::format("got {} bytes; want a footer of {}", bytes, kFooterBytes));
  }
  std::array<char, kFooterBytes> scratch{};
  rocksdb::Slice read;
  rocksdb::IOStatus status = file->Read(bytes - kFooterBytes, kFooterBytes, rocksdb::IOOptions(),
                                        &read, scratch.data(), nullptr);
  if (!status.ok()) return status;
  const std::string_view footer(read.data(), read.size());
  if (footer.size() == kFooterBytes && footer[0] == kTableChecksum &&
      footer.substr(kVersionAt) == kEnd) {
    return status;
  }
  return rocksdb::IOStatus::Corruption(
      path, fmt::format("footer: got {}; want checksum {}, version {} and the magic number",
                        ToHex(footer), static_cast<int>(kTableChecksum), kTableFormatVersion));
}

}  // namespace hourcell
