#include "engine/journal/journal_block.h"

#include <algorithm>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/crc32c.h"
#include "codec/base/strings.h"

// Why each block records the sequence below which all blocks were synced: this distinguishes damage
// from a torn tail. An invalid block that was synced is damage; one that was not may be the result
// of a power loss. The CRC covers the segment's number, so that old disk blocks of another segment
// do not pass for this one's.

namespace hourcell {
namespace {

constexpr std::string_view kJournalMagic = "HCJOURN\n";
constexpr uint32_t kJournalVersion = 1;
constexpr size_t kHeaderCrcAt = 8;
constexpr size_t kHeaderCrcEnd = 12;
constexpr size_t kBlockCrcEnd = 4;
constexpr uint32_t kFooterLength = 0xFFFFFFFF;
constexpr uint32_t kGapLength = 0xFFFFFFFE;

uint32_t Load32(std::string_view bytes, size_t at) {
  return static_cast<uint32_t>(LoadBigEndian(bytes.data() + at, 4));
}
uint64_t Load64(std::string_view bytes, size_t at) {
  return LoadBigEndian(bytes.data() + at, 8);
}

// The CRC of `bytes`, the bytes after a stored CRC, in segment `segment`.
uint32_t CrcIn(uint64_t segment, std::string_view bytes) {
  char number[8];
  StoreBigEndian(segment, 8, number);
  return ExtendCrc32c(Crc32c({number, 8}), bytes);
}

void AppendBlockHeader(uint32_t length,
                       uint64_t sequence,
                       uint64_t synced_below,
                       std::string* out) {
  out->append(kBlockCrcEnd, '\0');
  AppendBigEndian(length, 4, out);
  AppendBigEndian(sequence, 8, out);
  AppendBigEndian(synced_below, 8, out);
}

// Puts the CRC of out[begin + kBlockCrcEnd, end) in its place.
void SealBlock(uint64_t segment, size_t begin, std::string* out) {
  HOURCELL_DCHECK(out->size() >= begin + kBlockHeaderBytes);
  const std::string_view covered = std::string_view(*out).substr(begin + kBlockCrcEnd);
  StoreBigEndian(CrcIn(segment, covered), 4, out->data() + begin);
}

JournalBlock BlockIn(std::string_view bytes, size_t size) {
  JournalBlock block;
  block.sequence = Load64(bytes, 8);
  block.synced_below = Load64(bytes, 16);
  block.payload = bytes.substr(kBlockHeaderBytes, size - kBlockHeaderBytes);
  block.is_footer = Load32(bytes, 4) == kFooterLength;
  block.is_gap = Load32(bytes, 4) == kGapLength;
  return block;
}

}  // namespace

void AppendSegmentHeader(const SegmentHeader& header, std::string* out) {
  const size_t begin = out->size();
  out->append(kJournalMagic);
  out->append(kHeaderCrcEnd - kHeaderCrcAt, '\0');
  AppendBigEndian(kJournalVersion, 4, out);
  AppendBigEndian(header.number, 8, out);
  AppendBigEndian(header.first_sequence, 8, out);
  AppendBigEndian(header.synced_below, 8, out);
  const std::string_view covered = std::string_view(*out).substr(begin + kHeaderCrcEnd);
  StoreBigEndian(CrcIn(header.number, covered), 4, out->data() + begin + kHeaderCrcAt);
}

absl::StatusOr<SegmentHeader> DecodeSegmentHeader(std::string_view bytes, uint64_t number) {
  if (bytes.size() < kSegmentHeaderBytes) {
    return absl::DataLossError(
        fmt::format("segment header of {} bytes; expected {}", bytes.size(), kSegmentHeaderBytes));
  }
  if (!bytes.starts_with(kJournalMagic)) {
    return absl::DataLossError(fmt::format("segment header begins with {}; expected {}",
                                           ToHex(bytes.substr(0, kJournalMagic.size())),
                                           ToHex(kJournalMagic)));
  }
  const uint32_t stored = Load32(bytes, kHeaderCrcAt);
  const uint32_t computed =
      CrcIn(number, bytes.substr(kHeaderCrcEnd, kSegmentHeaderBytes - kHeaderCrcEnd));
  if (stored != computed) {
    return absl::DataLossError(fmt::format(
        "segment header has CRC32C {:08x}; its bytes as those of segment {} give {:08x}", stored,
        number, computed));
  }
  const uint32_t version = Load32(bytes, kHeaderCrcEnd);
  if (version > kJournalVersion) {
    return absl::FailedPreconditionError(NewerFormatMessage(
        fmt::format("journal format {}", version), fmt::format("{}", kJournalVersion)));
  }
  if (version != kJournalVersion) {
    return absl::DataLossError(
        fmt::format("segment header: expected {}, got format {}", kJournalVersion, version));
  }
  const SegmentHeader header{Load64(bytes, 16), Load64(bytes, 24), Load64(bytes, 32)};
  if (header.number != number) {
    return absl::DataLossError(
        fmt::format("segment header of segment {}; expected {}", header.number, number));
  }
  return header;
}

void AppendJournalBlock(uint64_t segment,
                        uint64_t sequence,
                        uint64_t synced_below,
                        std::span<const std::string_view> payload_parts,
                        std::string* out) {
  const size_t begin = out->size();
  size_t length = 0;
  for (const std::string_view part : payload_parts)
    length += part.size();
  HOURCELL_CHECK(length <= kBlockPayloadBytesMax);
  AppendBlockHeader(static_cast<uint32_t>(length), sequence, synced_below, out);
  for (const std::string_view part : payload_parts)
    out->append(part);
  SealBlock(segment, begin, out);
}

void AppendJournalFooter(uint64_t segment, uint64_t next_sequence, std::string* out) {
  const size_t begin = out->size();
  AppendBlockHeader(kFooterLength, next_sequence, next_sequence, out);
  SealBlock(segment, begin, out);
}

void AppendJournalGap(uint64_t segment,
                      uint64_t next_sequence,
                      uint64_t synced_below,
                      std::string* out) {
  const size_t begin = out->size();
  AppendBlockHeader(kGapLength, next_sequence, synced_below, out);
  SealBlock(segment, begin, out);
}

std::optional<size_t> JournalBlockBytes(std::string_view bytes) {
  HOURCELL_DCHECK(bytes.size() >= kBlockHeaderBytes);
  const uint32_t length = Load32(bytes, 4);
  if (length == kFooterLength || length == kGapLength) return kBlockHeaderBytes;
  if (length > kBlockPayloadBytesMax) return std::nullopt;
  return kBlockHeaderBytes + length;
}

absl::StatusOr<JournalBlock> DecodeJournalBlock(std::string_view bytes,
                                                uint64_t segment,
                                                uint64_t sequence) {
  if (bytes.size() < kBlockHeaderBytes) {
    return absl::DataLossError(fmt::format("block {}: {} bytes are left; expected at least {}",
                                           sequence, bytes.size(), kBlockHeaderBytes));
  }
  const std::optional<size_t> size = JournalBlockBytes(bytes);
  if (!size.has_value()) {
    return absl::DataLossError(fmt::format("block {}: payload of {} bytes; expected at most {}",
                                           sequence, Load32(bytes, 4), kBlockPayloadBytesMax));
  }
  if (*size > bytes.size()) {
    return absl::DataLossError(
        fmt::format("block {}: {} bytes are left; expected {}", sequence, bytes.size(), *size));
  }
  const uint32_t stored = Load32(bytes, 0);
  const uint32_t computed = CrcIn(segment, bytes.substr(kBlockCrcEnd, *size - kBlockCrcEnd));
  if (stored != computed) {
    return absl::DataLossError(fmt::format("block {}: CRC32C {:08x}; its {} bytes give {:08x}",
                                           sequence, stored, *size, computed));
  }
  const JournalBlock block = BlockIn(bytes, *size);
  if (block.is_gap ? block.sequence <= sequence : block.sequence != sequence) {
    return absl::DataLossError(fmt::format("block {}: {} has sequence {}", sequence,
                                           block.is_footer ? "a footer"
                                           : block.is_gap  ? "a gap"
                                                           : "the block here",
                                           block.sequence));
  }
  return block;
}

std::vector<JournalRun> FindJournalRuns(
    std::string_view bytes, uint64_t from, uint64_t segment, uint64_t first, uint64_t end) {
  std::vector<JournalRun> runs;
  uint64_t next = first;  // no block has a lower sequence
  size_t at = static_cast<size_t>(std::min<uint64_t>(from, bytes.size()));
  while (bytes.size() - at >= kBlockHeaderBytes) {
    const std::string_view rest = bytes.substr(at);
    const uint64_t sequence = Load64(rest, 8);
    const std::optional<size_t> size = JournalBlockBytes(rest);
    const bool is_gap = Load32(rest, 4) == kGapLength;
    const bool is_footer = Load32(rest, 4) == kFooterLength;
    const bool is_plausible = sequence >= next && (is_gap || is_footer || sequence < end) &&
                              sequence <= end && size.has_value() && *size <= rest.size() &&
                              Load64(rest, 16) <= sequence;
    // A gap has a higher sequence than is expected.
    if (!is_plausible || !DecodeJournalBlock(rest, segment, sequence - (is_gap ? 1 : 0)).ok()) {
      ++at;
      continue;
    }
    const bool goes_on =
        !runs.empty() && runs.back().end == at && (is_gap || runs.back().end_sequence == sequence);
    if (!goes_on) {
      runs.push_back({.begin = at, .first_sequence = sequence, .begins_with_gap = is_gap});
    }
    JournalRun& run = runs.back();
    at += *size;
    next = is_gap || is_footer ? sequence : sequence + 1;
    run.end = at;
    run.end_sequence = next;
    run.has_footer = is_footer;
    ++run.blocks;
    if (const uint64_t synced_below = Load64(rest, 16); synced_below > run.synced_below) {
      run.synced_below = synced_below;
      run.said_by = sequence;
    }
    if (is_footer) break;
  }
  return runs;
}

}  // namespace hourcell
