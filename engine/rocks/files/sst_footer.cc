#include "engine/rocks/files/sst_footer.h"

#include <optional>
#include <string_view>

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "codec/base/bytes.h"

// Why the footer is checked here: RocksDB protects the blocks of an SST file with checksums, but
// not the footer, which contains the kind of checksum. One flipped bit can change it to "none"
// (docs/decisions/0013).

namespace hourcell {
namespace {

constexpr size_t kFooterBytes = 53;
constexpr size_t kVersionAt = 41;
constexpr size_t kTrailerBytes = 5;
// The version, and 0x88e241b785f4cff7.
constexpr std::string_view kEnd("\x05\0\0\0\xf7\xcf\xf4\x85\xb7\x41\xe2\x88", 12);
static_assert(kEnd.size() == kFooterBytes - kVersionAt);
static_assert(kEnd[0] == kTableFormatVersion);

constexpr std::string_view kProperties = "rocksdb.properties";

struct Handle {
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

// Removes a handle from the start of `*in`. Nothing: not a handle.
std::optional<Handle> TakeHandle(std::string_view* in) {
  const absl::StatusOr<uint64_t> offset = TakeVarint(in);
  if (!offset.ok()) return std::nullopt;
  const absl::StatusOr<uint64_t> bytes = TakeVarint(in);
  if (!bytes.ok()) return std::nullopt;
  return Handle{*offset, *bytes};
}

// kXXH3 of RocksDB's table/format.cc: the hash of the block, combined with one more byte.
uint32_t ChecksumOf(std::string_view block, char compression) {
  constexpr uint32_t kOfLastByte = 0x6b9083d9;
  const auto hash = static_cast<uint32_t>(XXH3_64bits(block.data(), block.size()));
  return hash ^ static_cast<uint8_t>(compression) * kOfLastByte;
}

// Finds the handle of a name. The entries of a metaindex are, with lengths as varints: bytes shared
// with the previous key, here zero; bytes of the key; bytes of the value; key; value.
std::optional<Handle> FindHandle(std::string_view metaindex, std::string_view wanted) {
  while (!metaindex.empty()) {
    const absl::StatusOr<uint64_t> shared = TakeVarint(&metaindex);
    if (!shared.ok() || *shared != 0) return std::nullopt;  // the entries end here
    const absl::StatusOr<uint64_t> key = TakeVarint(&metaindex);
    if (!key.ok()) return std::nullopt;
    const absl::StatusOr<uint64_t> value = TakeVarint(&metaindex);
    if (!value.ok() || *key > metaindex.size() || *value > metaindex.size() - *key) {
      return std::nullopt;
    }
    std::string_view handle = metaindex.substr(*key, *value);
    if (metaindex.substr(0, *key) == wanted) return TakeHandle(&handle);
    metaindex.remove_prefix(*key + *value);
  }
  return std::nullopt;
}

class SstFooter {
 public:
  SstFooter(rocksdb::FSRandomAccessFile* file, const std::string& path, uint64_t bytes)
      : file_(*file), path_(path), bytes_(bytes) {}

  rocksdb::IOStatus Check() {
    if (bytes_ < kFooterBytes) {
      return Damaged(fmt::format("expected a footer of {}, got {} bytes", kFooterBytes, bytes_));
    }
    std::string footer;
    rocksdb::IOStatus status = Read(bytes_ - kFooterBytes, kFooterBytes, &footer);
    if (!status.ok()) return status;
    if (footer[0] != kTableChecksum || std::string_view(footer).substr(kVersionAt) != kEnd) {
      return Damaged(fmt::format(
          "footer: expected checksum {}, version {} and the magic number{}, got {}",
          static_cast<int>(kTableChecksum), kTableFormatVersion,
          static_cast<uint8_t>(footer[kVersionAt]) > kTableFormatVersion
              ? ". If a newer version of Hourcell wrote it, use that version or a later "
                "one"
              : "",
          ToHex(footer)));
    }
    std::string_view handles = std::string_view(footer).substr(1, kVersionAt - 1);
    const std::optional<Handle> of_metaindex = TakeHandle(&handles);
    if (!IsInFile(TakeHandle(&handles))) return NoHandle("index");
    std::string metaindex;
    status = ReadBlock("metaindex", of_metaindex, &metaindex);
    if (!status.ok()) return status;
    std::string properties;
    return ReadBlock("properties", FindHandle(metaindex, kProperties), &properties);
  }

 private:
  rocksdb::IOStatus Damaged(const std::string& what) const {
    return rocksdb::IOStatus::Corruption(path_, what);
  }

  rocksdb::IOStatus NoHandle(std::string_view name) const {
    return Damaged(fmt::format("{}: expected the handle of a block within the file", name));
  }

  // RocksDB would allocate memory for any size in a handle.
  bool IsInFile(const std::optional<Handle>& handle) const {
    const uint64_t blocks = bytes_ - kFooterBytes;
    return handle.has_value() && handle->bytes <= blocks &&
           handle->offset <= blocks - handle->bytes &&
           blocks - handle->bytes - handle->offset >= kTrailerBytes;
  }

  rocksdb::IOStatus Read(uint64_t offset, size_t bytes, std::string* out) {
    out->resize(bytes);
    rocksdb::Slice read;
    rocksdb::IOStatus status =
        file_.Read(offset, bytes, rocksdb::IOOptions(), &read, out->data(), nullptr);
    if (!status.ok()) return status;
    if (read.size() != bytes) {
      return Damaged(fmt::format("at {}: expected {} bytes, got {}", offset, bytes, read.size()));
    }
    if (read.data() != out->data()) out->assign(read.data(), read.size());
    return status;
  }

  // Reads and checks a block, without its trailer.
  rocksdb::IOStatus ReadBlock(std::string_view name,
                              const std::optional<Handle>& handle,
                              std::string* block) {
    if (!IsInFile(handle)) return NoHandle(name);
    rocksdb::IOStatus status = Read(handle->offset, handle->bytes + kTrailerBytes, block);
    if (!status.ok()) return status;
    const std::string trailer = block->substr(handle->bytes);
    block->resize(handle->bytes);
    uint32_t want = 0;
    for (size_t i = kTrailerBytes - 1; i > 0; --i)
      want = want << 8 | static_cast<uint8_t>(trailer[i]);
    const uint32_t got = ChecksumOf(*block, trailer[0]);
    if (got == want) return status;
    return Damaged(fmt::format("{} at {}: expected {:08x}, got checksum {:08x}", name,
                               handle->offset, want, got));
  }

  rocksdb::FSRandomAccessFile& file_;
  const std::string& path_;
  const uint64_t bytes_;
};

}  // namespace

rocksdb::IOStatus CheckSstFooter(rocksdb::FSRandomAccessFile* file,
                                 const std::string& path,
                                 uint64_t bytes) {
  return SstFooter(file, path, bytes).Check();
}

}  // namespace hourcell
