#include "engine/point_replay.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "engine/ingest/point_log.h"

namespace hourcell {
namespace {

// Blocks are gathered until they are so many bytes, and then taken apart by all threads at once.
constexpr size_t kBytesAtOnce = 8 << 20;

// Points a lane is given under one lock.
constexpr size_t kPointsAtOnce = 512;

constexpr size_t kThreadsMax = 8;

struct Block {
  uint64_t sequence;
  std::string payload;
};

class Replay {
 public:
  Replay(const ReplayParts& parts, uint32_t now_s)
      : parts_(parts),
        now_s_(now_s),
        threads_(std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kThreadsMax)) {}

  absl::Status Add(uint64_t sequence, std::string_view payload) {
    blocks_.push_back({.sequence = sequence, .payload = std::string(payload)});
    bytes_ += payload.size();
    return bytes_ < kBytesAtOnce ? absl::OkStatus() : Apply();
  }

  // Applies the blocks gathered so far.
  absl::Status Apply() {
    HOURCELL_RETURN_IF_ERROR(Define());
    slots_.resize(parts_.series->last_number() + 1);
    std::vector<absl::Status> results(threads_);
    std::vector<uint64_t> points(threads_);
    std::vector<std::thread> others;
    for (size_t i = 1; i < threads_; ++i)
      others.emplace_back([&, i] { results[i] = ApplyShare(i, &points[i]); });
    results[0] = ApplyShare(0, &points[0]);
    for (std::thread& other : others)
      other.join();
    for (size_t i = 0; i < threads_; ++i) {
      HOURCELL_RETURN_IF_ERROR(results[i]);
      points_ += points[i];
    }
    blocks_.clear();
    bytes_ = 0;
    return parts_.sealer->MakeRoom();
  }

  uint64_t points() const { return points_; }

 private:
  static absl::Status Damaged(const Block& block) {
    return absl::DataLossError(
        fmt::format("journal block {}: its checksum is right, but it does not decode; want a block "
                    "of this version",
                    block.sequence));
  }

  // A definition with the memory behind its spans; its names are in the block.
  struct Definition {
    explicit Definition(const SeriesDefinition& of)
        : tags(of.tags.begin(), of.tags.end()),
          tag_uids(of.tag_uids.begin(), of.tag_uids.end()),
          definition(of) {}

    std::vector<TagView> tags;
    std::vector<TagUids> tag_uids;
    SeriesDefinition definition;
  };

  // Series first: their numbers are what points are known by. Nearly always the tables have them.
  absl::Status Define() {
    std::vector<Definition> lost;
    for (const Block& block : blocks_) {
      if (!HasDefinitions(block.payload)) continue;
      PointLogReader reader(block.payload);
      using Event = PointLogReader::Event;
      for (Event event = reader.Next(); event != Event::kEnd; event = reader.Next()) {
        if (event == Event::kDamaged) return Damaged(block);
        if (event != Event::kDefinition) continue;
        if (!parts_.series->NeedsRestore(reader.definition().number)) continue;
        lost.emplace_back(reader.definition());
      }
    }
    std::vector<SeriesDefinition> definitions;
    for (Definition& one : lost) {
      one.definition.tags = one.tags;
      one.definition.tag_uids = one.tag_uids;
      definitions.push_back(one.definition);
    }
    return parts_.series->Restore(definitions);
  }

  // The lanes of one thread, from all blocks.
  absl::Status ApplyShare(size_t share, uint64_t* count) {
    const size_t lanes = parts_.open_hours->lanes().size();
    std::vector<std::vector<PlacedPoint>> placed(lanes);
    const SeriesNumber last_number = slots_.size() - 1;
    int64_t bytes = 0;
    const auto flush = [&](size_t lane) {
      // The first block of all: an hour may be kept in the journal a little longer for it.
      parts_.open_hours->lanes()[lane].Replay(placed[lane], blocks_.front().sequence, now_s_,
                                              &bytes);
      for (const PlacedPoint& point : placed[lane])
        slots_[point.series] = point.slot;
      *count += placed[lane].size();
      placed[lane].clear();
    };
    for (const Block& block : blocks_) {
      PointLogReader reader(block.payload);
      using Event = PointLogReader::Event;
      for (Event event = reader.Next(); event != Event::kEnd; event = reader.Next()) {
        if (event == Event::kDamaged) return Damaged(block);
        if (event == Event::kDefinition) continue;
        const size_t lane = parts_.open_hours->LaneIndexOf(reader.series());
        if (lane % threads_ != share) continue;
        if (reader.series() == 0 || reader.series() > last_number) {
          return absl::DataLossError(
              fmt::format("journal block {}: names series {}; the store has series 1 to {}",
                          block.sequence, reader.series(), last_number));
        }
        placed[lane].push_back({.series = reader.series(),
                                .slot = slots_[reader.series()],
                                .time = reader.time(),
                                .value = reader.value()});
        if (placed[lane].size() == kPointsAtOnce) flush(lane);
      }
    }
    for (size_t lane = share; lane < lanes; lane += threads_) {
      if (!placed[lane].empty()) flush(lane);
    }
    parts_.open_hours->AddBytes(bytes);
    return absl::OkStatus();
  }

  const ReplayParts parts_;
  const uint32_t now_s_;
  const size_t threads_;
  std::vector<Block> blocks_;
  size_t bytes_ = 0;
  // Where the lanes keep each series; an element is written by its lane's thread alone.
  std::vector<uint32_t> slots_;
  uint64_t points_ = 0;
};

}  // namespace

absl::StatusOr<uint64_t> ReplayPoints(const ReplayParts& parts, uint64_t low_mark, uint32_t now_s) {
  Replay replay(parts, now_s);
  HOURCELL_RETURN_IF_ERROR(
      parts.journal->Replay(low_mark, [&replay](uint64_t sequence, std::string_view payload) {
        return replay.Add(sequence, payload);
      }));
  HOURCELL_RETURN_IF_ERROR(replay.Apply());
  return replay.points();
}

}  // namespace hourcell
