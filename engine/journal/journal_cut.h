// What an open took out of the journal because it was damaged or torn: kept beside the segments, a
// file for each stretch of bytes, until an operator has seen it.
//
//   journal/<segment>.log.<begin>-<end>.<first>-<next>.cut
//
// The bytes [begin, end) of that segment. Blocks `first` up to before `next` are lost; `next` is
// missing where nothing readable follows and so nobody knows how many there were. first = next:
// none is lost, for the low mark says that the points are in the tables, or because another file
// counts them. "~2" and so on before ".cut" tells apart files that would have the same name.
//
// An operator acknowledges a cut: appends ".seen" to the file's name, or moves the file elsewhere.
// A process may have the store open meanwhile.

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
  // At least so many: 1 where it is not known.
  uint64_t blocks() const { return end_sequence.has_value() ? *end_sequence - first_sequence : 1; }
  bool operator==(const JournalCut&) const = default;
};

// "....log.71-140.5-7.cut"; `copy` > 1 tells it apart.
std::string CutName(const JournalCut& cut, int copy = 1);
// nullopt for the name of something else, or of a cut that was acknowledged.
std::optional<JournalCut> CutOf(std::string_view name);

// "segment 00...02.log: removed bytes 71 to 140, which are damaged; blocks 5 to 6 are lost; ...".
std::string CutText(const JournalCut& cut);

// Counts them in journal.cut_blocks and journal.cut_bytes, and warns of each if `warn` is set.
void TellCuts(const std::vector<JournalCut>& cuts,
              Stats* stats,
              const std::function<void(std::string_view message)>& warn);

// Keeps `bytes` as that cut, durably but for its name, and sets its file. Does nothing if they are
// kept already.
absl::Status KeepCut(rocksdb::FileSystem* fs,
                     const std::string& directory,
                     std::string_view bytes,
                     JournalCut* cut);

// Those that nobody has acknowledged, by name.
absl::StatusOr<std::vector<JournalCut>> ListCuts(rocksdb::FileSystem* fs,
                                                 const std::string& directory);

// Acknowledges these.
absl::Status AcknowledgeCuts(rocksdb::FileSystem* fs,
                             const std::string& directory,
                             const std::vector<JournalCut>& cuts);

}  // namespace hourcell
