#include "tests/support/fault_fs.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"

namespace hourcell {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

constexpr uint64_t kPageBytes = 4096;
constexpr uint64_t kSectorBytes = 512;

// One spelling for each path; a directory without a slash at its end.
std::string Normal(const std::string& path) {
  std::string normal = std::filesystem::path(path).lexically_normal().string();
  if (normal.size() > 1 && normal.ends_with('/')) normal.pop_back();
  return normal;
}

std::string DirectoryOf(const std::string& normal_path) {
  return std::filesystem::path(normal_path).parent_path().string();
}

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Not into the file that is there: handles that are still open must not get at the new one.
void Replace(const std::string& path, const std::string& content) {
  std::filesystem::remove(path);
  // Its directory may be gone since.
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream out(path, std::ios::binary);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  HOURCELL_CHECK(out.good());
}

// Decides the fate of one page of unsynced bytes.
void LosePage(char* page, uint64_t size, Random* random) {
  switch (random->Below(4)) {
    case 0:
      break;  // on disk
    case 1:
      std::fill_n(page, size, '\0');
      break;
    case 2: {
      const uint64_t kept = std::min(size, random->Below(kPageBytes / kSectorBytes) * kSectorBytes);
      std::fill(page + kept, page + size, '\0');
      break;
    }
    default:
      for (uint64_t i = random->Below(size); i < size; ++i)
        page[i] = static_cast<char>(random->Below(256));
  }
}

// Decides the fate of content[from, end), which is not on disk.
void LoseBytes(std::string* content, uint64_t from, FaultFs::Loss loss, Random* random) {
  const uint64_t unsynced = content->size() - from;
  if (unsynced == 0) return;
  if (loss == FaultFs::Loss::kEnds) return content->resize(from + random->Below(unsynced + 1));
  const uint64_t kind = random->Below(8);
  if (kind == 0) content->resize(from);
  if (kind <= 1) return;
  if (random->Below(2) == 0) content->resize(from + random->Below(unsynced + 1));
  if (kind <= 4) return;
  // The first pages often made it, which puts the first loss anywhere.
  const uint64_t safe = from + random->Below(content->size() - from + 1);
  for (uint64_t at = safe; at < content->size();) {
    const uint64_t end = std::min<uint64_t>(content->size(), (at / kPageBytes + 1) * kPageBytes);
    LosePage(content->data() + at, end - at, random);
    at = end;
  }
}

std::string_view NameOf(FaultFs::Operation operation) {
  switch (operation) {
    case FaultFs::kCreate:
      return "create";
    case FaultFs::kAppend:
      return "append";
    case FaultFs::kSync:
      return "sync";
    case FaultFs::kTruncate:
      return "truncate";
    case FaultFs::kAllocate:
      return "allocate";
    case FaultFs::kDirectorySync:
      return "directory sync";
    case FaultFs::kDelete:
      return "delete";
    case FaultFs::kRename:
      return "rename";
    case FaultFs::kLink:
      return "link";
    case FaultFs::kOpen:
      return "open";
    case FaultFs::kRead:
      return "read";
    case FaultFs::kLook:
      return "look at";
    default:
      return "several";
  }
}

std::string_view NameOf(FaultFs::Failure failure) {
  switch (failure) {
    case FaultFs::Failure::kIoError:
      return "error";
    case FaultFs::Failure::kNoSpace:
      return "no space";
    case FaultFs::Failure::kShort:
      return "short";
    case FaultFs::Failure::kEnded:
      return "ended";
    case FaultFs::Failure::kFlip:
      return "flipped bit";
  }
  HOURCELL_CHECK(false);
}

}  // namespace

// Applies faults to one read of a file.
class FaultReads {
 public:
  FaultReads(FaultFs* fs, std::string path) : fs_(*fs), path_(std::move(path)) {}

  // read(bytes) reads to `scratch`, which has room for `size`.
  template <typename Read>
  IOStatus Run(uint64_t offset, size_t size, Slice* result, char* scratch, const Read& read) const {
    const std::optional<FaultFs::Fault> fault = fs_.Meet(FaultFs::kRead, path_, offset);
    if (!fault.has_value()) return read(size);
    switch (fault->with) {
      case FaultFs::Failure::kShort:
        return read(size / 2);
      case FaultFs::Failure::kEnded:
        *result = Slice(scratch, 0);
        return IOStatus::OK();
      case FaultFs::Failure::kFlip: {
        const IOStatus status = read(size);
        if (!status.ok() || result->empty()) return status;
        if (result->data() != scratch) std::memmove(scratch, result->data(), result->size());
        scratch[result->size() / 2] = static_cast<char>(scratch[result->size() / 2] ^ 0x10);
        *result = Slice(scratch, result->size());
        return status;
      }
      default:
        return IOStatus::IOError(path_, "injected");
    }
  }

 private:
  FaultFs& fs_;
  const std::string path_;
};

class FaultSequentialFile : public rocksdb::FSSequentialFileOwnerWrapper {
 public:
  FaultSequentialFile(std::unique_ptr<rocksdb::FSSequentialFile> target,
                      FaultFs* fs,
                      const std::string& path)
      : FSSequentialFileOwnerWrapper(std::move(target)), reads_(fs, path) {}

  IOStatus Read(size_t size,
                const IOOptions& io,
                Slice* result,
                char* scratch,
                IODebugContext* debug) override {
    const IOStatus status = reads_.Run(offset_, size, result, scratch, [&](size_t bytes) {
      return target()->Read(bytes, io, result, scratch, debug);
    });
    if (status.ok()) offset_ += result->size();
    return status;
  }
  IOStatus Skip(uint64_t bytes) override {
    offset_ += bytes;
    return target()->Skip(bytes);
  }

 private:
  const FaultReads reads_;
  uint64_t offset_ = 0;
};

class FaultRandomAccessFile : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  FaultRandomAccessFile(std::unique_ptr<rocksdb::FSRandomAccessFile> target,
                        FaultFs* fs,
                        const std::string& path)
      : FSRandomAccessFileOwnerWrapper(std::move(target)), reads_(fs, path) {}

  IOStatus Read(uint64_t offset,
                size_t size,
                const IOOptions& io,
                Slice* result,
                char* scratch,
                IODebugContext* debug) const override {
    return reads_.Run(offset, size, result, scratch, [&](size_t bytes) {
      return target()->Read(offset, bytes, io, result, scratch, debug);
    });
  }
  IOStatus MultiRead(rocksdb::FSReadRequest* requests,
                     size_t count,
                     const IOOptions& io,
                     IODebugContext* debug) override {
    for (size_t i = 0; i < count; ++i) {
      rocksdb::FSReadRequest& request = requests[i];
      request.status =
          Read(request.offset, request.len, io, &request.result, request.scratch, debug);
    }
    return IOStatus::OK();
  }

 private:
  const FaultReads reads_;
};

class FaultFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FaultFile(std::unique_ptr<rocksdb::FSWritableFile> target,
            FaultFs* fs,
            std::string path,
            std::shared_ptr<FaultFs::Inode> inode,
            uint64_t generation)
      : FSWritableFileOwnerWrapper(std::move(target)),
        fs_(fs),
        path_(std::move(path)),
        inode_(std::move(inode)),
        generation_(generation) {}

  IOStatus Append(const Slice& data, const IOOptions& io, IODebugContext* debug) override {
    if (!fs_->IsAlive(generation_)) return Dead();
    size_t append_bytes = data.size();
    const IOStatus fault = fs_->Begin(FaultFs::kAppend, path_, &append_bytes);
    const Slice written(data.data(), std::min(append_bytes, data.size()));
    const IOStatus status = written.empty() ? IOStatus::OK() : target()->Append(written, io, debug);
    if (status.ok()) {
      MutexLock lock(&fs_->mutex_);
      inode_->bytes += written.size();
    }
    return fault.ok() ? status : fault;
  }
  IOStatus Append(const Slice& data,
                  const IOOptions& io,
                  const rocksdb::DataVerificationInfo&,
                  IODebugContext* debug) override {
    return Append(data, io, debug);
  }

  IOStatus Truncate(uint64_t size, const IOOptions& io, IODebugContext* debug) override {
    if (!fs_->IsAlive(generation_)) return Dead();
    const IOStatus fault = fs_->Begin(FaultFs::kTruncate, path_, nullptr);
    if (!fault.ok()) return fault;
    MutexLock lock(&fs_->mutex_);
    fs_->NoteCut(inode_.get(), path_, size);
    return target()->Truncate(size, io, debug);
  }

  // Nothing is really synced: it would only take time.
  IOStatus Sync(const IOOptions&, IODebugContext*) override {
    if (!fs_->IsAlive(generation_)) return Dead();
    uint64_t bytes = 0;
    {
      MutexLock lock(&fs_->mutex_);
      bytes = inode_->bytes;
    }
    const IOStatus fault = fs_->Begin(FaultFs::kSync, path_, nullptr);
    if (!fault.ok()) return fault;
    MutexLock lock(&fs_->mutex_);
    inode_->synced_bytes = std::min(bytes, inode_->bytes);
    inode_->cut_at.reset();
    inode_->cut_content.clear();
    return IOStatus::OK();
  }
  IOStatus Fsync(const IOOptions& io, IODebugContext* debug) override { return Sync(io, debug); }

  IOStatus Allocate(uint64_t offset,
                    uint64_t size,
                    const IOOptions& io,
                    IODebugContext* debug) override {
    if (!fs_->IsAlive(generation_)) return Dead();
    const IOStatus fault = fs_->Begin(FaultFs::kAllocate, path_, nullptr);
    return fault.ok() ? target()->Allocate(offset, size, io, debug) : fault;
  }

  IOStatus Close(const IOOptions& io, IODebugContext* debug) override {
    return fs_->IsAlive(generation_) ? target()->Close(io, debug) : Dead();
  }

 private:
  IOStatus Dead() const { return IOStatus::IOError(path_, "opened before the power loss"); }

  FaultFs* const fs_;
  const std::string path_;
  const std::shared_ptr<FaultFs::Inode> inode_;
  const uint64_t generation_;
};

class FaultDirectory : public rocksdb::FSDirectoryWrapper {
 public:
  FaultDirectory(std::unique_ptr<rocksdb::FSDirectory> target,
                 FaultFs* fs,
                 std::string path,
                 uint64_t generation)
      : FSDirectoryWrapper(std::move(target)),
        fs_(fs),
        path_(std::move(path)),
        generation_(generation) {}

  IOStatus Fsync(const IOOptions&, IODebugContext*) override {
    if (!fs_->IsAlive(generation_)) {
      return IOStatus::IOError(path_, "opened before the power loss");
    }
    const IOStatus fault = fs_->Begin(FaultFs::kDirectorySync, path_, nullptr);
    if (!fault.ok()) return fault;
    MutexLock lock(&fs_->mutex_);
    std::erase_if(fs_->name_changes_,
                  [&](const auto& change) { return change.directory == path_; });
    return IOStatus::OK();
  }
  IOStatus FsyncWithDirOptions(const IOOptions& io,
                               IODebugContext* debug,
                               const rocksdb::DirFsyncOptions&) override {
    return Fsync(io, debug);
  }

 private:
  FaultFs* const fs_;
  const std::string path_;
  const uint64_t generation_;
};

FaultFs::FaultFs() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
FaultFs::~FaultFs() = default;

void FaultFs::FailOn(const Fault& fault) {
  HOURCELL_CHECK(fault.nth > 0);
  MutexLock lock(&mutex_);
  faults_.push_back(fault);
}

void FaultFs::Heal() {
  MutexLock lock(&mutex_);
  faults_.clear();
}

uint64_t FaultFs::Count(uint32_t operations) const {
  MutexLock lock(&mutex_);
  uint64_t count = 0;
  for (const auto& [operation, times] : counts_)
    count += (operation & operations) != 0 ? times : 0;
  return count;
}

bool FaultFs::IsAlive(uint64_t generation) const {
  MutexLock lock(&mutex_);
  return generation == generation_;
}

void FaultFs::SetHook(Hook hook) {
  MutexLock lock(&mutex_);
  hook_ = hook == nullptr ? nullptr : std::make_shared<const Hook>(std::move(hook));
}

std::string FaultFs::Log() const {
  MutexLock lock(&mutex_);
  return log_;
}

FaultFs::FileKind FaultFs::KindOf(const std::string& path) {
  const std::filesystem::path name(Normal(path));
  const std::string file = name.filename().string();
  if (file == "journal" || name.parent_path().filename() == "journal") return kJournalFile;
  if (file.ends_with(".log")) return kWalFile;
  if (file.ends_with(".sst")) return kSstFile;
  if (file.starts_with("MANIFEST-")) return kManifestFile;
  return file == "CURRENT" ? kCurrentFile : kOtherFile;
}

std::optional<FaultFs::Fault> FaultFs::Meet(Operation operation,
                                            const std::string& path,
                                            uint64_t offset) {
  std::shared_ptr<const Hook> hook;
  {
    MutexLock lock(&mutex_);
    hook = hook_;
  }
  if (hook != nullptr) (*hook)(operation, path);

  MutexLock lock(&mutex_);
  const uint64_t count = ++counts_[operation];
  const Fault* failing = nullptr;
  for (Fault& fault : faults_) {
    if ((fault.operations & operation) == 0 || (fault.files & KindOf(path)) == 0) continue;
    // nth 0: its turn has come, or came before.
    const bool is_first = fault.nth == 1;
    if (fault.nth > 0) --fault.nth;
    if (failing == nullptr && (is_first || (fault.nth == 0 && fault.is_lasting))) failing = &fault;
  }
  if (failing == nullptr) return std::nullopt;
  log_ += fmt::format("{} {} at {}: {} ({}th)\n", NameOf(operation), path, offset,
                      NameOf(failing->with), count);
  return *failing;
}

IOStatus FaultFs::Begin(Operation operation, const std::string& path, size_t* append_bytes) {
  const std::optional<Fault> fault = Meet(operation, path, 0);
  if (!fault.has_value()) return IOStatus::OK();
  if (append_bytes != nullptr) *append_bytes = fault->append_bytes;
  return fault->with == Failure::kNoSpace ? IOStatus::NoSpace(path, "injected")
                                          : IOStatus::IOError(path, "injected");
}

std::shared_ptr<FaultFs::Inode> FaultFs::InodeOf(const std::string& path) {
  std::shared_ptr<Inode>& inode = inodes_[path];
  if (inode == nullptr) {
    inode = std::make_shared<Inode>();
    std::error_code missing;
    const uint64_t bytes = std::filesystem::file_size(path, missing);
    inode->bytes = inode->synced_bytes = missing ? 0 : bytes;
  }
  return inode;
}

std::shared_ptr<FaultFs::Entry> FaultFs::EntryOf(const std::string& path) {
  if (!std::filesystem::exists(path)) return nullptr;
  return std::make_shared<Entry>(Entry{InodeOf(path), ReadAll(path)});
}

void FaultFs::NoteName(const std::string& path, std::shared_ptr<Entry> before, bool with_next) {
  name_changes_.push_back({DirectoryOf(path), path, std::move(before), with_next});
}

void FaultFs::NoteCut(Inode* inode, const std::string& path, uint64_t bytes) {
  const uint64_t end = inode->cut_at.value_or(inode->synced_bytes);
  if (bytes < end) {
    const std::string content = ReadAll(path).substr(static_cast<size_t>(bytes));
    inode->cut_content.insert(0, content, 0, static_cast<size_t>(end - bytes));
    inode->cut_at = bytes;
  }
  inode->bytes = bytes;
}

IOStatus FaultFs::Open(const std::string& path,
                       bool is_new,
                       const rocksdb::FileOptions& options,
                       std::unique_ptr<rocksdb::FSWritableFile>* result) {
  const IOStatus fault = Begin(kCreate, path, nullptr);
  if (!fault.ok()) return fault;
  MutexLock lock(&mutex_);
  const bool exists = std::filesystem::exists(path);
  if (!exists) inodes_.erase(path);
  const std::shared_ptr<Inode> inode = InodeOf(path);
  if (exists && is_new) NoteCut(inode.get(), path, 0);
  std::unique_ptr<rocksdb::FSWritableFile> file;
  const IOStatus status = is_new ? target()->NewWritableFile(path, options, &file, nullptr)
                                 : target()->ReopenWritableFile(path, options, &file, nullptr);
  if (!status.ok()) return status;
  if (!exists) NoteName(path, nullptr, false);
  *result = std::make_unique<FaultFile>(std::move(file), this, path, inode, generation_);
  return IOStatus::OK();
}

IOStatus FaultFs::NewWritableFile(const std::string& path,
                                  const rocksdb::FileOptions& options,
                                  std::unique_ptr<rocksdb::FSWritableFile>* result,
                                  IODebugContext*) {
  return Open(Normal(path), /*is_new=*/true, options, result);
}

IOStatus FaultFs::ReopenWritableFile(const std::string& path,
                                     const rocksdb::FileOptions& options,
                                     std::unique_ptr<rocksdb::FSWritableFile>* result,
                                     IODebugContext*) {
  return Open(Normal(path), /*is_new=*/false, options, result);
}

IOStatus FaultFs::NewSequentialFile(const std::string& path,
                                    const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                    IODebugContext* debug) {
  const IOStatus fault = Begin(kOpen, path, nullptr);
  if (!fault.ok()) return fault;
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  const IOStatus status = target()->NewSequentialFile(path, options, &file, debug);
  if (status.ok()) *result = std::make_unique<FaultSequentialFile>(std::move(file), this, path);
  return status;
}

IOStatus FaultFs::NewRandomAccessFile(const std::string& path,
                                      const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                                      IODebugContext* debug) {
  const IOStatus fault = Begin(kOpen, path, nullptr);
  if (!fault.ok()) return fault;
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  const IOStatus status = target()->NewRandomAccessFile(path, options, &file, debug);
  if (status.ok()) *result = std::make_unique<FaultRandomAccessFile>(std::move(file), this, path);
  return status;
}

IOStatus FaultFs::FileExists(const std::string& path, const IOOptions& io, IODebugContext* debug) {
  const IOStatus fault = Begin(kLook, path, nullptr);
  return fault.ok() ? target()->FileExists(path, io, debug) : fault;
}

IOStatus FaultFs::GetChildren(const std::string& path,
                              const IOOptions& io,
                              std::vector<std::string>* names,
                              IODebugContext* debug) {
  const IOStatus fault = Begin(kLook, path, nullptr);
  return fault.ok() ? target()->GetChildren(path, io, names, debug) : fault;
}

IOStatus FaultFs::GetFileSize(const std::string& path,
                              const IOOptions& io,
                              uint64_t* bytes,
                              IODebugContext* debug) {
  const IOStatus fault = Begin(kLook, path, nullptr);
  return fault.ok() ? target()->GetFileSize(path, io, bytes, debug) : fault;
}

IOStatus FaultFs::NewDirectory(const std::string& path,
                               const IOOptions& io,
                               std::unique_ptr<rocksdb::FSDirectory>* result,
                               IODebugContext* debug) {
  std::unique_ptr<rocksdb::FSDirectory> directory;
  const IOStatus status = target()->NewDirectory(path, io, &directory, debug);
  if (!status.ok()) return status;
  MutexLock lock(&mutex_);
  *result = std::make_unique<FaultDirectory>(std::move(directory), this, Normal(path), generation_);
  return IOStatus::OK();
}

IOStatus FaultFs::Truncate(const std::string& path,
                           size_t size,
                           const IOOptions& io,
                           IODebugContext* debug) {
  const IOStatus fault = Begin(kTruncate, path, nullptr);
  if (!fault.ok()) return fault;
  MutexLock lock(&mutex_);
  NoteCut(InodeOf(Normal(path)).get(), Normal(path), size);
  return target()->Truncate(path, size, io, debug);
}

IOStatus FaultFs::DeleteFile(const std::string& path, const IOOptions& io, IODebugContext* debug) {
  const IOStatus fault = Begin(kDelete, path, nullptr);
  if (!fault.ok()) return fault;
  MutexLock lock(&mutex_);
  const std::string normal = Normal(path);
  std::shared_ptr<Entry> before = EntryOf(normal);
  const IOStatus status = target()->DeleteFile(path, io, debug);
  if (!status.ok()) return status;
  inodes_.erase(normal);
  NoteName(normal, std::move(before), false);
  return status;
}

IOStatus FaultFs::RenameFile(const std::string& from,
                             const std::string& to,
                             const IOOptions& io,
                             IODebugContext* debug) {
  const IOStatus fault = Begin(kRename, from, nullptr);
  if (!fault.ok()) return fault;
  MutexLock lock(&mutex_);
  const std::string old_path = Normal(from);
  const std::string new_path = Normal(to);
  if (std::filesystem::is_directory(old_path)) {
    const IOStatus status = target()->RenameFile(from, to, io, debug);
    if (status.ok()) MoveDirectory(old_path, new_path);
    return status;
  }
  std::shared_ptr<Entry> moved = EntryOf(old_path);
  std::shared_ptr<Entry> replaced = EntryOf(new_path);
  const IOStatus status = target()->RenameFile(from, to, io, debug);
  if (!status.ok()) return status;
  inodes_[new_path] = InodeOf(old_path);
  inodes_.erase(old_path);
  const bool is_one_directory = DirectoryOf(old_path) == DirectoryOf(new_path);
  NoteName(old_path, std::move(moved), is_one_directory);
  NoteName(new_path, std::move(replaced), false);
  return status;
}

void FaultFs::MoveDirectory(const std::string& from, const std::string& to) {
  const auto moved = [&](const std::string& path) {
    return path.starts_with(from + "/") ? to + path.substr(from.size()) : path;
  };
  std::map<std::string, std::shared_ptr<Inode>> inodes;
  for (auto& [path, inode] : inodes_)
    inodes[moved(path)] = std::move(inode);
  inodes_ = std::move(inodes);
  for (NameChange& change : name_changes_) {
    change.path = moved(change.path);
    if (change.directory == from) change.directory = to;
  }
}

IOStatus FaultFs::LinkFile(const std::string& from,
                           const std::string& to,
                           const IOOptions& io,
                           IODebugContext* debug) {
  const IOStatus fault = Begin(kLink, from, nullptr);
  if (!fault.ok()) return fault;
  MutexLock lock(&mutex_);
  const IOStatus status = target()->LinkFile(from, to, io, debug);
  if (!status.ok()) return status;
  inodes_[Normal(to)] = InodeOf(Normal(from));
  NoteName(Normal(to), nullptr, false);
  return status;
}

void FaultFs::UndoNames(Random* random) {
  std::map<std::string, std::vector<const NameChange*>> by_directory;
  for (const NameChange& change : name_changes_)
    by_directory[change.directory].push_back(&change);

  std::set<const NameChange*> undone;
  for (const auto& [directory, changes] : by_directory) {
    size_t kept = static_cast<size_t>(random->Below(changes.size() + 1));
    if (kept > 0 && changes[kept - 1]->with_next) --kept;
    undone.insert(changes.begin() + static_cast<std::ptrdiff_t>(kept), changes.end());
  }
  for (auto change = name_changes_.rbegin(); change != name_changes_.rend(); ++change) {
    if (!undone.contains(&*change)) continue;
    if (change->before == nullptr) {
      std::filesystem::remove(change->path);
      inodes_.erase(change->path);
    } else {
      Replace(change->path, change->before->content);
      inodes_[change->path] = change->before->inode;
    }
  }
  name_changes_.clear();
}

void FaultFs::LoseUnsynced(uint64_t seed, Loss loss) {
  MutexLock lock(&mutex_);
  Random random(seed);
  ++generation_;
  UndoNames(&random);
  std::map<Inode*, std::string> written;  // with one of its paths
  for (const auto& [path, inode] : inodes_) {
    if (!std::filesystem::exists(path)) continue;
    if (const auto other = written.find(inode.get()); other != written.end()) {
      std::filesystem::remove(path);
      std::filesystem::create_hard_link(other->second, path);
      continue;
    }
    std::string content = ReadAll(path);
    if (inode->cut_at.has_value() && random.Below(2) == 0) {
      content = content.substr(0, static_cast<size_t>(*inode->cut_at)) + inode->cut_content;
    } else {
      LoseBytes(&content, inode->cut_at.value_or(inode->synced_bytes), loss, &random);
    }
    Replace(path, content);
    written.emplace(inode.get(), path);
  }
  // All remaining bytes are on disk. That is also the assumption for an unknown file.
  inodes_.clear();
}

}  // namespace hourcell
