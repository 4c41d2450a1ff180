#include "engine/backup_set.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/crc32c.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/rocks/files/rocks_file_io.h"
#include "engine/rocks/rocks_pinned_files.h"

namespace hourcell {
namespace {

constexpr std::string_view kTemporary = ".tmp";

std::string ManifestName(uint64_t id) {
  return fmt::format("{:06}", id);
}

// Nothing for any other name.
std::optional<uint64_t> IdOf(std::string_view name) {
  uint64_t id = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), id);
  const bool is_id = error == std::errc() && id > 0 && ManifestName(id) == name;
  return is_id ? std::optional<uint64_t>(id) : std::nullopt;
}

}  // namespace

BackupSet::BackupSet(std::string directory, rocksdb::Env* env)
    : directory_(std::move(directory)), io_(std::make_unique<FileIo>(env)) {}

BackupSet::~BackupSet() = default;

absl::StatusOr<std::unique_ptr<BackupSet>> BackupSet::Open(const std::string& directory,
                                                           Use use,
                                                           rocksdb::Env* env) {
  std::unique_ptr<BackupSet> set(new BackupSet(directory, env));
  HOURCELL_RETURN_IF_ERROR(set->MakeOrCheck(use));
  HOURCELL_RETURN_IF_ERROR(set->ReadNames(use));
  return set;
}

absl::Status BackupSet::MakeOrCheck(Use use) {
  const std::string backups = directory_ + "/backups";
  HOURCELL_ASSIGN_OR_RETURN(const bool is_there, io_->Exists(backups));
  if (!is_there && use == Use::kRead) {
    return absl::NotFoundError(fmt::format(
        "{}: no backups there; expected a directory that hourcell backup has made", directory_));
  }
  if (use == Use::kRead) return absl::OkStatus();
  HOURCELL_RETURN_IF_ERROR(io_->MakeDirectories(directory_));
  if (!is_there) {
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> names, io_->List(directory_));
    for (const std::string& name : names) {
      // A crash in the lines below leaves these.
      if (name == "files" || name == "LOCK") continue;
      return absl::FailedPreconditionError(fmt::format(
          "{}: expected a directory of backups, or an empty one, got {} in it", directory_, name));
    }
  }
  HOURCELL_ASSIGN_OR_RETURN(lock_, io_->Lock(directory_ + "/LOCK"));
  HOURCELL_RETURN_IF_ERROR(io_->MakeDirectories(directory_ + "/files"));
  HOURCELL_KILL_POINT("backup:directory");
  return io_->MakeDirectories(backups);
}

absl::Status BackupSet::ReadNames(Use use) {
  for (const std::string& folder : {directory_ + "/backups", directory_ + "/files"}) {
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> names, io_->List(folder));
    const bool is_manifests = folder.ends_with("/backups");
    for (const std::string& name : names) {
      if (name.ends_with(kTemporary)) {
        // From an interrupted backup.
        if (use == Use::kWrite) HOURCELL_RETURN_IF_ERROR(io_->Delete(folder + "/" + name));
      } else if (!is_manifests) {
        stored_.insert(name);
      } else if (const std::optional<uint64_t> id = IdOf(name)) {
        ids_.push_back(*id);
      }
    }
  }
  std::ranges::sort(ids_);
  return absl::OkStatus();
}

std::string BackupSet::ManifestPath(uint64_t id) const {
  return fmt::format("{}/backups/{}", directory_, ManifestName(id));
}

std::string BackupSet::FilePath(std::string_view name) const {
  return fmt::format("{}/files/{}", directory_, name);
}

std::string BackupSet::PathOf(const BackupFile& file) const {
  return FilePath(file.StoredName());
}

absl::StatusOr<BackupManifest> BackupSet::Read(uint64_t id) const {
  if (std::ranges::find(ids_, id) == ids_.end()) {
    return absl::NotFoundError(
        fmt::format("{}: no backup {}; there are {}", directory_, id,
                    ids_.empty() ? "none" : fmt::format("{}", fmt::join(ids_, ", "))));
  }
  const std::string path = ManifestPath(id);
  HOURCELL_ASSIGN_OR_RETURN(const std::string text, io_->Read(path));
  absl::StatusOr<BackupManifest> manifest = DecodeBackupManifest(text);
  if (!manifest.ok()) {
    return absl::Status(manifest.status().code(),
                        fmt::format("{}: {}", path, MessageOf(manifest.status())));
  }
  if (manifest->id != id) {
    return absl::DataLossError(fmt::format("{}: expected that of {}, got the manifest of backup {}",
                                           path, id, manifest->id));
  }
  return manifest;
}

// True if a file of that name and size is stored. Only a comparison of CRCs shows if it is the
// same.
bool BackupSet::MayBeStored(const BackupSource& source) const {
  const std::string prefix = BackupFile::StoredPrefix(source.path, source.bytes);
  const auto found = stored_.lower_bound(prefix);
  return found != stored_.end() && found->starts_with(prefix);
}

absl::StatusOr<bool> BackupSet::IsStored(const BackupFile& file) const {
  if (!stored_.contains(file.StoredName())) return false;
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t bytes, io_->Bytes(PathOf(file)));
  return bytes == file.bytes;
}

absl::StatusOr<uint32_t> BackupSet::CopyToTemporary(const BackupSource& source,
                                                    const std::string& to) const {
  if (!source.content.has_value()) {
    HOURCELL_ASSIGN_OR_RETURN(const uint32_t crc, io_->Copy(source.from, to, source.bytes));
    if (source.path.ends_with(".sst")) HOURCELL_RETURN_IF_ERROR(CheckSstFile(io_->env(), to));
    return crc;
  }
  HOURCELL_RETURN_IF_ERROR(io_->Write(to, *source.content));
  return Crc32c(*source.content);
}

absl::Status BackupSet::Add(const BackupSource& source) {
  HOURCELL_CHECK(lock_ != nullptr);
  BackupFile file{.path = source.path, .bytes = source.bytes, .crc = 0};
  if (MayBeStored(source)) {
    if (source.content.has_value()) {
      file.crc = Crc32c(*source.content);
    } else {
      HOURCELL_ASSIGN_OR_RETURN(file.crc, io_->Crc(source.from, source.bytes));
    }
    HOURCELL_ASSIGN_OR_RETURN(const bool is_stored, IsStored(file));
    if (is_stored) {
      next_.files.push_back(std::move(file));
      return absl::OkStatus();
    }
  }
  const std::string temporary =
      FilePath(BackupFile::StoredPrefix(source.path, source.bytes) + std::string(kTemporary));
  HOURCELL_ASSIGN_OR_RETURN(file.crc, CopyToTemporary(source, temporary));
  HOURCELL_KILL_POINT("backup:copied");
  HOURCELL_RETURN_IF_ERROR(io_->Rename(temporary, PathOf(file)));
  HOURCELL_KILL_POINT("backup:file");
  stored_.insert(file.StoredName());
  ++next_.copied_files;
  next_.copied_bytes += file.bytes;
  next_.files.push_back(std::move(file));
  return absl::OkStatus();
}

absl::StatusOr<BackupManifest> BackupSet::Commit(BackupManifest made) {
  HOURCELL_CHECK(lock_ != nullptr);
  made.id = ids_.empty() ? 1 : ids_.back() + 1;
  made.copied_files = next_.copied_files;
  made.copied_bytes = next_.copied_bytes;
  made.files = std::move(next_.files);
  next_ = {};
  std::ranges::sort(made.files, {}, &BackupFile::path);
  HOURCELL_RETURN_IF_ERROR(io_->SyncDirectory(directory_ + "/files"));
  const std::string path = ManifestPath(made.id);
  const std::string temporary = path + std::string(kTemporary);
  HOURCELL_KILL_POINT("backup:files");
  HOURCELL_RETURN_IF_ERROR(io_->Write(temporary, EncodeBackupManifest(made)));
  HOURCELL_KILL_POINT("backup:manifest");
  HOURCELL_RETURN_IF_ERROR(io_->Rename(temporary, path));
  HOURCELL_KILL_POINT("backup:renamed");
  HOURCELL_RETURN_IF_ERROR(io_->SyncDirectory(directory_ + "/backups"));
  HOURCELL_KILL_POINT("backup:done");
  ids_.push_back(made.id);
  return made;
}

absl::Status BackupSet::CheckFile(const BackupFile& file) const {
  const std::string path = PathOf(file);
  HOURCELL_ASSIGN_OR_RETURN(const uint64_t bytes, io_->Bytes(path));
  if (bytes != file.bytes) {
    return absl::DataLossError(
        fmt::format("{}: expected {} bytes, got {}", path, file.bytes, bytes));
  }
  HOURCELL_ASSIGN_OR_RETURN(const uint32_t crc, io_->Crc(path, bytes));
  if (crc != file.crc) {
    return absl::DataLossError(
        fmt::format("{}: expected the CRC {:08x}, got {:08x}", path, file.crc, crc));
  }
  return absl::OkStatus();
}

absl::StatusOr<BackupCheck> BackupSet::Verify(std::optional<uint64_t> id,
                                              const BackupProgress& progress) const {
  BackupCheck check;
  std::map<std::string, std::pair<BackupFile, std::vector<uint64_t>>> files;
  const auto add = [&](const BackupManifest& manifest) {
    ++check.backups;
    for (const BackupFile& file : manifest.files) {
      auto& [stored, of] = files[file.StoredName()];
      stored = file;
      of.push_back(manifest.id);
    }
  };
  if (id.has_value()) {
    HOURCELL_ASSIGN_OR_RETURN(const BackupManifest manifest, Read(*id));
    add(manifest);
  } else {
    for (const uint64_t each : ids_) {
      const absl::StatusOr<BackupManifest> manifest = Read(each);
      if (manifest.ok()) {
        add(*manifest);
      } else {
        check.faults.emplace_back(MessageOf(manifest.status()));
      }
    }
  }
  uint64_t total = 0;
  for (const auto& [name, entry] : files)
    total += entry.first.bytes;
  for (const auto& [name, entry] : files) {
    const auto& [file, of] = entry;
    if (progress && !progress(check.bytes, total)) {
      return absl::CancelledError(
          fmt::format("verify: ended with {} of {} bytes read and {} damaged", check.bytes, total,
                      check.faults.size()));
    }
    ++check.files;
    check.bytes += file.bytes;
    const absl::Status checked = CheckFile(file);
    if (checked.ok()) continue;
    check.faults.push_back(
        fmt::format("{} ({} of backup {})", MessageOf(checked), file.path, fmt::join(of, ", ")));
  }
  return check;
}

absl::StatusOr<BackupPrune> BackupSet::Prune(uint64_t keep) {
  HOURCELL_CHECK(lock_ != nullptr);
  if (keep == 0) {
    return absl::InvalidArgumentError("prune: expected at least 1, got 0 backups to keep");
  }
  const size_t kept = static_cast<size_t>(std::min<uint64_t>(keep, ids_.size()));
  const std::vector<uint64_t> gone(ids_.begin(), ids_.end() - static_cast<ptrdiff_t>(kept));
  std::set<std::string> used;
  for (size_t i = gone.size(); i < ids_.size(); ++i) {
    HOURCELL_ASSIGN_OR_RETURN(const BackupManifest manifest, Read(ids_[i]));
    for (const BackupFile& file : manifest.files)
      used.insert(file.StoredName());
  }
  BackupPrune pruned;
  for (const uint64_t id : gone) {
    HOURCELL_RETURN_IF_ERROR(io_->Delete(ManifestPath(id)));
    HOURCELL_KILL_POINT("prune:manifest");
    ids_.erase(ids_.begin());
    ++pruned.backups;
  }
  // First, so that after a power loss, too, all files of every manifest exist.
  HOURCELL_RETURN_IF_ERROR(io_->SyncDirectory(directory_ + "/backups"));
  const std::set<std::string> stored = stored_;
  for (const std::string& name : stored) {
    if (used.contains(name)) continue;
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t bytes, io_->Bytes(FilePath(name)));
    HOURCELL_RETURN_IF_ERROR(io_->Delete(FilePath(name)));
    HOURCELL_KILL_POINT("prune:file");
    stored_.erase(name);
    ++pruned.files;
    pruned.bytes += bytes;
  }
  return pruned;
}

}  // namespace hourcell
