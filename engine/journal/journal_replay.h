// ReplaySegments: reads the blocks of several segments in order, one thread ahead of the visitor,
// so that reading and CRC overlap with the visitor's work.

#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "engine/journal/journal_segment.h"

namespace hourcell {

// Calls visit(sequence, payload) on the caller's thread for each block with sequence >= `from`.
// Each segment must end at its end_sequence. An earlier end, or an invalid block, is kDataLoss with
// file and offset. An error of `visit` ends the replay and is returned.
absl::Status ReplaySegments(
    rocksdb::FileSystem* fs,
    const std::vector<SegmentReader::Range>& segments,
    uint64_t from,
    const std::function<absl::Status(uint64_t sequence, std::string_view payload)>& visit);

}  // namespace hourcell
