#include <algorithm>
#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "engine/journal/journal_block.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

constexpr uint64_t kSegment = 1;

// Bytes as they are: headers and blocks that decode encode to the same bytes.
void CheckDecode(std::string_view bytes) {
  if (const auto header = DecodeSegmentHeader(bytes, kSegment); header.ok()) {
    std::string again;
    AppendSegmentHeader(*header, &again);
    HOURCELL_CHECK(again == bytes.substr(0, kSegmentHeaderBytes));
    bytes.remove_prefix(kSegmentHeaderBytes);
  }
  for (uint64_t sequence = 1;;) {
    const auto block = DecodeJournalBlock(bytes, kSegment, sequence);
    if (!block.ok()) {
      HOURCELL_CHECK(absl::IsDataLoss(block.status()));
      break;
    }
    std::string again;
    if (block->is_footer) {
      if (block->synced_below == sequence) AppendJournalFooter(kSegment, sequence, &again);
    } else if (block->is_gap) {
      AppendJournalGap(kSegment, block->sequence, block->synced_below, &again);
    } else {
      AppendJournalBlock(kSegment, sequence, block->synced_below, {&block->payload, 1}, &again);
    }
    HOURCELL_CHECK(again.empty() || again == bytes.substr(0, block->size()));
    bytes.remove_prefix(block->size());
    sequence = block->is_gap ? block->sequence : sequence + 1;
  }
  FindJournalRuns(bytes, 0, kSegment, 0, ~uint64_t{0});
}

// Blocks of parts of the input, with some of the input between them: all are found.
void CheckRemains(std::string_view input) {
  std::string bytes;
  uint64_t sequence = 100;
  while (!input.empty()) {
    const std::string_view payload = TakePart(&input);
    AppendJournalBlock(kSegment, sequence, sequence - 1, {&payload, 1}, &bytes);
    bytes.append(TakePart(&input));
    ++sequence;
  }
  uint64_t blocks = 0;
  uint64_t synced_below = 0;
  for (const JournalRun& run : FindJournalRuns(bytes, 0, kSegment, 100, sequence)) {
    blocks += run.blocks;
    synced_below = std::max(synced_below, run.synced_below);
  }
  HOURCELL_CHECK(blocks == sequence - 100);
  HOURCELL_CHECK(sequence == 100 || synced_below == sequence - 2);
}

}  // namespace
}  // namespace hourcell

// Any bytes are decoded or refused with kDataLoss, and blocks are found among other bytes.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  if (size > (1 << 16)) return 0;
  const std::string_view input = InputText(data, size);
  CheckDecode(input);
  CheckRemains(input);
  return 0;
}
