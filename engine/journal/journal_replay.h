// ReplaySegments: the blocks of several segments in order, one thread ahead of the visitor, so that
// reading and CRC overlap with what the visitor does.

#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "engine/journal/journal_segment.h"

namespace hourcell {

// Calls visit(sequence, payload) on the caller's thread for each block with sequence >= `from`.
// Each segment has to end at its end_sequence; where it ends before, or a block does not check, it
// is kDataLoss with file and offset. An error of `visit` ends it and is returned.
absl::Status ReplaySegments(
    rocksdb::FileSystem* fs,
    const std::vector<SegmentReader::Range>& segments,
    uint64_t from,
    const std::function<absl::Status(uint64_t sequence, std::string_view payload)>& visit);

}  // namespace hourcell
