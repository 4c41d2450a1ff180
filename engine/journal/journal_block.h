// The bytes of a journal segment. Pure functions; see engine/journal/journal.h for the journal.
//
// Integers are unsigned and big-endian. A segment is a header and blocks without a gap between
// them; a footer ends it if the journal was closed in good order.
//
//   header, 40 bytes                         block, 24 bytes and the payload
//   0   8  magic "HCJOURN\n"                 0   4  CRC32C, see below
//   8   4  CRC32C, see below                 4   4  bytes of the payload; ffffffff: footer,
//                                                  fffffffe: gap
//   12  4  format version, 1                 8   8  sequence
//   16  8  number of the segment             16  8  synced below
//   24  8  first sequence                    24     payload
//   32  8  synced below
//
// CRC32C covers the 8 bytes of the segment's number, which a block does not store, and everything
// after the CRC. So a file under a wrong name, or old disk blocks of another segment, fail the
// check.
//
// sequence: of a block, one more than the block before it; of a footer, the number of the block
// that would have followed; of a gap, the number of the block that follows. A gap has an empty
// payload. It replaces blocks that an open found damaged: the blocks before its sequence are lost.
//
// first sequence: the number of the segment's first block. Blocks of an earlier segment with this
// number or a higher one do not count: this segment takes over there, because the writer could not
// cut back a block that it failed to write.
//
// synced below: all blocks with a lower sequence were synced when this was written. It
// distinguishes damage from a torn tail: a missing block that was synced is damage.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace hourcell {

inline constexpr size_t kSegmentHeaderBytes = 40;
inline constexpr size_t kBlockHeaderBytes = 24;
inline constexpr size_t kBlockPayloadBytesMax = 256 << 20;

struct SegmentHeader {
  uint64_t number = 0;
  uint64_t first_sequence = 0;
  uint64_t synced_below = 0;

  bool operator==(const SegmentHeader&) const = default;
};

// A block, a footer or a gap in the bytes it was read from.
struct JournalBlock {
  uint64_t sequence = 0;
  uint64_t synced_below = 0;
  std::string_view payload;
  bool is_footer = false;
  bool is_gap = false;

  // Its bytes in the file.
  size_t size() const { return kBlockHeaderBytes + payload.size(); }
};

// Appends the header.
void AppendSegmentHeader(const SegmentHeader& header, std::string* out);

// Decodes the header at the start of `bytes`, for segment `number`. kDataLoss: the header is
// invalid, the message has the reason; kFailedPrecondition: the header is valid, but of a newer
// format.
absl::StatusOr<SegmentHeader> DecodeSegmentHeader(std::string_view bytes, uint64_t number);

// Appends a block of the parts, one after the other. REQUIRES: at most kBlockPayloadBytesMax bytes
// together.
void AppendJournalBlock(uint64_t segment,
                        uint64_t sequence,
                        uint64_t synced_below,
                        std::span<const std::string_view> payload_parts,
                        std::string* out);

// Appends the footer of a segment with all blocks synced; `next_sequence` as above.
void AppendJournalFooter(uint64_t segment, uint64_t next_sequence, std::string* out);

// Appends a gap: the block that follows has `next_sequence`.
void AppendJournalGap(uint64_t segment,
                      uint64_t next_sequence,
                      uint64_t synced_below,
                      std::string* out);

// The size of the block at the start of `bytes`, by its header; nullopt if it is above the limit.
// REQUIRES: bytes has at least kBlockHeaderBytes bytes.
std::optional<size_t> JournalBlockBytes(std::string_view bytes);

// Decodes the block at the start of `bytes`, with the expected sequence; a gap has a higher one.
// kDataLoss: the block is invalid; the message has the reason.
absl::StatusOr<JournalBlock> DecodeJournalBlock(std::string_view bytes,
                                                uint64_t segment,
                                                uint64_t sequence);

// Valid blocks, one right after the other and of ascending sequences, in bytes that are not whole.
// A footer ends a run, and a gap counts as one of its blocks.
struct JournalRun {
  uint64_t begin = 0;  // in the bytes
  uint64_t end = 0;
  uint64_t first_sequence = 0;
  uint64_t end_sequence = 0;  // that of the block that would follow
  uint64_t blocks = 0;        // with footer and gaps
  uint64_t synced_below = 0;  // the highest in the run
  uint64_t said_by = 0;       // the sequence of the block with it
  bool begins_with_gap = false;
  bool has_footer = false;

  bool operator==(const JournalRun&) const = default;
};

// Searches `bytes` of segment `segment`, at every offset from `from` on, for valid blocks with
// ascending sequences in [first, end). Ends after a footer. Linear except for the CRCs of possible
// blocks.
std::vector<JournalRun> FindJournalRuns(
    std::string_view bytes, uint64_t from, uint64_t segment, uint64_t first, uint64_t end);

}  // namespace hourcell
