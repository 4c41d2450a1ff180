#include "engine/journal/journal_cut.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <rocksdb/file_system.h>

#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/journal/journal_segment.h"
#include "engine/rocks/files/rocks_status.h"

// Why bytes that are taken out are kept as files, and not only counted: once, the end of a killed
// store's journal was silently cut at the first bad block, and a flipped bit removed all points
// after it, although kill -9 does not tear blocks. Operators can now inspect a cut, and every open
// reports it until an operator marks it as seen. The file's name has all data of the cut, so it
// cannot contradict a second file.

namespace hourcell {
namespace {

constexpr std::string_view kCutEnding = ".cut";
constexpr std::string_view kSeenEnding = ".seen";
constexpr std::string_view kUnfinishedEnding = ".tmp";
// Further cuts with an equal name replace the last one.
constexpr int kCopiesMax = 100;

bool TakeNumber(std::string_view* text, uint64_t* number) {
  const char* const end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, *number);
  if (error != std::errc()) return false;
  text->remove_prefix(static_cast<size_t>(rest - text->data()));
  return true;
}

bool Take(std::string_view* text, std::string_view what) {
  if (!text->starts_with(what)) return false;
  text->remove_prefix(what.size());
  return true;
}

absl::Status WriteWhole(rocksdb::FileSystem* fs, const std::string& path, std::string_view bytes) {
  const rocksdb::IOOptions io;
  const std::string what = "write " + path;
  std::unique_ptr<rocksdb::FSWritableFile> file;
  HOURCELL_RETURN_IF_ERROR(
      FromRocks(fs->NewWritableFile(path, rocksdb::FileOptions(), &file, nullptr), what));
  HOURCELL_RETURN_IF_ERROR(
      FromRocks(file->Append({bytes.data(), bytes.size()}, io, nullptr), what));
  HOURCELL_RETURN_IF_ERROR(FromRocks(file->Fsync(io, nullptr), what));
  return FromRocks(file->Close(io, nullptr), what);
}

absl::StatusOr<bool> Holds(rocksdb::FileSystem* fs,
                           const std::string& path,
                           std::string_view bytes) {
  uint64_t size = 0;
  HOURCELL_RETURN_IF_ERROR(
      FromRocks(fs->GetFileSize(path, rocksdb::IOOptions(), &size, nullptr), "size of " + path));
  if (size != bytes.size()) return false;
  HOURCELL_ASSIGN_OR_RETURN(const std::string content, ReadFileFrom(fs, path, 0, size));
  return content == bytes;
}

}  // namespace

std::string CutName(const JournalCut& cut, int copy) {
  return fmt::format("{}.{}-{}.{}-{}{}{}", SegmentName(cut.segment), cut.begin, cut.end,
                     cut.first_sequence,
                     cut.end_sequence.has_value() ? std::to_string(*cut.end_sequence) : "",
                     copy > 1 ? fmt::format("~{}", copy) : "", kCutEnding);
}

std::optional<JournalCut> CutOf(std::string_view name) {
  const size_t segment_bytes = SegmentName(0).size();
  if (name.size() < segment_bytes) return std::nullopt;
  const std::optional<uint64_t> segment = SegmentNumberOf(name.substr(0, segment_bytes));
  if (!segment.has_value()) return std::nullopt;
  JournalCut cut{.segment = *segment, .file = std::string(name)};
  std::string_view rest = name.substr(segment_bytes);
  const bool is_range = Take(&rest, ".") && TakeNumber(&rest, &cut.begin) && Take(&rest, "-") &&
                        TakeNumber(&rest, &cut.end) && Take(&rest, ".") &&
                        TakeNumber(&rest, &cut.first_sequence) && Take(&rest, "-");
  if (!is_range || cut.end < cut.begin) return std::nullopt;
  if (uint64_t end = 0; TakeNumber(&rest, &end)) {
    if (end < cut.first_sequence) return std::nullopt;
    cut.end_sequence = end;
  }
  uint64_t copy = 0;
  if (Take(&rest, "~") && !TakeNumber(&rest, &copy)) return std::nullopt;
  if (rest != kCutEnding) return std::nullopt;
  return cut;
}

std::string CutText(const JournalCut& cut) {
  std::string lost;
  if (!cut.end_sequence.has_value()) {
    lost = fmt::format("all blocks from {} on are lost", cut.first_sequence);
  } else if (*cut.end_sequence == cut.first_sequence) {
    lost = "no needed block is lost";
  } else {
    lost = fmt::format("blocks {} to {} are lost", cut.first_sequence, *cut.end_sequence - 1);
  }
  return fmt::format("{}: removed bytes {} to {}, which are damaged; {}; the bytes are kept in {}",
                     SegmentName(cut.segment), cut.begin, cut.end, lost, cut.file);
}

void TellCuts(const std::vector<JournalCut>& cuts,
              Stats* stats,
              const std::function<void(std::string_view message)>& warn) {
  Counter* const blocks = stats->counter("journal.cut_blocks");
  Counter* const bytes = stats->counter("journal.cut_bytes");
  for (const JournalCut& cut : cuts) {
    blocks->Add(cut.blocks());
    bytes->Add(cut.bytes());
    if (warn) warn("journal: " + CutText(cut));
  }
}

absl::Status KeepCut(rocksdb::FileSystem* fs,
                     const std::string& directory,
                     std::string_view bytes,
                     JournalCut* cut) {
  HOURCELL_DCHECK(cut->begin <= cut->end);
  const rocksdb::IOOptions io;
  for (int copy = 1; copy <= kCopiesMax; ++copy) {
    cut->file = CutName(*cut, copy);
    const std::string path = directory + "/" + cut->file;
    const rocksdb::IOStatus exists = fs->FileExists(path, io, nullptr);
    if (exists.IsNotFound()) break;
    HOURCELL_RETURN_IF_ERROR(FromRocks(exists, "look for " + path));
    HOURCELL_ASSIGN_OR_RETURN(const bool is_kept, Holds(fs, path, bytes));
    if (is_kept) return absl::OkStatus();
  }
  const std::string path = directory + "/" + cut->file;
  const std::string unfinished = path + std::string(kUnfinishedEnding);
  HOURCELL_RETURN_IF_ERROR(WriteWhole(fs, unfinished, bytes));
  HOURCELL_KILL_POINT("recover:kept");
  return FromRocks(fs->RenameFile(unfinished, path, io, nullptr), "rename " + unfinished);
}

absl::StatusOr<std::vector<JournalCut>> ListCuts(rocksdb::FileSystem* fs,
                                                 const std::string& directory) {
  if (fs == nullptr) fs = rocksdb::FileSystem::Default().get();
  std::vector<std::string> names;
  HOURCELL_RETURN_IF_ERROR(FromRocks(
      fs->GetChildren(directory, rocksdb::IOOptions(), &names, nullptr), "list " + directory));
  std::sort(names.begin(), names.end());
  std::vector<JournalCut> cuts;
  for (const std::string& name : names) {
    if (std::optional<JournalCut> cut = CutOf(name)) cuts.push_back(*std::move(cut));
  }
  return cuts;
}

absl::Status MarkCutFilesSeen(rocksdb::FileSystem* fs,
                              const std::string& directory,
                              const std::vector<JournalCut>& cuts) {
  for (const JournalCut& cut : cuts) {
    const std::string path = directory + "/" + cut.file;
    HOURCELL_RETURN_IF_ERROR(FromRocks(
        fs->RenameFile(path, path + std::string(kSeenEnding), rocksdb::IOOptions(), nullptr),
        "rename " + path));
  }
  return absl::OkStatus();
}

}  // namespace hourcell
