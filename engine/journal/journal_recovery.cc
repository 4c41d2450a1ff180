#include "engine/journal/journal_recovery.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <rocksdb/file_system.h>

#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/journal/journal_block.h"
#include "engine/journal/journal_repair.h"
#include "engine/journal/journal_replay.h"
#include "engine/journal/journal_segment.h"
#include "engine/journal/journal_synced.h"
#include "engine/rocks/files/rocks_status.h"

// Why an open does not stop at the first bad block: only a power loss tears the end, and kill -9
// does not. So the open searches for valid blocks after a bad one, and continues only if none of
// the missing blocks was synced (docs/damage.md). Once a read that returned fewer bytes than the
// file has was taken for the end of the segment, and acknowledged blocks were cut off. Now a bad
// place is read again before the open decides.

namespace hourcell {
namespace {

class Recovery {
 public:
  Recovery(rocksdb::FileSystem* fs,
           rocksdb::FSDirectory* directory,
           std::string path,
           uint64_t low_mark)
      : fs_(fs), directory_(directory), path_(std::move(path)), low_mark_(low_mark) {}

  absl::StatusOr<RecoveredJournal> Run() {
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t synced_below, ReadSyncedNote(fs_, path_));
    HOURCELL_ASSIGN_OR_RETURN(std::optional<BadPlace> bad, Read());
    if (!bad.has_value()) HOURCELL_RETURN_IF_ERROR(CheckEnd(synced_below));
    if (bad.has_value()) {
      const JournalFiles files{fs_, directory_, path_, low_mark_, synced_below};
      HOURCELL_ASSIGN_OR_RETURN(journal_.cuts, RepairJournal(files, needed_, *bad));
      HOURCELL_ASSIGN_OR_RETURN(bad, Read());
      // The repaired bytes read back differently.
      if (bad.has_value()) return bad->fault;
      HOURCELL_RETURN_IF_ERROR(CheckEnd(synced_below));
    }
    if (low_mark_ > journal_.next_sequence) HOURCELL_RETURN_IF_ERROR(BeginAtLowMark());
    HOURCELL_RETURN_IF_ERROR(DeleteUnneeded());
    // Without segments, no block needs a sync.
    if (journal_.segments.empty()) journal_.synced_below = journal_.next_sequence;
    journal_.synced_below = std::min(journal_.synced_below, journal_.next_sequence);
    return std::move(journal_);
  }

  absl::StatusOr<RecoveredJournal> RunToRead() {
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t synced_below, ReadSyncedNote(fs_, path_));
    HOURCELL_ASSIGN_OR_RETURN(const std::optional<BadPlace> bad, Read());
    if (bad.has_value()) {
      return absl::DataLossError(fmt::format(
          "{}; a store that is only read is not repaired: open it once where it can be written",
          MessageOf(bad->fault)));
    }
    HOURCELL_RETURN_IF_ERROR(CheckEnd(synced_below));
    if (low_mark_ > journal_.next_sequence) {
      journal_.segments.clear();
      journal_.next_sequence = low_mark_;
    }
    return std::move(journal_);
  }

 private:
  absl::StatusOr<std::optional<BadPlace>> Read();
  absl::Status FindSegments();
  size_t CountUnneeded() const;
  absl::Status CheckNumbers() const;
  absl::StatusOr<std::optional<BadPlace>> ReadSegments();
  absl::StatusOr<bool> ReadSegment(size_t i, BadPlace* bad);
  absl::Status CheckEnd(uint64_t synced_below) const;
  absl::Status Delete(const std::string& path);
  absl::Status BeginAtLowMark();
  absl::Status DeleteUnneeded();

  rocksdb::FileSystem* const fs_;
  rocksdb::FSDirectory* const directory_;
  const std::string path_;
  const uint64_t low_mark_;
  std::vector<FoundSegment> found_;   // then: those that are not needed
  std::vector<FoundSegment> needed_;  // the others
  RecoveredJournal journal_;
};

// Reads all that is needed, up to the first bad place, if there is one.
absl::StatusOr<std::optional<BadPlace>> Recovery::Read() {
  found_.clear();
  std::vector<JournalCut> cuts = std::move(journal_.cuts);
  journal_ = RecoveredJournal{};
  journal_.cuts = std::move(cuts);
  HOURCELL_RETURN_IF_ERROR(FindSegments());
  const auto begin = found_.begin() + static_cast<std::ptrdiff_t>(CountUnneeded());
  needed_.assign(std::make_move_iterator(begin), std::make_move_iterator(found_.end()));
  found_.erase(begin, found_.end());
  HOURCELL_RETURN_IF_ERROR(CheckNumbers());
  return ReadSegments();
}

absl::Status Recovery::FindSegments() {
  std::vector<std::string> names;
  HOURCELL_RETURN_IF_ERROR(
      FromRocks(fs_->GetChildren(path_, rocksdb::IOOptions(), &names, nullptr), "list " + path_));
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const std::optional<uint64_t> number = SegmentNumberOf(name);
    if (!number.has_value()) continue;
    FoundSegment found{*number, path_ + "/" + name, 0, absl::UnknownError("")};
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

// The number of segments before the last one that begins at or below the low mark.
size_t Recovery::CountUnneeded() const {
  size_t count = 0;
  for (size_t i = 0; i < found_.size(); ++i) {
    if (found_[i].header.ok() && found_[i].header->first_sequence <= low_mark_) count = i;
  }
  return count;
}

absl::Status Recovery::CheckNumbers() const {
  for (size_t i = 1; i < needed_.size(); ++i) {
    if (needed_[i].number != needed_[i - 1].number + 1) {
      return absl::DataLossError(fmt::format(
          "{}/{} is missing; there are {} and {}", path_, SegmentName(needed_[i - 1].number + 1),
          SegmentName(needed_[i - 1].number), SegmentName(needed_[i].number)));
    }
  }
  uint64_t first = 0;
  for (const FoundSegment& found : needed_) {
    if (!found.header.ok()) continue;
    if (found.header->first_sequence < first) {
      return absl::DataLossError(fmt::format(
          "{} begins at block {}; expected {} or above, where one in front of it begins",
          found.path, found.header->first_sequence, first));
    }
    first = found.header->first_sequence;
  }
  if (needed_.empty() || !needed_[0].header.ok()) return absl::OkStatus();
  const uint64_t oldest = needed_[0].header->first_sequence;
  if (low_mark_ == 0 || oldest <= low_mark_) return absl::OkStatus();
  return absl::DataLossError(
      fmt::format("{} begins at block {}; expected one that begins at {} or below, the low mark: "
                  "segments in front of it are missing",
                  needed_[0].path, oldest, low_mark_));
}

absl::StatusOr<std::optional<BadPlace>> Recovery::ReadSegments() {
  if (needed_.empty()) return std::nullopt;
  journal_.next_sequence =
      needed_[0].header.ok() ? needed_[0].header->first_sequence : std::max<uint64_t>(low_mark_, 1);
  for (size_t i = 0; i < needed_.size(); ++i) {
    BadPlace bad;
    HOURCELL_ASSIGN_OR_RETURN(const bool is_good, ReadSegment(i, &bad));
    if (!is_good) return bad;
  }
  return std::nullopt;
}

// Reads needed_[i], which should begin at next_sequence, and adds it to the journal. False: it is
// not whole, *bad says where.
absl::StatusOr<bool> Recovery::ReadSegment(size_t i, BadPlace* bad) {
  const FoundSegment& found = needed_[i];
  *bad = {i, 0, journal_.next_sequence, found.header.status()};
  if (!found.header.ok()) return false;
  if (found.header->first_sequence != journal_.next_sequence) {
    bad->fault = absl::DataLossError(fmt::format("{} at offset 0: begins at block {}; expected {}",
                                                 found.path, found.header->first_sequence,
                                                 journal_.next_sequence));
    return false;
  }
  SegmentReader::Range range{.path = found.path, .number = found.number, .bytes = found.file_bytes};
  const bool is_followed = i + 1 < needed_.size() && needed_[i + 1].header.ok();
  if (is_followed) range.end_sequence = needed_[i + 1].header->first_sequence;
  HOURCELL_ASSIGN_OR_RETURN(const auto reader, SegmentReader::Open(fs_, range));
  BlockBatch batch;
  bool has_more = true;
  while (has_more) {
    HOURCELL_ASSIGN_OR_RETURN(has_more, reader->Next(&batch));
  }
  journal_.next_sequence = reader->next_sequence();
  journal_.synced_below = std::max(journal_.synced_below, reader->synced_below());
  journal_.has_gap = journal_.has_gap || reader->has_gap();
  HOURCELL_DCHECK(journal_.segments.size() == i);
  HOURCELL_DCHECK(i == 0 || journal_.segments.back().number < found.number);
  journal_.segments.push_back({found.number, found.header->first_sequence, reader->offset()});
  *bad = {i, reader->offset(), reader->next_sequence(), reader->fault()};
  if (!reader->fault().ok()) return false;
  if (!is_followed || reader->next_sequence() == range.end_sequence) return true;
  bad->fault = absl::DataLossError(fmt::format("{} at offset {}: ends before block {}; {} has {}",
                                               found.path, bad->offset, bad->sequence,
                                               needed_[i + 1].path, range.end_sequence));
  return false;
}

// Whole segments, or whole blocks of the last one, may be gone from the end.
absl::Status Recovery::CheckEnd(uint64_t synced_below) const {
  const uint64_t end = std::max(journal_.next_sequence, low_mark_);
  if (synced_below <= end) return absl::OkStatus();
  return absl::DataLossError(
      fmt::format("{} ends before block {}; expected all blocks below {}, which {}/synced says are "
                  "on disk: segments at its end are missing, or cut",
                  path_, journal_.next_sequence, synced_below, path_));
}

// Durably, so that a crash among several deletions leaves no gap.
absl::Status Recovery::Delete(const std::string& path) {
  HOURCELL_RETURN_IF_ERROR(
      FromRocks(fs_->DeleteFile(path, rocksdb::IOOptions(), nullptr), "delete " + path));
  HOURCELL_KILL_POINT("recover:deleted");
  return FromRocks(directory_->Fsync(rocksdb::IOOptions(true), nullptr), "fsync " + path_);
}

// All blocks left are unneeded: a power loss took blocks with points in synced cells.
absl::Status Recovery::BeginAtLowMark() {
  HOURCELL_DCHECK(low_mark_ > journal_.next_sequence);
  while (!journal_.segments.empty()) {
    HOURCELL_RETURN_IF_ERROR(Delete(path_ + "/" + SegmentName(journal_.segments.back().number)));
    journal_.segments.pop_back();
  }
  journal_.next_sequence = low_mark_;
  journal_.synced_below = low_mark_;
  return absl::OkStatus();
}

absl::Status Recovery::DeleteUnneeded() {
  for (const FoundSegment& found : found_)
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

absl::StatusOr<uint64_t> VisitJournal(
    rocksdb::FileSystem* fs,
    const std::string& path,
    uint64_t low_mark,
    const std::function<absl::Status(uint64_t sequence, std::string_view payload)>& visit) {
  if (fs == nullptr) fs = rocksdb::FileSystem::Default().get();
  if (fs->FileExists(path, rocksdb::IOOptions(), nullptr).IsNotFound()) {
    return absl::DataLossError(fmt::format("journal directory {} is missing", path));
  }
  HOURCELL_ASSIGN_OR_RETURN(const RecoveredJournal journal,
                            Recovery(fs, /*directory=*/nullptr, path, low_mark).RunToRead());
  const std::vector<RecoveredSegment>& segments = journal.segments;
  std::vector<SegmentReader::Range> ranges;
  for (size_t i = 0; i < segments.size(); ++i) {
    const uint64_t end =
        i + 1 < segments.size() ? segments[i + 1].first_sequence : journal.next_sequence;
    if (end <= low_mark) continue;
    ranges.push_back(
        {path + "/" + SegmentName(segments[i].number), segments[i].number, segments[i].bytes, end});
  }
  HOURCELL_RETURN_IF_ERROR(ReplaySegments(fs, ranges, low_mark, visit));
  return journal.next_sequence;
}

}  // namespace hourcell
