#include "engine/journal_recovery.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <rocksdb/file_system.h>

#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/journal_block.h"
#include "engine/journal_segment.h"
#include "engine/rocks_status.h"

namespace hourcell {
namespace {

// A segment file as it was found.
struct Found {
  uint64_t number = 0;
  std::string path;
  uint64_t file_bytes = 0;
  absl::StatusOr<SegmentHeader> header;  // or what is wrong with it
};

// A place at which the journal is not whole.
struct BadPlace {
  size_t index = 0;       // of the segment
  uint64_t offset = 0;    // its good bytes
  uint64_t sequence = 0;  // of the block that should be there
  absl::Status fault;     // with file and offset
};

class Recovery {
 public:
  Recovery(rocksdb::FileSystem* fs,
           rocksdb::FSDirectory* directory,
           std::string path,
           uint64_t low_mark)
      : fs_(fs), directory_(directory), path_(std::move(path)), low_mark_(low_mark) {}

  absl::StatusOr<RecoveredJournal> Run() {
    HOURCELL_RETURN_IF_ERROR(FindSegments());
    const size_t unneeded = CountUnneeded();
    const auto begin = found_.begin() + static_cast<std::ptrdiff_t>(unneeded);
    const std::vector<Found> needed(std::make_move_iterator(begin),
                                    std::make_move_iterator(found_.end()));
    found_.resize(unneeded);
    HOURCELL_RETURN_IF_ERROR(CheckNumbers(needed));
    HOURCELL_RETURN_IF_ERROR(ReadSegments(needed));
    if (low_mark_ > journal_.next_sequence) HOURCELL_RETURN_IF_ERROR(BeginAtLowMark());
    HOURCELL_RETURN_IF_ERROR(DeleteUnneeded());
    // Without a segment there is no block that could have to be synced.
    if (journal_.segments.empty()) journal_.synced_below = journal_.next_sequence;
    journal_.synced_below = std::min(journal_.synced_below, journal_.next_sequence);
    return std::move(journal_);
  }

 private:
  absl::Status FindSegments();
  size_t CountUnneeded() const;
  absl::Status CheckNumbers(std::span<const Found> needed) const;
  absl::Status ReadSegments(std::span<const Found> needed);
  absl::StatusOr<bool> ReadSegment(std::span<const Found> needed, size_t i, BadPlace* bad);
  absl::Status Judge(std::span<const Found> needed, const BadPlace& bad);
  absl::StatusOr<JournalRemains> RemainsBehind(std::span<const Found> needed,
                                               const BadPlace& bad) const;
  static absl::Status CheckStillBad(const Found& found,
                                    const BadPlace& bad,
                                    std::string_view bytes);
  absl::Status CutAt(std::span<const Found> needed, const BadPlace& bad);
  absl::Status CutFile(const std::string& path, uint64_t bytes);
  absl::Status Delete(const std::string& path);
  absl::Status BeginAtLowMark();
  absl::Status DeleteUnneeded();

  rocksdb::FileSystem* const fs_;
  rocksdb::FSDirectory* const directory_;
  const std::string path_;
  const uint64_t low_mark_;
  std::vector<Found> found_;  // then: those that are not needed
  RecoveredJournal journal_;
};

absl::Status Recovery::FindSegments() {
  std::vector<std::string> names;
  HOURCELL_RETURN_IF_ERROR(
      FromRocks(fs_->GetChildren(path_, rocksdb::IOOptions(), &names, nullptr), "list " + path_));
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const std::optional<uint64_t> number = SegmentNumberOf(name);
    if (!number.has_value()) continue;
    Found found{*number, path_ + "/" + name, 0, absl::UnknownError("")};
    HOURCELL_RETURN_IF_ERROR(
        FromRocks(fs_->GetFileSize(found.path, rocksdb::IOOptions(), &found.file_bytes, nullptr),
                  "size of " + found.path));
    const auto reader = SegmentReader::Open(
        fs_, {.path = found.path, .number = *number, .bytes = found.file_bytes});
    found.header = reader.ok() ? absl::StatusOr<SegmentHeader>((*reader)->header())
                               : absl::StatusOr<SegmentHeader>(reader.status());
    if (!reader.ok() && !absl::IsDataLoss(reader.status())) return reader.status();
    found_.push_back(std::move(found));
  }
  return absl::OkStatus();
}

// The segments in front of the last one that begins at the low mark or below it.
size_t Recovery::CountUnneeded() const {
  size_t count = 0;
  for (size_t i = 0; i < found_.size(); ++i) {
    if (found_[i].header.ok() && found_[i].header->first_sequence <= low_mark_) count = i;
  }
  return count;
}

absl::Status Recovery::CheckNumbers(std::span<const Found> needed) const {
  for (size_t i = 1; i < needed.size(); ++i) {
    if (needed[i].number != needed[i - 1].number + 1) {
      return absl::DataLossError(fmt::format(
          "{}/{} is missing; there are {} and {}", path_, SegmentName(needed[i - 1].number + 1),
          SegmentName(needed[i - 1].number), SegmentName(needed[i].number)));
    }
  }
  uint64_t first = 0;
  for (const Found& found : needed) {
    if (!found.header.ok()) continue;
    if (found.header->first_sequence < first) {
      return absl::DataLossError(
          fmt::format("{} begins at block {}; want {} or above, where one in "
                      "front of it begins",
                      found.path, found.header->first_sequence, first));
    }
    first = found.header->first_sequence;
  }
  if (needed.empty() || !needed[0].header.ok()) return absl::OkStatus();
  const uint64_t oldest = needed[0].header->first_sequence;
  if (low_mark_ == 0 || oldest <= low_mark_) return absl::OkStatus();
  return absl::DataLossError(
      fmt::format("{} begins at block {}; want one that begins at {} or below, the low mark: "
                  "segments in front of it are missing",
                  needed[0].path, oldest, low_mark_));
}

absl::Status Recovery::ReadSegments(std::span<const Found> needed) {
  if (needed.empty()) return absl::OkStatus();
  journal_.next_sequence =
      needed[0].header.ok() ? needed[0].header->first_sequence : std::max<uint64_t>(low_mark_, 1);
  for (size_t i = 0; i < needed.size(); ++i) {
    BadPlace bad;
    HOURCELL_ASSIGN_OR_RETURN(const bool is_good, ReadSegment(needed, i, &bad));
    if (!is_good) return Judge(needed, bad);
  }
  return absl::OkStatus();
}

// Reads needed[i], which should begin at next_sequence, and adds it to the journal. False: it is
// not whole, *bad says where.
absl::StatusOr<bool> Recovery::ReadSegment(std::span<const Found> needed, size_t i, BadPlace* bad) {
  const Found& found = needed[i];
  *bad = {i, 0, journal_.next_sequence, found.header.status()};
  if (!found.header.ok()) return false;
  if (found.header->first_sequence != journal_.next_sequence) {
    bad->fault =
        absl::DataLossError(fmt::format("{} at offset 0: begins at block {}; want {}", found.path,
                                        found.header->first_sequence, journal_.next_sequence));
    return false;
  }
  SegmentReader::Range range{.path = found.path, .number = found.number, .bytes = found.file_bytes};
  const bool is_followed = i + 1 < needed.size() && needed[i + 1].header.ok();
  if (is_followed) range.end_sequence = needed[i + 1].header->first_sequence;
  HOURCELL_ASSIGN_OR_RETURN(const auto reader, SegmentReader::Open(fs_, range));
  BlockBatch batch;
  bool has_more = true;
  while (has_more) {
    HOURCELL_ASSIGN_OR_RETURN(has_more, reader->Next(&batch));
  }
  journal_.next_sequence = reader->next_sequence();
  journal_.synced_below = std::max(journal_.synced_below, reader->synced_below());
  journal_.segments.push_back({found.number, found.header->first_sequence, reader->offset()});
  *bad = {i, reader->offset(), reader->next_sequence(), reader->fault()};
  if (!reader->fault().ok()) return false;
  if (!is_followed || reader->next_sequence() == range.end_sequence) return true;
  bad->fault = absl::DataLossError(fmt::format("{} at offset {}: ends before block {}; {} has {}",
                                               found.path, bad->offset, bad->sequence,
                                               needed[i + 1].path, range.end_sequence));
  return false;
}

// Damage or a torn tail?
absl::Status Recovery::Judge(std::span<const Found> needed, const BadPlace& bad) {
  HOURCELL_ASSIGN_OR_RETURN(const JournalRemains remains, RemainsBehind(needed, bad));
  if (remains.synced_below <= bad.sequence) return CutAt(needed, bad);
  return absl::DataLossError(fmt::format(
      "{}; it was synced: {} blocks behind it are readable, and that with sequence {} says that "
      "all below {} are on disk",
      std::string_view(bad.fault.message().data(), bad.fault.message().size()), remains.blocks,
      remains.said_by, remains.synced_below));
}

// `bytes` are those at the bad place, read once more. What a disk gives differently each time is
// not cut off: it may all be there.
absl::Status Recovery::CheckStillBad(const Found& found,
                                     const BadPlace& bad,
                                     std::string_view bytes) {
  const bool is_good = found.header.ok()
                           ? DecodeJournalBlock(bytes, found.number, bad.sequence).ok()
                           : DecodeSegmentHeader(bytes, found.number).ok();
  if (!is_good) return absl::OkStatus();
  return absl::UnavailableError(
      fmt::format("{} at offset {}: read twice; got bytes that differ, good ones the second time",
                  found.path, bad.offset));
}

absl::StatusOr<JournalRemains> Recovery::RemainsBehind(std::span<const Found> needed,
                                                       const BadPlace& bad) const {
  // How far the sequences behind the place can go: no further than there are bytes for blocks, but
  // for what headers say, and where a header is gone they begin anywhere.
  constexpr uint64_t kAnywhere = uint64_t{1} << 32;
  uint64_t range = 1;
  for (const Found& found : needed.subspan(bad.index)) {
    range += found.file_bytes / kBlockHeaderBytes;
    if (!found.header.ok()) range += kAnywhere;
    if (found.header.ok() && found.header->first_sequence > bad.sequence) {
      range += found.header->first_sequence - bad.sequence;
    }
  }

  JournalRemains remains;
  uint64_t from = bad.offset;
  for (const Found& found : needed.subspan(bad.index)) {
    if (found.header.ok() && found.header->first_sequence > bad.sequence) {
      remains.Add({0, found.header->synced_below, found.header->first_sequence});
    }
    HOURCELL_ASSIGN_OR_RETURN(const std::string bytes,
                              ReadFileFrom(fs_, found.path, from, found.file_bytes));
    if (&found == &needed[bad.index]) HOURCELL_RETURN_IF_ERROR(CheckStillBad(found, bad, bytes));
    remains.Add(FindJournalRemains(bytes, found.number, bad.sequence, range));
    from = 0;
  }
  return remains;
}

absl::Status Recovery::CutAt(std::span<const Found> needed, const BadPlace& bad) {
  const size_t kept = bad.offset >= kSegmentHeaderBytes ? bad.index + 1 : bad.index;
  for (size_t i = needed.size(); i > kept; --i)
    HOURCELL_RETURN_IF_ERROR(Delete(needed[i - 1].path));
  if (kept > bad.index) return CutFile(needed[bad.index].path, bad.offset);
  return absl::OkStatus();
}

absl::Status Recovery::CutFile(const std::string& path, uint64_t bytes) {
  const std::string what = fmt::format("cut {} to {} bytes", path, bytes);
  const rocksdb::IOOptions io;
  // By a handle: the file system of the operating system cannot cut a file by its name.
  std::unique_ptr<rocksdb::FSWritableFile> file;
  HOURCELL_RETURN_IF_ERROR(
      FromRocks(fs_->ReopenWritableFile(path, rocksdb::FileOptions(), &file, nullptr), what));
  HOURCELL_RETURN_IF_ERROR(FromRocks(file->Truncate(bytes, io, nullptr), what));
  HOURCELL_KILL_POINT("recover:cut");
  HOURCELL_RETURN_IF_ERROR(FromRocks(file->Fsync(io, nullptr), what));
  return FromRocks(file->Close(io, nullptr), what);
}

// Durably, so that a crash among several deletions leaves no gap.
absl::Status Recovery::Delete(const std::string& path) {
  HOURCELL_RETURN_IF_ERROR(
      FromRocks(fs_->DeleteFile(path, rocksdb::IOOptions(), nullptr), "delete " + path));
  HOURCELL_KILL_POINT("recover:deleted");
  return FromRocks(directory_->Fsync(rocksdb::IOOptions(true), nullptr), "fsync " + path_);
}

// Nothing that is left is needed: a power loss took blocks whose points are in synced cells.
absl::Status Recovery::BeginAtLowMark() {
  while (!journal_.segments.empty()) {
    HOURCELL_RETURN_IF_ERROR(Delete(path_ + "/" + SegmentName(journal_.segments.back().number)));
    journal_.segments.pop_back();
  }
  journal_.next_sequence = low_mark_;
  journal_.synced_below = low_mark_;
  return absl::OkStatus();
}

absl::Status Recovery::DeleteUnneeded() {
  for (const Found& found : found_)
    HOURCELL_RETURN_IF_ERROR(Delete(found.path));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RecoveredJournal> RecoverJournal(rocksdb::FileSystem* fs,
                                                rocksdb::FSDirectory* directory,
                                                const std::string& path,
                                                uint64_t low_mark) {
  return Recovery(fs, directory, path, low_mark).Run();
}

}  // namespace hourcell
