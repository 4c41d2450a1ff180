#include "engine/journal/journal_repair.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <rocksdb/file_system.h>

#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/journal/journal_segment.h"
#include "engine/rocks/files/rocks_status.h"

// Why a segment with a bad place is replaced as a whole: after a crash in the middle of a repair,
// the next open decides in the same way. Changing the file in place would leave a state that the
// next open cannot distinguish from damage. A bad place is read three times first, because once a
// disk that returned a flipped bit once cost good blocks.

namespace hourcell {
namespace {

constexpr std::string_view kNewEnding = ".new";

// The valid parts of a segment.
struct Look {
  std::optional<SegmentHeader> header;
  uint64_t bytes = 0;
  std::vector<JournalRun> runs;

  bool has_footer() const { return !runs.empty() && runs.back().has_footer; }
  // The end of the valid bytes for a reader that reads in order.
  uint64_t good_end() const {
    return runs.empty() || !begins_in_order() ? kSegmentHeaderBytes : runs.front().end;
  }
  bool is_in_order() const { return header.has_value() && runs.size() <= 1 && begins_in_order(); }
  bool begins_in_order() const {
    return runs.empty() ||
           (header.has_value() && runs[0].begin == kSegmentHeaderBytes &&
            (runs[0].begins_with_gap || runs[0].first_sequence == header->first_sequence));
  }
  // The sequence after its last block. REQUIRES: a header or a run.
  uint64_t end_sequence() const {
    HOURCELL_DCHECK(!runs.empty() || header.has_value());
    return runs.empty() ? header->first_sequence : runs.back().end_sequence;
  }
  bool operator==(const Look&) const = default;
};

// Bytes of a segment that are not valid.
struct Stretch {
  size_t index = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Blocks that are missing, and where they should be.
struct Loss {
  std::vector<Stretch> stretches;  // at least one; it may be of no bytes
  uint64_t first = 0;
  std::optional<uint64_t> end = {};  // nullopt: nothing valid follows
  size_t pieces = 0;                 // valid pieces before the loss
};

// A header, or a run of blocks, as evidence of a sync.
struct Piece {
  uint64_t blocks = 0;
  uint64_t synced_below = 0;
  uint64_t said_by = 0;
};

// The repair of a segment.
struct Plan {
  std::string content;  // its new bytes; of one that is cut or stays, not used
  bool is_replaced = false;
  std::optional<uint64_t> cut_to = {};
};

class Repair {
 public:
  Repair(const JournalFiles& files, std::span<const FoundSegment> segments, const BadPlace& bad)
      : files_(files), fs_(*files.fs), segments_(segments), bad_(bad) {}

  absl::StatusOr<std::vector<JournalCut>> Run() {
    HOURCELL_ASSIGN_OR_RETURN(looks_, LookAtAll());
    HOURCELL_RETURN_IF_ERROR(CheckStillBad());
    FindLosses();
    HOURCELL_RETURN_IF_ERROR(Judge());
    HOURCELL_RETURN_IF_ERROR(KeepBytes());
    HOURCELL_RETURN_IF_ERROR(DeleteTail());
    for (size_t i = kept_; i > bad_.index; --i)
      HOURCELL_RETURN_IF_ERROR(RepairSegment(i - 1));
    return std::move(cuts_);
  }

 private:
  const FoundSegment& segment(size_t i) const { return segments_[i]; }
  const Look& look(size_t i) const { return looks_[i - bad_.index]; }

  absl::StatusOr<std::vector<Look>> LookAtAll() const;
  absl::StatusOr<Look> LookAt(size_t i, uint64_t next, uint64_t end) const;
  uint64_t Range() const;
  absl::Status CheckStillBad() const;
  bool IsTakenOver(size_t i) const;
  uint64_t EndOf(size_t i) const;
  void FindLosses();
  void MeetValid(uint64_t first, const Stretch& at, const Piece& piece);
  absl::Status Judge() const;
  std::string FaultOf(const Loss& loss) const;
  absl::Status KeepBytes();
  absl::Status DeleteTail();
  absl::Status RepairSegment(size_t i);
  absl::StatusOr<std::string> ContentOf(size_t i) const;
  absl::Status Replace(size_t i, std::string_view content);
  absl::Status CutFile(const std::string& path, uint64_t bytes);

  const JournalFiles& files_;
  rocksdb::FileSystem& fs_;
  const std::span<const FoundSegment> segments_;
  const BadPlace& bad_;
  std::vector<Look> looks_;  // from the bad segment on
  std::vector<Piece> pieces_;
  std::vector<Loss> losses_;
  // For FindLosses: invalid bytes since the last valid piece.
  std::vector<Stretch> open_;
  uint64_t next_ = 0;
  size_t kept_ = 0;  // segments that stay
  std::vector<JournalCut> cuts_;
};

// How far the sequences after the place can go: no further than there are bytes for blocks, but
// for what headers say, and where a header or a gap is gone they begin anywhere.
uint64_t Repair::Range() const {
  constexpr uint64_t kAnywhere = uint64_t{1} << 32;
  uint64_t range = kAnywhere;
  for (const FoundSegment& found : segments_.subspan(bad_.index)) {
    range += found.file_bytes / kBlockHeaderBytes;
    if (!found.header.ok()) range += kAnywhere;
    if (found.header.ok() && found.header->first_sequence > bad_.sequence) {
      range += found.header->first_sequence - bad_.sequence;
    }
  }
  return range;
}

absl::StatusOr<std::vector<Look>> Repair::LookAtAll() const {
  std::vector<Look> looks;
  uint64_t next = bad_.sequence;
  for (size_t i = bad_.index; i < segments_.size(); ++i) {
    uint64_t end = bad_.sequence + Range();
    for (size_t after = segments_.size() - 1; after > i; --after)
      if (segment(after).header.ok()) end = segment(after).header->first_sequence;
    // The oldest one may have blocks that are not needed.
    HOURCELL_ASSIGN_OR_RETURN(Look found, LookAt(i, i == 0 ? 1 : next, end));
    if (found.header.has_value()) next = std::max(next, found.header->first_sequence);
    if (!found.runs.empty()) next = found.runs.back().end_sequence;
    looks.push_back(std::move(found));
  }
  return looks;
}

absl::StatusOr<Look> Repair::LookAt(size_t i, uint64_t next, uint64_t end) const {
  const FoundSegment& found = segment(i);
  HOURCELL_ASSIGN_OR_RETURN(const std::string bytes,
                            ReadFileFrom(&fs_, found.path, 0, found.file_bytes));
  Look look{.header = {}, .bytes = bytes.size(), .runs = {}};
  const absl::StatusOr<SegmentHeader> header = DecodeSegmentHeader(bytes, found.number);
  if (header.ok() != found.header.ok()) {
    return absl::UnavailableError(fmt::format(
        "{}: two reads returned different bytes, valid ones once; check the disk", found.path));
  }
  if (header.ok()) {
    look.header = *header;
    next = header->first_sequence;
  }
  look.runs =
      FindJournalRuns(bytes, header.ok() ? kSegmentHeaderBytes : 0, found.number, next, end);
  return look;
}

// Bytes that differ between reads are not taken out: the blocks may all be intact.
absl::Status Repair::CheckStillBad() const {
  const Look& first = looks_.front();
  const bool is_bad = !first.header.has_value() || first.good_end() == bad_.offset;
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<Look> again, LookAtAll());
  if (is_bad && again == looks_) return absl::OkStatus();
  return absl::UnavailableError(fmt::format(
      "{} at offset {}: two reads returned different bytes, valid ones the second time; "
      "check the disk",
      segment(bad_.index).path, bad_.offset));
}

// True if the next segment takes over where the blocks of this one end: the bytes after them are a
// block that could neither be written nor cut back.
bool Repair::IsTakenOver(size_t i) const {
  if (i + 1 >= segments_.size() || !look(i + 1).header.has_value()) return false;
  const bool has_blocks = look(i).header.has_value() || !look(i).runs.empty();
  return has_blocks && look(i + 1).header->first_sequence == look(i).end_sequence();
}

// The sequence up to which the segment has to go: where the next one begins.
uint64_t Repair::EndOf(size_t i) const {
  if (i + 1 < kept_ && look(i + 1).header.has_value()) return look(i + 1).header->first_sequence;
  const bool has_blocks = look(i).header.has_value() || !look(i).runs.empty();
  return has_blocks ? look(i).end_sequence() : 0;
}

// Valid blocks from `first` on follow the open stretches.
void Repair::MeetValid(uint64_t first, const Stretch& at, const Piece& piece) {
  // Only if the oldest header is lost: the blocks begin below the needed ones.
  next_ = std::min(next_, first);
  if (!open_.empty() || first > next_) {
    if (open_.empty()) open_.push_back(at);
    losses_.push_back({.stretches = std::exchange(open_, {}),
                       .first = next_,
                       .end = first,
                       .pieces = pieces_.size()});
  }
  pieces_.push_back(piece);
}

void Repair::FindLosses() {
  next_ = bad_.sequence;
  Stretch last;  // where the segment before ends
  for (size_t i = bad_.index; i < segments_.size(); ++i) {
    const Look& found = look(i);
    uint64_t at = 0;
    if (found.header.has_value()) {
      at = kSegmentHeaderBytes;
      const uint64_t first = found.header->first_sequence;
      if (i == bad_.index) {
        next_ = first;
      } else {
        MeetValid(first, last, {.synced_below = found.header->synced_below, .said_by = first});
        next_ = first;
      }
      kept_ = i + 1;
    }
    for (const JournalRun& run : found.runs) {
      const bool has_no_header = at == 0;
      if (run.begin > at || has_no_header) {
        open_.push_back({.index = i, .begin = at, .end = run.begin});
      } else if (run.begins_with_gap) {
        next_ = run.first_sequence;  // of an earlier open
      }
      MeetValid(run.first_sequence, {.index = i, .begin = at, .end = at},
                {.blocks = run.blocks, .synced_below = run.synced_below, .said_by = run.said_by});
      next_ = run.end_sequence;
      at = run.end;
      kept_ = i + 1;
    }
    const bool has_more = at < found.bytes && !found.has_footer() && !IsTakenOver(i);
    if (has_more || at == 0) open_.push_back({.index = i, .begin = at, .end = found.bytes});
    last = {.index = i, .begin = at, .end = at};
  }
  if (open_.empty()) return;
  losses_.push_back(
      {.stretches = std::exchange(open_, {}), .first = next_, .pieces = pieces_.size()});
}

std::string Repair::FaultOf(const Loss& loss) const {
  if (&loss == &losses_.front()) {
    return std::string(bad_.fault.message().data(), bad_.fault.message().size());
  }
  const Stretch& at = loss.stretches.front();
  return fmt::format("{} at offset {}: block {} cannot be read", segment(at.index).path, at.begin,
                     loss.first);
}

absl::Status Repair::Judge() const {
  for (const Loss& loss : losses_) {
    const uint64_t needed = std::max(loss.first, files_.low_mark);
    if (loss.end.has_value() && *loss.end <= needed) continue;
    Piece after;
    for (const Piece& piece : std::span(pieces_).subspan(loss.pieces)) {
      after.blocks += piece.blocks;
      if (piece.synced_below <= after.synced_below) continue;
      after.synced_below = piece.synced_below;
      after.said_by = piece.said_by;
    }
    if (std::max(after.synced_below, files_.synced_below) <= needed) continue;
    if (files_.synced_below > after.synced_below) {
      return absl::DataLossError(
          fmt::format("{}; it was synced: {} blocks after it are readable, and {}/synced says "
                      "that all below {} are on disk",
                      FaultOf(loss), after.blocks, files_.path, files_.synced_below));
    }
    return absl::DataLossError(fmt::format(
        "{}; it was synced: {} blocks after it are readable, and that with sequence {} says that "
        "all below {} are on disk",
        FaultOf(loss), after.blocks, after.said_by, after.synced_below));
  }
  return absl::OkStatus();
}

absl::Status Repair::KeepBytes() {
  for (const Loss& loss : losses_) {
    const uint64_t first = std::max(loss.first, files_.low_mark);
    for (const Stretch& stretch : loss.stretches) {
      JournalCut cut{.segment = segment(stretch.index).number,
                     .begin = stretch.begin,
                     .end = stretch.end,
                     .first_sequence = first,
                     .end_sequence = first};
      // Each loss counts once.
      if (&stretch == &loss.stretches.front()) {
        cut.end_sequence = loss.end;
        if (loss.end.has_value()) cut.end_sequence = std::max(first, *loss.end);
      }
      HOURCELL_ASSIGN_OR_RETURN(
          const std::string bytes,
          ReadFileFrom(&fs_, segment(stretch.index).path, stretch.begin, stretch.end));
      HOURCELL_RETURN_IF_ERROR(KeepCut(&fs_, files_.path, bytes, &cut));
      cuts_.push_back(std::move(cut));
    }
  }
  return FromRocks(files_.directory->Fsync(rocksdb::IOOptions(true), nullptr),
                   "fsync " + files_.path);
}

// Durably, so that a crash among several deletions leaves no gap.
absl::Status Repair::DeleteTail() {
  kept_ = std::max(kept_, bad_.index);
  HOURCELL_DCHECK(kept_ <= segments_.size());
  for (size_t i = segments_.size(); i > kept_; --i) {
    const std::string& path = segment(i - 1).path;
    HOURCELL_RETURN_IF_ERROR(
        FromRocks(fs_.DeleteFile(path, rocksdb::IOOptions(), nullptr), "delete " + path));
    HOURCELL_KILL_POINT("recover:deleted");
    HOURCELL_RETURN_IF_ERROR(FromRocks(files_.directory->Fsync(rocksdb::IOOptions(true), nullptr),
                                       "fsync " + files_.path));
  }
  return absl::OkStatus();
}

absl::Status Repair::RepairSegment(size_t i) {
  HOURCELL_DCHECK(i >= bad_.index && i < kept_);
  const Look& found = look(i);
  if (found.is_in_order() && EndOf(i) == found.end_sequence()) {
    const bool is_whole = found.good_end() == found.bytes || found.has_footer() || IsTakenOver(i);
    return is_whole ? absl::OkStatus() : CutFile(segment(i).path, found.good_end());
  }
  HOURCELL_ASSIGN_OR_RETURN(const std::string content, ContentOf(i));
  return Replace(i, content);
}

// The segment with gaps where blocks are missing.
absl::StatusOr<std::string> Repair::ContentOf(size_t i) const {
  const Look& found = look(i);
  const FoundSegment& old = segment(i);
  HOURCELL_ASSIGN_OR_RETURN(const std::string bytes,
                            ReadFileFrom(&fs_, old.path, 0, old.file_bytes));
  SegmentHeader header{.number = old.number, .first_sequence = bad_.sequence};
  if (found.header.has_value()) header = *found.header;
  if (!found.header.has_value()) {
    for (const Loss& loss : losses_) {
      const bool is_here = std::ranges::any_of(loss.stretches, [i](const Stretch& stretch) {
        return stretch.index == i && stretch.begin == 0;
      });
      if (is_here) header.first_sequence = loss.first;
    }
  }
  std::string content;
  AppendSegmentHeader(header, &content);
  uint64_t next = header.first_sequence;
  for (const JournalRun& run : found.runs) {
    if (run.first_sequence > next && !run.begins_with_gap) {
      AppendJournalGap(old.number, run.first_sequence, 0, &content);
    }
    content.append(bytes, run.begin, run.end - run.begin);
    next = run.end_sequence;
  }
  const uint64_t follows = std::max(next, EndOf(i));
  if (follows > next) AppendJournalGap(old.number, follows, 0, &content);
  // This read may have returned other bytes than the search.
  const std::vector<JournalRun> runs =
      FindJournalRuns(content, kSegmentHeaderBytes, old.number, header.first_sequence, follows);
  const uint64_t end = runs.empty() ? kSegmentHeaderBytes : runs[0].end;
  if (runs.size() <= 1 && end == content.size()) return content;
  return absl::UnavailableError(
      fmt::format("{}: read again; got other bytes than before", old.path));
}

// Under another name first, so that a crash leaves the one or the other.
absl::Status Repair::Replace(size_t i, std::string_view content) {
  const rocksdb::IOOptions io;
  const std::string& path = segment(i).path;
  const std::string unfinished = path + std::string(kNewEnding);
  const std::string what = "write " + unfinished;
  std::unique_ptr<rocksdb::FSWritableFile> file;
  HOURCELL_RETURN_IF_ERROR(
      FromRocks(fs_.NewWritableFile(unfinished, rocksdb::FileOptions(), &file, nullptr), what));
  HOURCELL_RETURN_IF_ERROR(
      FromRocks(file->Append({content.data(), content.size()}, io, nullptr), what));
  HOURCELL_RETURN_IF_ERROR(FromRocks(file->Fsync(io, nullptr), what));
  HOURCELL_RETURN_IF_ERROR(FromRocks(file->Close(io, nullptr), what));
  HOURCELL_RETURN_IF_ERROR(
      FromRocks(fs_.RenameFile(unfinished, path, io, nullptr), "rename " + unfinished));
  HOURCELL_KILL_POINT("recover:replaced");
  return FromRocks(files_.directory->Fsync(rocksdb::IOOptions(true), nullptr),
                   "fsync " + files_.path);
}

absl::Status Repair::CutFile(const std::string& path, uint64_t bytes) {
  const std::string what = fmt::format("cut {} to {} bytes", path, bytes);
  const rocksdb::IOOptions io;
  // By a handle: the file system of the operating system cannot cut a file by its name.
  std::unique_ptr<rocksdb::FSWritableFile> file;
  HOURCELL_RETURN_IF_ERROR(
      FromRocks(fs_.ReopenWritableFile(path, rocksdb::FileOptions(), &file, nullptr), what));
  HOURCELL_RETURN_IF_ERROR(FromRocks(file->Truncate(bytes, io, nullptr), what));
  HOURCELL_KILL_POINT("recover:cut");
  HOURCELL_RETURN_IF_ERROR(FromRocks(file->Fsync(io, nullptr), what));
  return FromRocks(file->Close(io, nullptr), what);
}

}  // namespace

absl::StatusOr<std::vector<JournalCut>> RepairJournal(const JournalFiles& files,
                                                      std::span<const FoundSegment> segments,
                                                      const BadPlace& bad) {
  return Repair(files, segments, bad).Run();
}

}  // namespace hourcell
