#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/backup_set.h"
#include "engine/rocks/files/rocks_file_io.h"

namespace hourcell {
namespace {

constexpr std::string_view kCurrent = "db/CURRENT";
constexpr std::array<std::string_view, 2> kFolders = {"db", "journal"};

class Restore {
 public:
  Restore(const BackupSet& set,
          const std::string& target,
          const BackupProgress& progress,
          rocksdb::Env* env)
      : set_(set),
        progress_(progress),
        target_(std::filesystem::path(target + "/").parent_path().string()),
        temporary_(target_ + ".restoring"),
        io_(env) {}

  absl::Status Run(const BackupManifest& manifest) {
    HOURCELL_RETURN_IF_ERROR(CheckTarget());
    HOURCELL_RETURN_IF_ERROR(RemoveLeftOver());
    for (const std::string_view folder : kFolders)
      HOURCELL_RETURN_IF_ERROR(io_.MakeDirectories(fmt::format("{}/{}", temporary_, folder)));
    HOURCELL_KILL_POINT("restore:directories");
    bytes_total_ = manifest.bytes();
    const BackupFile* current = nullptr;
    for (const BackupFile& file : manifest.files) {
      if (file.path == kCurrent) {
        current = &file;
      } else {
        HOURCELL_RETURN_IF_ERROR(CopyFile(file));
      }
    }
    if (current == nullptr) {
      return absl::DataLossError(
          fmt::format("backup {}: no file {}; expected one", manifest.id, kCurrent));
    }
    for (const std::string_view folder : kFolders)
      HOURCELL_RETURN_IF_ERROR(io_.SyncDirectory(fmt::format("{}/{}", temporary_, folder)));
    HOURCELL_KILL_POINT("restore:copied");
    HOURCELL_RETURN_IF_ERROR(CopyFile(*current));
    HOURCELL_RETURN_IF_ERROR(io_.SyncDirectory(temporary_ + "/db"));
    HOURCELL_RETURN_IF_ERROR(io_.SyncDirectory(temporary_));
    HOURCELL_KILL_POINT("restore:whole");
    return Publish();
  }

 private:
  absl::Status CheckTarget() {
    HOURCELL_ASSIGN_OR_RETURN(const bool is_there, io_.Exists(target_));
    if (!is_there) return absl::OkStatus();
    const absl::StatusOr<std::vector<std::string>> names = io_.List(target_);
    if (names.ok() && names->empty()) return absl::OkStatus();
    return absl::FailedPreconditionError(
        fmt::format("restore to {}: expected an empty directory, or none, got {}", target_,
                    names.ok() ? fmt::format("{} in it", names->front()) : "what is no directory"));
  }

  // Removes files only from the folders of a restore, so that it never removes other data.
  absl::Status RemoveLeftOver() {
    HOURCELL_ASSIGN_OR_RETURN(const bool is_there, io_.Exists(temporary_));
    if (!is_there) return absl::OkStatus();
    for (const std::string_view folder : kFolders) {
      const std::string path = fmt::format("{}/{}", temporary_, folder);
      HOURCELL_ASSIGN_OR_RETURN(const bool has_folder, io_.Exists(path));
      if (!has_folder) continue;
      HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> names, io_.List(path));
      for (const std::string& name : names)
        HOURCELL_RETURN_IF_ERROR(io_.Delete(path + "/" + name));
      HOURCELL_RETURN_IF_ERROR(io_.DeleteDirectory(path));
    }
    return io_.DeleteDirectory(temporary_);
  }

  absl::Status CopyFile(const BackupFile& file) {
    if (progress_ && !progress_(bytes_done_, bytes_total_)) {
      return absl::CancelledError(
          fmt::format("restore to {}: ended with {} of {} bytes copied; {} is no store", target_,
                      bytes_done_, bytes_total_, temporary_));
    }
    bytes_done_ += file.bytes;
    const std::string from = set_.PathOf(file);
    const absl::StatusOr<uint64_t> bytes = io_.Bytes(from);
    if (absl::IsNotFound(bytes.status())) {
      return absl::DataLossError(fmt::format("{}: missing", MessageOf(bytes.status())));
    }
    HOURCELL_RETURN_IF_ERROR(bytes.status());
    if (*bytes != file.bytes) {
      return absl::DataLossError(
          fmt::format("{}: expected {} bytes, got {}", from, file.bytes, *bytes));
    }
    HOURCELL_ASSIGN_OR_RETURN(
        const uint32_t crc,
        io_.Copy(from, fmt::format("{}/{}", temporary_, file.path), file.bytes));
    HOURCELL_KILL_POINT("restore:file");
    if (crc == file.crc) return absl::OkStatus();
    return absl::DataLossError(
        fmt::format("{}: expected the CRC {:08x}, got {:08x}", from, file.crc, crc));
  }

  absl::Status Publish() {
    HOURCELL_RETURN_IF_ERROR(io_.Rename(temporary_, target_));
    HOURCELL_KILL_POINT("restore:renamed");
    const std::string parent = std::filesystem::path(target_).parent_path().string();
    return io_.SyncDirectory(parent.empty() ? "." : parent);
  }

  const BackupSet& set_;
  const BackupProgress& progress_;
  const std::string target_;
  const std::string temporary_;
  const FileIo io_;
  uint64_t bytes_done_ = 0;
  uint64_t bytes_total_ = 0;
};

}  // namespace

absl::Status RestoreBackup(const BackupSet& set,
                           const BackupManifest& manifest,
                           const std::string& target,
                           rocksdb::Env* env,
                           const BackupProgress& progress) {
  return Restore(set, target, progress, env).Run(manifest);
}

}  // namespace hourcell
