// Timeline: the history of a simulated table, as a bounded list: splits, merges, stalls, and failed
// splits. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/regions/region_info.h"
#include "engine/regions/split/split_policy.h"

namespace hourcell {

enum class IncidentKind : uint8_t { kSplit, kMerge, kStall, kUnsplittable };

std::string_view IncidentName(IncidentKind kind);

// "size", "busy", "load"; kUser is "normaliser", which makes all user splits of a simulation.
std::string_view SplitCauseName(SplitCause cause);

struct Incident {
  uint64_t time_ms = 0;
  IncidentKind kind = IncidentKind::kSplit;
  RegionId region = {};      // the parent of a split, the one made by a merge
  std::string key = {};      // the split point; of kUnsplittable, the row with most bytes
  double left_share = 0;     // of the bytes, of a split; of kUnsplittable, that row's share
  uint64_t bytes = 0;        // the region's
  uint64_t duration_ms = 0;  // of a stall
  uint64_t regions = 0;      // the number of regions afterwards; of a merge, of merged regions
  SplitCause cause = SplitCause::kNone;
  std::string reason = {};
};

class Timeline {
 public:
  // The limit for each kind.
  static constexpr size_t kIncidentsMax = 5'000;

  void Add(Incident incident) {
    const auto kind = static_cast<size_t>(incident.kind);
    if (++counts_[kind] <= kIncidentsMax) incidents_.push_back(std::move(incident));
  }

  std::span<const Incident> incidents() const { return incidents_; }
  // All incidents, whether kept or not.
  uint64_t count(IncidentKind kind) const { return counts_[static_cast<size_t>(kind)]; }

 private:
  std::vector<Incident> incidents_;
  uint64_t counts_[4] = {};
};

}  // namespace hourcell
