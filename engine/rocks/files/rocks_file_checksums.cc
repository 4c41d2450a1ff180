#include "engine/rocks/files/rocks_file_checksums.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/crc32c.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/rocks/files/rocks_status.h"

// Why RocksDB's files need our checksums: RocksDB 7.8.3 reads a manifest as a log that may end
// within a record. After one flipped bit it can open the database as it was some flushes ago,
// delete the SST files that are unknown there, and return fewer points without an error. A record
// is appended after the sync and not synced itself, so it never covers more than is on disk.
// Records are not overwritten, so a torn record does not damage an earlier one
// (docs/decisions/0013).

namespace hourcell {
namespace {

constexpr size_t kSumRecordBytes = 16;
constexpr std::string_view kManifestPrefix = "MANIFEST-";
constexpr std::string_view kWalSuffix = ".log";
constexpr std::string_view kSumSuffix = ".sum";
// The manifest of a new database, before it has a CURRENT.
constexpr uint64_t kFirstManifest = 1;
constexpr size_t kSummedPieceBytes = 1 << 20;

std::string_view NameOf(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// The decimal digits of a file's number; nothing for other text.
std::optional<uint64_t> NumberOf(std::string_view digits) {
  uint64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || stop != end || digits.size() < 6) return std::nullopt;
  return number;
}

// Nothing for any other name.
std::optional<uint64_t> ManifestNumberOf(std::string_view name) {
  if (!name.starts_with(kManifestPrefix)) return std::nullopt;
  return NumberOf(name.substr(kManifestPrefix.size()));
}

std::optional<uint64_t> WalNumberOf(std::string_view name) {
  if (!name.ends_with(kWalSuffix)) return std::nullopt;
  return NumberOf(name.substr(0, name.size() - kWalSuffix.size()));
}

using Said = SyncedSum::Part;

uint32_t RecordCrc(uint64_t number, std::string_view rest) {
  std::string bytes;
  AppendBigEndian(number, 8, &bytes);
  return ExtendCrc32c(Crc32c(bytes), rest);
}

std::string EncodeRecord(uint64_t number, const Said& said) {
  std::string rest;
  AppendBigEndian(said.crc, 4, &rest);
  AppendBigEndian(said.bytes, 8, &rest);
  std::string record;
  AppendBigEndian(RecordCrc(number, rest), 4, &record);
  return record + rest;
}

// The last record with a correct checksum.
std::optional<Said> LastSaid(uint64_t number, std::string_view records) {
  for (size_t end = records.size() / kSumRecordBytes * kSumRecordBytes; end > 0;
       end -= kSumRecordBytes) {
    const std::string_view record = records.substr(end - kSumRecordBytes, kSumRecordBytes);
    if (LoadBigEndian(record.data(), 4) != RecordCrc(number, record.substr(4))) continue;
    return Said{.bytes = LoadBigEndian(record.data() + 8, 8),
                .crc = static_cast<uint32_t>(LoadBigEndian(record.data() + 4, 4))};
  }
  return std::nullopt;
}

// Calls take(piece) for the first `bytes` bytes of a file, or all of a shorter one.
template <typename Take>
absl::Status ReadPieces(rocksdb::FileSystem* files,
                        const std::string& path,
                        uint64_t bytes,
                        const Take& take) {
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  HOURCELL_RETURN_IF_ERROR(FromRocks(
      files->NewSequentialFile(path, rocksdb::FileOptions(), &file, nullptr), "read " + path));
  std::string scratch(kSummedPieceBytes, '\0');
  while (bytes > 0) {
    rocksdb::Slice piece;
    const rocksdb::IOStatus read =
        file->Read(std::min<uint64_t>(bytes, kSummedPieceBytes), rocksdb::IOOptions(), &piece,
                   scratch.data(), nullptr);
    HOURCELL_RETURN_IF_ERROR(FromRocks(read, "read " + path));
    if (piece.empty()) return absl::OkStatus();
    take(std::string_view(piece.data(), piece.size()));
    bytes -= piece.size();
  }
  return absl::OkStatus();
}

// Nothing if the file is missing.
absl::StatusOr<std::optional<std::string>> ReadIfThere(rocksdb::FileSystem* files,
                                                       const std::string& path) {
  const rocksdb::IOStatus exists = files->FileExists(path, rocksdb::IOOptions(), nullptr);
  if (exists.IsNotFound()) return std::nullopt;
  HOURCELL_RETURN_IF_ERROR(FromRocks(exists, "open " + path));
  std::string content;
  HOURCELL_RETURN_IF_ERROR(
      ReadPieces(files, path, ~uint64_t{0}, [&](std::string_view piece) { content += piece; }));
  return content;
}

// A directory without CURRENT: a new database, or one that lost the file.
absl::Status CheckNew(rocksdb::FileSystem* files, const std::string& directory) {
  std::vector<std::string> names;
  const rocksdb::IOStatus listed =
      files->GetChildren(directory, rocksdb::IOOptions(), &names, nullptr);
  if (listed.IsNotFound() || listed.IsPathNotFound()) return absl::OkStatus();
  HOURCELL_RETURN_IF_ERROR(FromRocks(listed, "list " + directory));
  std::ranges::sort(names);
  for (const std::string& name : names) {
    const std::optional<uint64_t> manifest = ManifestNumberOf(name);
    if (name.ends_with(".sst") || (manifest.has_value() && *manifest > kFirstManifest)) {
      return absl::DataLossError(
          fmt::format("{}/CURRENT is missing; there is {}", directory, name));
    }
  }
  return absl::OkStatus();
}

// Checks the file against its .sum file, if it has one.
absl::Status CheckSum(rocksdb::FileSystem* files, const std::string& path, uint64_t number) {
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> records,
                            ReadIfThere(files, SyncedSumPath(path)));
  if (!records.has_value()) return absl::OkStatus();
  const std::optional<Said> said = LastSaid(number, *records);
  if (!said.has_value()) return absl::OkStatus();
  const rocksdb::IOStatus exists = files->FileExists(path, rocksdb::IOOptions(), nullptr);
  if (exists.IsNotFound()) {
    return absl::DataLossError(
        fmt::format("{} is missing; there is {}", path, SyncedSumPath(path)));
  }
  HOURCELL_RETURN_IF_ERROR(FromRocks(exists, "open " + path));
  Said found;
  HOURCELL_RETURN_IF_ERROR(ReadPieces(files, path, said->bytes, [&](std::string_view piece) {
    found.bytes += piece.size();
    found.crc = ExtendCrc32c(found.crc, piece);
  }));
  if (found.bytes < said->bytes) {
    return absl::DataLossError(fmt::format("{}: expected the {} that were synced, got {} bytes",
                                           path, said->bytes, found.bytes));
  }
  if (found.crc == said->crc) return absl::OkStatus();
  return absl::DataLossError(
      fmt::format("{}: expected the CRC {:08x}, got {:08x} of the first {} bytes", path, said->crc,
                  found.crc, said->bytes));
}

// Checks the WALs that have a .sum file.
absl::Status CheckWals(rocksdb::FileSystem* files, const std::string& directory) {
  std::vector<std::string> names;
  HOURCELL_RETURN_IF_ERROR(FromRocks(
      files->GetChildren(directory, rocksdb::IOOptions(), &names, nullptr), "list " + directory));
  std::ranges::sort(names);
  for (std::string& name : names) {
    if (!name.ends_with(kSumSuffix)) continue;
    name.resize(name.size() - kSumSuffix.size());
    const std::optional<uint64_t> number = WalNumberOf(name);
    if (!number.has_value()) continue;
    HOURCELL_RETURN_IF_ERROR(CheckSum(files, fmt::format("{}/{}", directory, name), *number));
  }
  return absl::OkStatus();
}

}  // namespace

std::string SyncedSumPath(std::string_view path) {
  return fmt::format("{}{}", path, kSumSuffix);
}

SyncedSum::SyncedSum(rocksdb::FileSystem* files, std::string path)
    : files_(*files), path_(std::move(path)) {}

void SyncedSum::Add(std::string_view bytes) {
  part_.crc = ExtendCrc32c(part_.crc, bytes);
  part_.bytes += bytes.size();
}

void SyncedSum::Synced(const Part& part) {
  const std::string_view name = NameOf(path_);
  const std::optional<uint64_t> number =
      name.ends_with(kWalSuffix) ? WalNumberOf(name) : ManifestNumberOf(name);
  if (is_stopped_ || part.bytes <= said_bytes_ || !number.has_value()) return;
  rocksdb::IOStatus status;
  if (file_ == nullptr) {
    rocksdb::FileOptions options;
    options.use_direct_writes = false;
    options.use_mmap_writes = false;
    status = files_.NewWritableFile(SyncedSumPath(path_), options, &file_, nullptr);
  }
  if (status.ok()) {
    status = file_->Append(EncodeRecord(*number, part), rocksdb::IOOptions(), nullptr);
  }
  // A partial record would shift later ones.
  if (!status.ok()) Stop();
  said_bytes_ = part.bytes;
}

absl::Status CheckSyncedFiles(rocksdb::FileSystem* files, const std::string& directory) {
  const std::string current = directory + "/CURRENT";
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> name, ReadIfThere(files, current));
  if (!name.has_value()) return CheckNew(files, directory);
  const std::string_view line =
      std::string_view(*name).substr(0, name->ends_with('\n') ? name->size() - 1 : 0);
  const std::optional<uint64_t> number = ManifestNumberOf(line);
  if (!number.has_value()) {
    return absl::DataLossError(fmt::format("{}: expected the name of a manifest, got {}", current,
                                           QuoteForMessage(*name)));
  }
  const std::string path = fmt::format("{}/{}", directory, line);
  const rocksdb::IOStatus exists = files->FileExists(path, rocksdb::IOOptions(), nullptr);
  if (exists.IsNotFound()) {
    return absl::DataLossError(fmt::format("{}: {} is missing", current, line));
  }
  HOURCELL_RETURN_IF_ERROR(FromRocks(exists, "open " + path));
  HOURCELL_RETURN_IF_ERROR(CheckSum(files, path, *number));
  return CheckWals(files, directory);
}

}  // namespace hourcell
