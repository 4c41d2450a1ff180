// FsckReport: the result of a check: the size of the store, the count of each kind of fault, and
// the first few of each kind with their place. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hourcell {

enum class FsckFault : uint8_t {
  kTable,   // a table cannot be read: RocksDB's files are damaged; its other rows are not checked
  kKey,     // an invalid row key: its length, its base time, the order of its tags
  kSalt,    // a row in another salt bucket than its series has at that time
  kName,    // a UID of a row without a name
  kSeries,  // a row of a series without a number: queries by tags do not find it
  kCell,    // a cell that does not decode: offsets, flags, lengths, format
  kDamagedRow,  // a row with good operands and some that did not decode when they were merged
  kFloat,       // a float flagged as 4 bytes in 8, as old versions of OpenTSDB wrote them
  kAside,       // a cell that was set aside in the system table
  kIndex,       // numbers, tsuids and posting sets of series that do not agree
  kUid,         // names and UIDs that do not agree
  kRegion,      // regions that do not tile their table, or hide rows that are not theirs
  kAnnotation,  // an annotation or a histogram with a key or content that does not decode
  kJournal,     // a damaged journal, or a block that does not decode
  kCut,         // bytes that an open took out of the journal, until they are acknowledged
  kDeletion,    // a record of a delete or another change that can be undone, or of points that a
                // delete hides, that does not decode or fit
};
inline constexpr FsckFault kFsckFaults[] = {
    FsckFault::kTable,      FsckFault::kKey,     FsckFault::kSalt,       FsckFault::kName,
    FsckFault::kSeries,     FsckFault::kCell,    FsckFault::kDamagedRow, FsckFault::kFloat,
    FsckFault::kAside,      FsckFault::kIndex,   FsckFault::kUid,        FsckFault::kRegion,
    FsckFault::kAnnotation, FsckFault::kJournal, FsckFault::kCut,        FsckFault::kDeletion};

// "key", "damaged-row".
std::string_view FsckFaultName(FsckFault fault);

struct FsckFinding {
  FsckFault fault = FsckFault::kTable;
  std::string text = {};
};

struct FsckReport {
  uint64_t rows = 0;
  uint64_t points = 0;  // of cells that decode
  uint64_t annotations = 0;
  uint64_t histograms = 0;
  uint64_t series = 0;
  uint64_t mappings = 0;  // of names and UIDs, both directions
  uint64_t regions = 0;
  uint64_t journal_blocks = 0;
  uint64_t journal_points = 0;
  std::map<FsckFault, uint64_t> counts = {};  // those that were found
  std::vector<FsckFinding> examples = {};     // in the order of the checks
  uint64_t fixed = 0;
  uint64_t dropped = 0;  // series without remaining data
  // UIDs without a name and a series, left by a process that died while it created a name. They are
  // not faults.
  uint64_t wasted_uids = 0;

  // Counts a fault; one of the first `examples_max` of its kind is kept.
  void Add(FsckFault fault, std::string text, size_t examples_max);
  uint64_t faults() const;  // of all kinds
};

}  // namespace hourcell
