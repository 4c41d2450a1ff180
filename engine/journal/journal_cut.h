// JournalCut: damaged or torn bytes that an open took out of the journal. They are kept in the
// journal's directory, a file for each stretch of bytes, until an operator has seen them.
//
//   journal/<segment>.log.<begin>-<end>.<first>-<next>.cut
//
// The bytes [begin, end) of that segment. Blocks `first` to before `next` are lost; `next` is
// absent if no readable block follows and so the number of lost blocks is unknown. first = next: no
// block is lost, because the points are in the tables by the low mark, or because another file
// counts the blocks. "~2" and so on before ".cut" distinguish equal names.
//
// An operator marks a cut as seen: appends ".seen" to the file's name, or moves the file elsewhere,
// even while a process has the store open.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/stats.h"

namespace rocksdb {
class FileSystem;
class FSDirectory;
}  // namespace rocksdb

namespace hourcell {

struct JournalCut {
  uint64_t segment = 0;
  uint64_t begin = 0;  // of the segment's bytes
  uint64_t end = 0;
  uint64_t first_sequence = 0;                // lost from here on
  std::optional<uint64_t> end_sequence = {};  // up to before this one; nullopt: not known
  std::string file = {};                      // the name it is kept under

  uint64_t bytes() const { return end - begin; }
  // A lower bound: 1 if unknown.
  uint64_t blocks() const { return end_sequence.has_value() ? *end_sequence - first_sequence : 1; }
  bool operator==(const JournalCut&) const = default;
};

// "....log.71-140.5-7.cut"; `copy` > 1 makes the name unique.
std::string CutName(const JournalCut& cut, int copy = 1);
// nullopt for other names, and for seen cuts.
std::optional<JournalCut> CutOf(std::string_view name);

// "segment 00...02.log: removed bytes 71 to 140, which are damaged; blocks 5 to 6 are lost; ...".
std::string CutText(const JournalCut& cut);

// Counts cuts in journal.cut_blocks and journal.cut_bytes, and warns of each if `warn` is set.
void TellCuts(const std::vector<JournalCut>& cuts,
              Stats* stats,
              const std::function<void(std::string_view message)>& warn);

// Writes `bytes` to the file of that cut, durable except for its name, and sets cut->file. Does
// nothing if the file exists.
absl::Status KeepCut(rocksdb::FileSystem* fs,
                     const std::string& directory,
                     std::string_view bytes,
                     JournalCut* cut);

// Cuts that are not marked as seen, by name. `fs` null: the operating system's.
absl::StatusOr<std::vector<JournalCut>> ListCuts(rocksdb::FileSystem* fs,
                                                 const std::string& directory);

// Marks these cuts as seen.
absl::Status MarkCutFilesSeen(rocksdb::FileSystem* fs,
                              const std::string& directory,
                              const std::vector<JournalCut>& cuts);

}  // namespace hourcell
