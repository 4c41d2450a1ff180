// Journal: the log of points in front of the open hours. Opaque payloads go in as numbered blocks;
// after a crash they come out again, in order: all that were acknowledged, and nothing else than
// what was written. What a payload holds is its writer's business.
//
// Blocks count up by one from 1, over all openings. A store in a directory has its journal in files
// (file_journal.h); a store on Cloud Bigtable has it in a table (engine/bigtable).
//
// Threads: one Write at a time, and no Write while Replay runs, unless the journal allows it; Sync,
// DeleteBelow and the counters from any thread beside it.

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

// The blocks of a journal from a low mark on stay as long as the pin lives, which must not be
// longer than the journal.
class JournalPin {
 public:
  // What is in front of `bytes` of it never changes.
  struct File {
    std::string name;  // in the journal's directory
    std::string path;
    uint64_t bytes = 0;  // header and valid blocks
  };

  virtual ~JournalPin() = default;
  JournalPin(const JournalPin&) = delete;
  JournalPin& operator=(const JournalPin&) = delete;

  // Oldest first; none, where the journal is no files.
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
  // caller's thread. `from` 0 = the oldest there is. What is written meanwhile is not visited.
  // kDataLoss: damage, or `from` is older than the oldest. An error of `visit` ends it and is
  // returned. REQUIRES: no DeleteBelow meanwhile, or a pin.
  virtual absl::Status Replay(uint64_t from, const Visit& visit) const = 0;

  // Appends one block: the parts, one after the other. When it returns OK, kill -9 cannot undo it.
  // REQUIRES: one call at a time.
  // kUnavailable: the same Write may be tried again, with the same bytes. kFailedPrecondition: no
  // write is taken any more, see failure(). kInvalidArgument: the block is too large.
  virtual absl::Status Write(std::span<const std::string_view> payload_parts) = 0;

  // Makes all that was written before the call survive a power loss. Thread-safe.
  virtual absl::Status Sync() = 0;

  // Deletes blocks that are below `low_mark`, oldest first, as far as the journal can delete them.
  // While blocks are pinned it deletes none. Thread-safe. kUnavailable: try again.
  virtual absl::Status DeleteBelow(uint64_t low_mark) = 0;

  // Holds the blocks from `low_mark` on, as they are now. Thread-safe.
  virtual std::unique_ptr<JournalPin> Pin(uint64_t low_mark) = 0;

  // The least low mark with which DeleteBelow deletes block `sequence` and all before it; of a
  // block that it cannot delete yet, those before that one. 0: DeleteBelow deletes nothing now.
  // Thread-safe.
  virtual uint64_t LowMarkThatDeletes(uint64_t sequence) const = 0;

  // The good end. Write and Sync are refused from then on. REQUIRES: no Write meanwhile.
  virtual absl::Status Close() = 0;

  // What was taken out when it was opened, because it did not check.
  virtual const std::vector<JournalCut>& cuts() const {
    static const std::vector<JournalCut> none;
    return none;
  }
  // What that or openings before it took out and nobody has acknowledged.
  virtual absl::StatusOr<std::vector<JournalCut>> UnseenCuts() const {
    return std::vector<JournalCut>();
  }
  // How many those are, without a look at the storage.
  virtual size_t unseen_cuts() const { return 0; }
  // Acknowledges these.
  virtual absl::Status Acknowledge(const std::vector<JournalCut>& /*cuts*/) {
    return absl::OkStatus();
  }

  // Why it takes no more writes until it is opened again; OK if it does.
  virtual absl::Status failure() const = 0;

  // What its storage has left for this user; nothing if it does not say. Thread-safe.
  virtual std::optional<uint64_t> DiskFreeBytes() const { return std::nullopt; }
  // Whether blocks are missing in the middle, so that later ones may name series that only a
  // missing one defines.
  virtual bool has_gap() const { return false; }

  // What is written goes into several blocks where one would have more bytes, as far as it can be
  // divided.
  virtual size_t block_bytes() const = 0;
  // The sequence of the block that the next Write makes.
  virtual uint64_t next_sequence() const = 0;
  // All blocks below it are synced.
  virtual uint64_t synced_sequence() const = 0;
  // The oldest block that is there; next_sequence() if there is none.
  virtual uint64_t oldest_sequence() const = 0;
  virtual uint64_t bytes() const = 0;  // of all blocks
  // Pieces in which blocks are deleted.
  virtual uint64_t segments() const = 0;

 protected:
  Journal() = default;
};

}  // namespace hourcell
