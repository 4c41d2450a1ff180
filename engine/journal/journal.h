// Journal: the log of points that are not in cells yet. It stores opaque payloads as numbered
// blocks, and returns them in order after a crash: every acknowledged block, and no block that was
// not written.
//
// Block numbers count up by one from 1, across openings. A store in a directory has its journal in
// files (file_journal.h); a store on Cloud Bigtable has it in a table (engine/bigtable).
//
// Threads: one Write at a time, and no Write during Replay, unless the journal allows it; Sync,
// DeleteBelow and the counters from any thread at any time.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/journal/journal_cut.h"

namespace hourcell {

// Keeps the blocks of a journal from a low mark on as long as the pin lives. The journal must
// outlive it.
class JournalPin {
 public:
  // The first `bytes` of the file never change.
  struct File {
    std::string name;  // in the journal's directory
    std::string path;
    uint64_t bytes = 0;  // header and valid blocks
  };

  virtual ~JournalPin() = default;
  JournalPin(const JournalPin&) = delete;
  JournalPin& operator=(const JournalPin&) = delete;

  // Oldest first; empty if the journal has no files.
  const std::vector<File>& files() const { return files_; }
  // The first block that is not pinned.
  uint64_t next_sequence() const { return next_sequence_; }

 protected:
  JournalPin() = default;

  std::vector<File> files_;
  uint64_t next_sequence_ = 0;
};

class Journal {
 public:
  // Called with each block's sequence and payload; the payload lives as long as the call.
  using Visit = std::function<absl::Status(uint64_t sequence, std::string_view payload)>;

  virtual ~Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Calls visit(sequence, payload) for every block with sequence >= `from`, in order, on the
  // caller's thread. `from` 0 = the oldest block. Blocks written meanwhile are not visited.
  // kDataLoss: damage, or `from` is older than the oldest block. An error of `visit` ends the
  // replay and is returned. REQUIRES: no DeleteBelow meanwhile, or a pin.
  virtual absl::Status Replay(uint64_t from, const Visit& visit) const = 0;

  // Appends one block, the concatenation of the parts. On OK, kill -9 cannot undo it.
  // REQUIRES: one call at a time.
  // kUnavailable: retry the same Write, with the same bytes. kFailedPrecondition: the journal
  // refuses writes, see failure(). kInvalidArgument: the block is too large.
  virtual absl::Status Write(std::span<const std::string_view> payload_parts) = 0;

  // Makes all earlier writes survive a power loss. Thread-safe.
  virtual absl::Status Sync() = 0;

  // Deletes blocks below `low_mark`, oldest first, as far as the journal can delete them. Deletes
  // nothing while blocks are pinned. Thread-safe. kUnavailable: retry.
  virtual absl::Status DeleteBelow(uint64_t low_mark) = 0;

  // Pins the current blocks from `low_mark` on. Thread-safe.
  virtual std::unique_ptr<JournalPin> Pin(uint64_t low_mark) = 0;

  // The least low mark with which DeleteBelow deletes block `sequence` and all earlier ones; if it
  // cannot delete that block yet, the earlier ones. 0: DeleteBelow deletes nothing now.
  // Thread-safe.
  virtual uint64_t LowMarkThatDeletes(uint64_t sequence) const = 0;

  // Ends the journal in good order. Later calls of Write and Sync are refused. REQUIRES: no Write
  // meanwhile.
  virtual absl::Status Close() = 0;

  // The bytes that the open took out because they were invalid.
  virtual const std::vector<JournalCut>& cuts() const {
    static const std::vector<JournalCut> none;
    return none;
  }
  // Cuts of this and earlier openings.
  virtual absl::StatusOr<std::vector<JournalCut>> UnseenCuts() const {
    return std::vector<JournalCut>();
  }
  // The number of unseen cuts, without a read of the storage.
  virtual size_t unseen_cuts() const { return 0; }
  // Marks these cuts as seen, durably: UnseenCuts no longer returns them.
  virtual absl::Status MarkCutsSeen(const std::vector<JournalCut>& /*cuts*/) {
    return absl::OkStatus();
  }

  // Why writes are refused until the journal is opened again; else OK.
  virtual absl::Status failure() const = 0;

  // Free bytes of the storage for this user; nullopt if unknown. Thread-safe.
  virtual std::optional<uint64_t> DiskFreeBytes() const { return std::nullopt; }
  // Whether blocks are missing in the middle, so that later ones may name series that only a
  // missing one defines.
  virtual bool has_gap() const { return false; }

  // Size limit of a block: a larger write is divided into several blocks, where it can be divided.
  virtual size_t block_bytes() const = 0;
  // The sequence of the block that the next Write makes.
  virtual uint64_t next_sequence() const = 0;
  // All blocks below it are synced.
  virtual uint64_t synced_sequence() const = 0;
  // The oldest block; next_sequence() if the journal is empty.
  virtual uint64_t oldest_sequence() const = 0;
  virtual uint64_t bytes() const = 0;  // of all blocks
  // Units in which blocks are deleted.
  virtual uint64_t segments() const = 0;

 protected:
  Journal() = default;
};

}  // namespace hourcell
