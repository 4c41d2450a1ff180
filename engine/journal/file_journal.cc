#include "engine/journal/file_journal.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_copy.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/journal/journal_block.h"
#include "engine/journal/journal_recovery.h"
#include "engine/journal/journal_replay.h"
#include "engine/journal/journal_segment.h"
#include "engine/journal/journal_synced.h"
#include "engine/rocks/files/rocks_status.h"

// Why not RocksDB's WAL: the journal is read once, after a crash, in order, and its oldest blocks
// must be deleted as hours are sealed, not as memtables are flushed. A point takes a byte or two,
// because it names its series by number (docs/decisions/0006). Each opening begins a new segment,
// so it need not handle a tail that an earlier process left. After a failed fsync the state of the
// file is unknown and the journal refuses writes. A sync covers the previous segment, too, if that
// got a block after its last sync: once such a block was never synced although later syncs counted
// it as synced.

namespace hourcell {
namespace {

using WritableFile = std::shared_ptr<rocksdb::FSWritableFile>;

constexpr size_t kBufferBytesKept = 4 << 20;

rocksdb::FileOptions WriteOptions() {
  rocksdb::FileOptions options;
  options.use_direct_writes = false;
  options.use_mmap_writes = false;
  // Reserved space does not count as the file's size.
  options.fallocate_with_keep_size = true;
  return options;
}

// Whatever the file system has against a write, it may be tried again.
absl::Status AsUnavailable(const rocksdb::IOStatus& status, std::string_view what) {
  if (status.ok()) return absl::OkStatus();
  return absl::UnavailableError(fmt::format("{}: {}", what, status.ToString()));
}

absl::Status SyncDirectory(rocksdb::FSDirectory* directory, const std::string& path) {
  return AsUnavailable(directory->Fsync(rocksdb::IOOptions(/*force_dir_fsync=*/true), nullptr),
                       "fsync " + path);
}

rocksdb::FileSystem* OrDefault(rocksdb::FileSystem* fs) {
  return fs != nullptr ? fs : rocksdb::FileSystem::Default().get();
}

// An empty file of that name, open so that writes go to its end, wherever that is after a cut.
absl::StatusOr<WritableFile> CreateForAppend(rocksdb::FileSystem* fs, const std::string& path) {
  std::unique_ptr<rocksdb::FSWritableFile> file;
  HOURCELL_RETURN_IF_ERROR(
      AsUnavailable(fs->NewWritableFile(path, WriteOptions(), &file, nullptr), "create " + path));
  file.reset();
  HOURCELL_RETURN_IF_ERROR(
      AsUnavailable(fs->ReopenWritableFile(path, WriteOptions(), &file, nullptr), "open " + path));
  return WritableFile(std::move(file));
}

// Reserves the space of [from, from + bytes). kUnavailable: the disk is full; kFailedPrecondition:
// the file system does not support this.
absl::Status ReserveSpace(rocksdb::FSWritableFile* file, uint64_t from, uint64_t bytes) {
  const rocksdb::IOStatus status = file->Allocate(from, bytes, rocksdb::IOOptions(), nullptr);
  if (status.ok()) return absl::OkStatus();
  if (status.IsNoSpace()) return absl::UnavailableError(status.ToString());
  return absl::FailedPreconditionError(status.ToString());
}

}  // namespace

rocksdb::FileSystem* FileSystemOf(rocksdb::Env* env) {
  return env == nullptr ? nullptr : env->GetFileSystem().get();
}

absl::Status MakeJournalDirectory(rocksdb::FileSystem* fs, const std::string& path) {
  fs = OrDefault(fs);
  const rocksdb::IOOptions io;
  HOURCELL_RETURN_IF_ERROR(FromRocks(fs->CreateDirIfMissing(path, io, nullptr), "create " + path));
  const std::string parent = std::filesystem::path(path).parent_path().string();
  std::unique_ptr<rocksdb::FSDirectory> directory;
  HOURCELL_RETURN_IF_ERROR(FromRocks(
      fs->NewDirectory(parent.empty() ? "." : parent, io, &directory, nullptr), "open " + parent));
  return SyncDirectory(directory.get(), parent);
}

FileJournal::FileJournal(const JournalOptions& options)
    : options_(options),
      fs_(OrDefault(options.fs)),
      synced_note_(std::make_unique<SyncedNote>(fs_, options.directory)) {}

FileJournal::~FileJournal() = default;

std::string FileJournal::PathOf(uint64_t number) const {
  return options_.directory + "/" + SegmentName(number);
}

absl::StatusOr<std::unique_ptr<FileJournal>> FileJournal::Open(const JournalOptions& options) {
  std::unique_ptr<FileJournal> journal(new FileJournal(options));
  HOURCELL_RETURN_IF_ERROR(journal->OpenDirectory());
  HOURCELL_RETURN_IF_ERROR(journal->Recover());
  return journal;
}

absl::Status FileJournal::OpenDirectory() {
  const std::string& path = options_.directory;
  const rocksdb::IOOptions io;
  const rocksdb::IOStatus exists = fs_->FileExists(path, io, nullptr);
  if (exists.IsNotFound() && !options_.create) {
    return absl::DataLossError(fmt::format(
        "journal directory {} is missing. It may hold points that are not yet in cells. If the "
        "store was closed cleanly and did not warn of open hours, create an empty directory to "
        "continue.",
        path));
  }
  if (exists.IsNotFound()) {
    HOURCELL_RETURN_IF_ERROR(MakeJournalDirectory(fs_, path));
  } else {
    HOURCELL_RETURN_IF_ERROR(FromRocks(exists, "open " + path));
  }
  return FromRocks(fs_->NewDirectory(path, io, &directory_, nullptr), "open " + path);
}

absl::Status FileJournal::Recover() {
  HOURCELL_ASSIGN_OR_RETURN(
      RecoveredJournal recovered,
      RecoverJournal(fs_, directory_.get(), options_.directory, options_.low_mark));
  cuts_ = std::move(recovered.cuts);
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<JournalCut> unseen, UnseenCuts());
  unseen_cuts_ = unseen.size();
  has_gap_ = recovered.has_gap;
  MutexLock lock(&mutex_);
  for (size_t i = 0; i < recovered.segments.size(); ++i) {
    const RecoveredSegment& segment = recovered.segments[i];
    list_.push_back({segment.number, segment.first_sequence, segment.bytes});
    const uint64_t end = i + 1 < recovered.segments.size()
                             ? recovered.segments[i + 1].first_sequence
                             : recovered.next_sequence;
    // After kill -9 its blocks may be with the operating system only.
    if (end > recovered.synced_below) unsynced_.push_back({segment.number, nullptr});
    HOURCELL_DCHECK(segment.first_sequence <= end);
  }
  is_directory_unsynced_ = !unsynced_.empty();
  next_sequence_ = recovered.next_sequence;
  synced_sequence_ = recovered.synced_below;

  HOURCELL_DCHECK(synced_sequence() <= next_sequence());
  CountSegments();
  return absl::OkStatus();
}

void FileJournal::CountSegments() {
  uint64_t bytes = 0;
  for (const Segment& segment : list_)
    bytes += segment.bytes;
  bytes_ = bytes;
  segment_count_ = list_.size();
  oldest_sequence_ = list_.empty() ? next_sequence() : list_.front().first_sequence;
  HOURCELL_DCHECK(oldest_sequence() <= next_sequence());
}

absl::Status FileJournal::Replay(uint64_t from, const Visit& visit) const {
  std::vector<SegmentReader::Range> ranges;
  {
    MutexLock lock(&mutex_);
    for (size_t i = 0; i < list_.size(); ++i) {
      const uint64_t end = i + 1 < list_.size() ? list_[i + 1].first_sequence : next_sequence();
      if (end <= from) continue;
      ranges.push_back({PathOf(list_[i].number), list_[i].number, list_[i].bytes, end});
    }
  }
  if (from != 0 && from < oldest_sequence()) {
    return absl::DataLossError(
        fmt::format("{}: cannot replay from block {}; the oldest block is {}", options_.directory,
                    from, oldest_sequence()));
  }
  return ReplaySegments(fs_, ranges, from, visit);
}

size_t FileJournal::block_bytes() const {
  return kBlockPayloadBytesMax;
}

absl::StatusOr<std::vector<JournalCut>> FileJournal::UnseenCuts() const {
  return ListCuts(fs_, options_.directory);
}

absl::Status FileJournal::MarkCutsSeen(const std::vector<JournalCut>& cuts) {
  HOURCELL_RETURN_IF_ERROR(MarkCutFilesSeen(fs_, options_.directory, cuts));
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<JournalCut> unseen, UnseenCuts());
  unseen_cuts_ = unseen.size();
  return SyncDirectory(directory_.get(), options_.directory);
}

std::optional<uint64_t> FileJournal::DiskFreeBytes() const {
  uint64_t bytes = 0;
  const rocksdb::IOStatus asked =
      fs_->GetFreeSpace(options_.directory, rocksdb::IOOptions(), &bytes, nullptr);
  return asked.ok() ? std::optional(bytes) : std::nullopt;
}

absl::Status FileJournal::Write(std::span<const std::string_view> payload_parts) {
  size_t payload_bytes = 0;
  for (const std::string_view part : payload_parts)
    payload_bytes += part.size();
  if (payload_bytes > kBlockPayloadBytesMax) {
    return absl::InvalidArgumentError(fmt::format("journal block of {} bytes; expected at most {}",
                                                  payload_bytes, kBlockPayloadBytesMax));
  }
  {
    MutexLock lock(&mutex_);
    if (!failure_.ok()) return CopyStatus(failure_);
  }
  const size_t bytes = kBlockHeaderBytes + payload_bytes;
  const bool is_full =
      current_bytes_ > kSegmentHeaderBytes && current_bytes_ + bytes > options_.segment_bytes;
  if (current_ == nullptr || is_full) HOURCELL_RETURN_IF_ERROR(BeginSegment());
  HOURCELL_RETURN_IF_ERROR(Reserve(bytes));
  buffer_.clear();
  AppendJournalBlock(current_number_, next_sequence(), synced_sequence(), payload_parts, &buffer_);
  HOURCELL_DCHECK(buffer_.size() == bytes);
  const absl::Status appended = AppendBuffer();
  // The memory of an unusually large block is not kept for the others.
  if (buffer_.capacity() > kBufferBytesKept) std::string().swap(buffer_);
  HOURCELL_RETURN_IF_ERROR(appended);
  HOURCELL_KILL_POINT("journal:block");

  MutexLock lock(&mutex_);
  HOURCELL_DCHECK(list_.back().number == current_number_);
  HOURCELL_DCHECK(list_.back().bytes + bytes == current_bytes_);
  list_.back().bytes = current_bytes_;
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
  next_sequence_.store(next_sequence() + 1, std::memory_order_relaxed);
  return absl::OkStatus();
}

// Leaves the current segment, if there is one, for a new one. Changes nothing if that fails.
absl::Status FileJournal::BeginSegment() {
  uint64_t number = 1;
  {
    MutexLock lock(&mutex_);
    if (!list_.empty()) number = list_.back().number + 1;
  }
  HOURCELL_ASSIGN_OR_RETURN(WritableFile file, CreateSegmentFile(number));
  HOURCELL_KILL_POINT("journal:segment");
  LeaveSegment();
  current_ = std::move(file);
  current_number_ = number;
  current_bytes_ = kSegmentHeaderBytes;
  reserved_bytes_ = std::max<uint64_t>(options_.preallocate_bytes, kSegmentHeaderBytes);

  MutexLock lock(&mutex_);
  HOURCELL_DCHECK(list_.empty() || list_.back().number + 1 == number);
  HOURCELL_DCHECK(list_.empty() || list_.back().first_sequence <= next_sequence());
  list_.push_back({number, next_sequence(), current_bytes_});
  unsynced_.push_back({number, current_});
  is_directory_unsynced_ = true;
  CountSegments();
  return absl::OkStatus();
}

absl::StatusOr<WritableFile> FileJournal::CreateSegmentFile(uint64_t number) {
  const std::string path = PathOf(number);
  std::string header;
  AppendSegmentHeader({number, next_sequence(), synced_sequence()}, &header);
  absl::StatusOr<WritableFile> file = CreateForAppend(fs_, path);
  absl::Status status = file.status();
  if (status.ok() && options_.preallocate_bytes > 0 && can_reserve_) {
    status = ReserveSpace(file->get(), 0, options_.preallocate_bytes);
    can_reserve_ = !absl::IsFailedPrecondition(status);
    if (!can_reserve_) status = absl::OkStatus();
  }
  if (status.ok()) {
    status = AsUnavailable((*file)->Append(header, rocksdb::IOOptions(), nullptr), "write " + path);
  }
  if (status.ok()) return file;
  // If it stays it is made anew by the next try, or found without a block by the next Open.
  fs_->DeleteFile(path, rocksdb::IOOptions(), nullptr).PermitUncheckedError();
  return absl::UnavailableError(fmt::format("begin {}: {}", path, MessageOf(status)));
}

// No more blocks go to the current segment. Its file stays open as long as it has to be synced.
void FileJournal::LeaveSegment() {
  if (current_ == nullptr) return;
  // Frees reserved space that is not used. If this fails, deleting the segment frees it.
  if (reserved_bytes_ > current_bytes_) {
    current_->Truncate(current_bytes_, rocksdb::IOOptions(), nullptr).PermitUncheckedError();
  }
  current_.reset();
}

// Reserves space for `bytes` more, and ahead.
absl::Status FileJournal::Reserve(size_t bytes) {
  HOURCELL_DCHECK(current_ != nullptr);
  const uint64_t step = options_.preallocate_bytes;
  if (step == 0 || !can_reserve_ || current_bytes_ + bytes <= reserved_bytes_) {
    return absl::OkStatus();
  }
  const uint64_t from = std::max(reserved_bytes_, current_bytes_);
  const uint64_t end = (current_bytes_ + bytes + step - 1) / step * step;
  const absl::Status status = ReserveSpace(current_.get(), from, end - from);
  if (absl::IsUnavailable(status)) {
    return absl::UnavailableError(
        fmt::format("reserve space for {}: {}", PathOf(current_number_), MessageOf(status)));
  }
  can_reserve_ = status.ok();
  reserved_bytes_ = end;
  return absl::OkStatus();
}

absl::Status FileJournal::AppendBuffer() {
  HOURCELL_DCHECK(current_ != nullptr && !buffer_.empty());
  const rocksdb::IOStatus appended = current_->Append(buffer_, rocksdb::IOOptions(), nullptr);
  if (appended.ok()) {
    current_bytes_ += buffer_.size();
    return absl::OkStatus();
  }
  const std::string path = PathOf(current_number_);
  const absl::Status status =
      AsUnavailable(appended, fmt::format("write {} at offset {}", path, current_bytes_));
  // The cut takes the reserved space with it, so that the next try has to find some again.
  if (current_->Truncate(current_bytes_, rocksdb::IOOptions(), nullptr).ok()) {
    reserved_bytes_ = current_bytes_;
  } else {
    // Bytes after the good blocks stay; the next segment takes over at this sequence.
    current_.reset();
  }
  return status;
}

absl::Status FileJournal::failure() const {
  MutexLock lock(&mutex_);
  return CopyStatus(failure_);
}

absl::Status FileJournal::Fail(const absl::Status& cause) {
  MutexLock lock(&mutex_);
  if (failure_.ok()) {
    failure_ = absl::FailedPreconditionError(
        fmt::format("{}: the state of the journal on disk is unknown, so it takes no more writes; "
                    "close the store and open it again",
                    MessageOf(cause)));
  }
  return CopyStatus(failure_);
}

absl::Status FileJournal::Sync() {
  MutexLock sync_lock(&sync_mutex_);
  return SyncAll();
}

absl::Status FileJournal::SyncAll() {
  std::vector<Unsynced> files;
  bool with_directory = false;
  uint64_t target = 0;
  uint64_t newest = 0;  // segment, which may get more blocks while its file is synced
  {
    MutexLock lock(&mutex_);
    if (!failure_.ok()) return CopyStatus(failure_);
    target = next_sequence();
    HOURCELL_DCHECK(target >= synced_sequence());
    if (target == synced_sequence()) return absl::OkStatus();
    files = unsynced_;
    HOURCELL_DCHECK(files.empty() || files.front().number <= files.back().number);
    if (!list_.empty()) newest = list_.back().number;
    with_directory = std::exchange(is_directory_unsynced_, false);
  }
  // The oldest first: a block is on disk only after all earlier ones.
  absl::Status status;
  for (Unsynced& file : files) {
    status = SyncFile(&file);
    if (!status.ok()) return Fail(status);
  }
  HOURCELL_KILL_POINT("journal:synced_files");
  if (with_directory) {
    status = SyncDirectory(directory_.get(), options_.directory);
    if (!status.ok()) return Fail(status);
  }

  synced_note_->Write(target);

  MutexLock lock(&mutex_);
  HOURCELL_DCHECK(target > synced_sequence());  // one sync at a time
  synced_sequence_.store(target, std::memory_order_relaxed);
  // Not by the newest segment now: that may be a later one, with blocks after this sync.
  std::erase_if(unsynced_, [newest](const Unsynced& entry) { return entry.number < newest; });
  return absl::OkStatus();
}

absl::Status FileJournal::SyncFile(Unsynced* file) const {
  const std::string path = PathOf(file->number);
  if (file->file == nullptr) {
    std::unique_ptr<rocksdb::FSWritableFile> opened;
    HOURCELL_RETURN_IF_ERROR(AsUnavailable(
        fs_->ReopenWritableFile(path, WriteOptions(), &opened, nullptr), "open " + path));
    file->file = std::move(opened);
  }
  return AsUnavailable(file->file->Sync(rocksdb::IOOptions(), nullptr), "fsync " + path);
}

absl::Status FileJournal::DeleteBelow(uint64_t low_mark) {
  MutexLock sync_lock(&sync_mutex_);
  for (bool is_first = true;; is_first = false) {
    uint64_t number = 0;
    {
      MutexLock lock(&mutex_);
      if (pins_ > 0) return absl::OkStatus();
      if (list_.empty() || (list_.size() == 1 && !is_closed_)) return absl::OkStatus();
      const uint64_t end = list_.size() > 1 ? list_[1].first_sequence : next_sequence();
      if (end > low_mark) return absl::OkStatus();
      number = list_[0].number;
      std::erase_if(unsynced_, [&](const Unsynced& entry) { return entry.number == number; });
    }
    // In order on disk too, so that a crash leaves no gap.
    if (!is_first) {
      const absl::Status synced = SyncDirectory(directory_.get(), options_.directory);
      if (!synced.ok()) return Fail(synced);
    }
    const std::string path = PathOf(number);
    HOURCELL_RETURN_IF_ERROR(
        AsUnavailable(fs_->DeleteFile(path, rocksdb::IOOptions(), nullptr), "delete " + path));
    HOURCELL_KILL_POINT("journal:deleted");
    MutexLock lock(&mutex_);
    HOURCELL_DCHECK(pins_ == 0 && !list_.empty() && list_.front().number == number);
    list_.erase(list_.begin());
    CountSegments();
    if (list_.empty()) synced_note_->Remove();
  }
}

// Its files stay as they are.
class FileJournalPin : public JournalPin {
 public:
  explicit FileJournalPin(FileJournal* journal) : journal_(*journal) {}
  ~FileJournalPin() override {
    MutexLock lock(&journal_.mutex_);
    HOURCELL_DCHECK(journal_.pins_ > 0);
    --journal_.pins_;
  }

 private:
  friend class FileJournal;
  FileJournal& journal_;
};

std::unique_ptr<JournalPin> FileJournal::Pin(uint64_t low_mark) {
  auto pin = std::make_unique<FileJournalPin>(this);
  // After a deletion under way, so that it does not delete pinned segments.
  MutexLock sync_lock(&sync_mutex_);
  MutexLock lock(&mutex_);
  ++pins_;
  pin->next_sequence_ = next_sequence();
  for (size_t i = 0; i < list_.size(); ++i) {
    const uint64_t end = i + 1 < list_.size() ? list_[i + 1].first_sequence : next_sequence();
    // One without a block, of a process that was killed, is wanted between others: without it their
    // numbers would have a gap.
    const bool is_empty = end == list_[i].first_sequence;
    if (end <= low_mark || (is_empty && pin->files_.empty())) continue;
    const uint64_t number = list_[i].number;
    pin->files_.push_back({SegmentName(number), PathOf(number), list_[i].bytes});
  }
  return pin;
}

uint64_t FileJournal::LowMarkThatDeletes(uint64_t sequence) const {
  MutexLock lock(&mutex_);
  if (pins_ > 0 || list_.size() < 2) return 0;
  for (size_t i = 1; i + 1 < list_.size(); ++i)
    if (list_[i].first_sequence > sequence) return list_[i].first_sequence;
  return list_.back().first_sequence;
}

absl::Status FileJournal::Close() {
  MutexLock sync_lock(&sync_mutex_);
  {
    MutexLock lock(&mutex_);
    if (is_closed_) return absl::OkStatus();
  }
  HOURCELL_RETURN_IF_ERROR(SyncAll());
  if (current_ != nullptr) HOURCELL_RETURN_IF_ERROR(WriteFooter());
  MutexLock lock(&mutex_);
  is_closed_ = true;
  failure_ = absl::FailedPreconditionError(options_.directory + ": the journal is closed");
  unsynced_.clear();
  return absl::OkStatus();
}

absl::Status FileJournal::WriteFooter() {
  HOURCELL_DCHECK(synced_sequence() == next_sequence());  // the footer promises it
  buffer_.clear();
  AppendJournalFooter(current_number_, next_sequence(), &buffer_);
  HOURCELL_RETURN_IF_ERROR(AppendBuffer());
  const WritableFile file = current_;
  LeaveSegment();
  const std::string path = PathOf(current_number_);
  const rocksdb::IOOptions io;
  if (const auto synced = file->Fsync(io, nullptr); !synced.ok()) {
    return Fail(AsUnavailable(synced, "fsync " + path));
  }
  return AsUnavailable(file->Close(io, nullptr), "close " + path);
}

}  // namespace hourcell
