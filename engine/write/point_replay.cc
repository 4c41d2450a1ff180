#include "engine/write/point_replay.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/named_thread.h"
#include "codec/base/status_macros.h"
#include "engine/hours/journal_payload.h"

// Why the replay has one reader: a block has one meaning, even if points were copied to the
// journal's end. A replay that starts at any block reads some of the first copies, then all points
// of the hour in order, then later points, so the last write of each instant wins as it did in
// memory. Rejected: a checkpoint segment with a separate format, which would need a second reader
// and a proof of the order between copies and later points (docs/decisions/0005, 0014).

namespace hourcell {
namespace {

// Blocks are gathered up to this size, and then decoded by all threads together.
constexpr size_t kBytesAtOnce = 8 << 20;

// Points that a lane gets under one lock.
constexpr size_t kPointsAtOnce = 512;

constexpr size_t kThreadsMax = 8;

// Fewer bytes are not worth starting threads.
constexpr size_t kBytesOfThreads = 256 << 10;

}  // namespace

class PointReplay::Body {
 public:
  explicit Body(const ReplayParts& parts)
      : parts_(parts), lanes_(parts.open_hours->lanes().size()) {}

  absl::Status Add(uint64_t sequence, std::string_view payload, uint32_t now_s) {
    HOURCELL_DCHECK(blocks_.empty() || blocks_.back().sequence < sequence);
    blocks_.push_back({.sequence = sequence, .begin = bytes_.size(), .size = payload.size()});
    bytes_.append(payload);
    return bytes_.size() < kBytesAtOnce ? absl::OkStatus() : Apply(now_s);
  }

  // Applies the blocks gathered so far.
  absl::Status Apply(uint32_t now_s) {
    if (blocks_.empty()) return absl::OkStatus();
    now_s_ = now_s;
    threads_ = bytes_.size() < kBytesOfThreads ? 1 : std::min(ProcessorCount(), kThreadsMax);
    HOURCELL_RETURN_IF_ERROR(FindSections());
    HOURCELL_RETURN_IF_ERROR(FindSeries());
    slots_.resize(std::max(slots_.size(), parts_.series->last_number() + 1));
    std::vector<absl::Status> results(threads_);
    std::vector<uint64_t> points(threads_);
    std::vector<NamedThread> others;
    next_lane_ = 0;
    for (size_t i = 1; i < threads_; ++i)
      others.emplace_back("hc-replay", [&, i] { results[i] = ApplyShare(i, &points[i]); });
    results[0] = ApplyShare(0, &points[0]);
    for (NamedThread& other : others)
      other.Join();
    for (size_t i = 0; i < threads_; ++i) {
      HOURCELL_RETURN_IF_ERROR(results[i]);
      points_ += points[i];
    }
    blocks_.clear();
    bytes_.clear();
    return parts_.sealer == nullptr ? absl::OkStatus() : parts_.sealer->MakeRoom();
  }

  uint64_t points() const { return points_; }

 private:
  struct Block {
    uint64_t sequence;
    size_t begin;  // in bytes_
    size_t size;
  };
  struct Section {
    uint64_t sequence;  // of its block
    PointSection records;
  };

  static absl::Status Damaged(uint64_t block) {
    return absl::DataLossError(fmt::format(
        "journal block {}: its checksum is right but it does not decode. If a newer version of "
        "Hourcell wrote it, use that version or a later one",
        block));
  }

  // The sections of all blocks, by lane if each is of one lane.
  absl::Status FindSections() {
    sections_.clear();
    defining_.clear();
    of_lane_.assign(lanes_, {});
    is_by_lane_ = true;
    std::vector<PointSection> split;
    for (const Block& block : blocks_) {
      const std::string_view payload = std::string_view(bytes_).substr(block.begin, block.size);
      split.clear();
      if (!SplitPayload(payload, &split)) return Damaged(block.sequence);
      for (const PointSection& section : split) {
        const Section found = {.sequence = block.sequence, .records = section};
        if (HasDefinitions(payload)) defining_.push_back(found);
        sections_.push_back(found);
        is_by_lane_ = is_by_lane_ && section.series.IsOneOf(lanes_);
        of_lane_[section.series.residue % lanes_].push_back(found);
      }
    }
    return absl::OkStatus();
  }

  // A definition with the memory after its spans; its names are in the block.
  struct Definition {
    explicit Definition(const SeriesDefinition& of)
        : tags(of.tags.begin(), of.tags.end()),
          tag_uids(of.tag_uids.begin(), of.tag_uids.end()),
          definition(of) {}

    std::vector<TagView> tags;
    std::vector<TagUids> tag_uids;
    SeriesDefinition definition;
  };

  // Series first: points refer to them by number. Nearly always the tables have them.
  absl::Status Define() {
    std::vector<Definition> lost;
    for (const Section& section : defining_) {
      JournalPayloadReader reader(section.records, section.records.definitions());
      using Event = JournalPayloadReader::Event;
      for (Event event = reader.Next(); event != Event::kEnd; event = reader.Next()) {
        if (event == Event::kDamaged) return Damaged(section.sequence);
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

  // The tables have all series of another process's journal.
  absl::Status FindSeries() {
    if (parts_.journal == nullptr) return parts_.series->CatchUp(LastNumber());
    HOURCELL_RETURN_IF_ERROR(Define());
    return parts_.journal->has_gap() ? ReserveNumbers() : absl::OkStatus();
  }

  // The highest number of a point.
  SeriesNumber LastNumber() const {
    SeriesNumber last = 0;
    for (const Section& section : sections_) {
      JournalPayloadReader reader(section.records, section.records.points());
      using Event = JournalPayloadReader::Event;
      for (Event event = reader.Next(); event == Event::kPoint; event = reader.Next())
        last = std::max(last, reader.series());
    }
    return last;
  }

  // The block that defines a series may be lost, and a power loss may have taken it from the
  // tables, too. Its points go into open hours all the same, and are set aside when those are
  // sealed. No other series may get its number.
  absl::Status ReserveNumbers() { return parts_.series->Reserve(LastNumber()); }

  // Gathers one thread's points of a lane before they enter the lane.
  class Gatherer {
   public:
    Gatherer(Body* replay, size_t lane) : replay_(*replay), lane_(lane) {
      placed_.reserve(kPointsAtOnce);
    }

    void Add(const JournalPayloadReader& point) {
      placed_.push_back({.series = point.series(),
                         .slot = replay_.slots_[point.series()],
                         .time = point.time(),
                         .value = point.value()});
      if (placed_.size() == kPointsAtOnce) Flush();
    }

    void Flush() {
      if (placed_.empty()) return;
      int64_t bytes = 0;
      // The first and the last block of all: an hour may be kept a little longer for it.
      replay_.parts_.open_hours->lanes()[lane_].Replay(placed_, replay_.blocks_.front().sequence,
                                                       replay_.blocks_.back().sequence,
                                                       replay_.now_s_, &bytes);
      replay_.parts_.open_hours->AddBytes(bytes);
      for (const PlacedPoint& point : placed_) {
        uint32_t& slot = replay_.slots_[point.series];
        if (slot != point.slot) slot = point.slot;
      }
      count_ += placed_.size();
      placed_.clear();
    }

    uint64_t count() const { return count_; }

   private:
    Body& replay_;
    const size_t lane_;
    std::vector<PlacedPoint> placed_;
    uint64_t count_ = 0;
  };

  // Calls add(reader) for each point of a section.
  template <typename Add>
  absl::Status VisitPoints(const Section& section, const Add& add) const {
    const SeriesNumber last_number = slots_.size() - 1;
    JournalPayloadReader reader(section.records, section.records.points());
    using Event = JournalPayloadReader::Event;
    for (Event event = reader.Next(); event != Event::kEnd; event = reader.Next()) {
      if (event == Event::kDamaged) return Damaged(section.sequence);
      if (event == Event::kDefinition) continue;
      if (reader.series() == 0 || reader.series() > last_number) {
        return absl::DataLossError(
            fmt::format("journal block {}: names series {}; the store has series 1 to {}",
                        section.sequence, reader.series(), last_number));
      }
      add(reader);
    }
    return absl::OkStatus();
  }

  absl::Status ApplyShare(size_t share, uint64_t* count) {
    return is_by_lane_ ? ApplyLanes(count) : ApplyMixed(share, count);
  }

  // Takes lanes until all are taken. A lane has few series, and they stay in the processor's cache.
  absl::Status ApplyLanes(uint64_t* count) {
    for (size_t lane = next_lane_++; lane < lanes_; lane = next_lane_++) {
      Gatherer gatherer(this, lane);
      for (const Section& section : of_lane_[lane]) {
        HOURCELL_RETURN_IF_ERROR(VisitPoints(
            section, [&gatherer](const JournalPayloadReader& point) { gatherer.Add(point); }));
      }
      gatherer.Flush();
      *count += gatherer.count();
    }
    return absl::OkStatus();
  }

  // Reads all sections in order, and takes the points of this thread's lanes: for sections that
  // were written with another number of lanes.
  absl::Status ApplyMixed(size_t share, uint64_t* count) {
    std::vector<Gatherer> gatherers;
    for (size_t lane = 0; lane < lanes_; ++lane)
      gatherers.emplace_back(this, lane);
    for (const Section& section : sections_) {
      HOURCELL_RETURN_IF_ERROR(VisitPoints(section, [&](const JournalPayloadReader& point) {
        const size_t lane = parts_.open_hours->LaneIndexOf(point.series());
        if (lane % threads_ == share) gatherers[lane].Add(point);
      }));
    }
    for (Gatherer& gatherer : gatherers) {
      gatherer.Flush();
      *count += gatherer.count();
    }
    return absl::OkStatus();
  }

  const ReplayParts parts_;
  const size_t lanes_;
  uint32_t now_s_ = 0;
  size_t threads_ = 1;
  std::vector<Block> blocks_;
  std::string bytes_;              // the blocks' payloads
  std::vector<Section> sections_;  // in the journal's order
  std::vector<Section> defining_;  // those of blocks with definitions
  std::vector<std::vector<Section>> of_lane_;
  bool is_by_lane_ = true;
  std::atomic<size_t> next_lane_ = 0;
  // Where the lanes keep each series; an element is written by its lane's thread alone.
  std::vector<uint32_t> slots_;
  uint64_t points_ = 0;
};

PointReplay::PointReplay(const ReplayParts& parts) : body_(std::make_unique<Body>(parts)) {}

PointReplay::~PointReplay() = default;

absl::Status PointReplay::Add(uint64_t sequence, std::string_view payload, uint32_t now_s) {
  return body_->Add(sequence, payload, now_s);
}

absl::Status PointReplay::Apply(uint32_t now_s) {
  return body_->Apply(now_s);
}

uint64_t PointReplay::points() const {
  return body_->points();
}

absl::StatusOr<uint64_t> ReplayPoints(const ReplayParts& parts, uint64_t low_mark, uint32_t now_s) {
  HOURCELL_DCHECK(parts.journal != nullptr);
  PointReplay replay(parts);
  HOURCELL_RETURN_IF_ERROR(
      parts.journal->Replay(low_mark, [&](uint64_t sequence, std::string_view payload) {
        return replay.Add(sequence, payload, now_s);
      }));
  HOURCELL_RETURN_IF_ERROR(replay.Apply(now_s));
  return replay.points();
}

}  // namespace hourcell
