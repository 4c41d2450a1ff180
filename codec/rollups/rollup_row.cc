#include "codec/rollups/rollup_row.h"

#include <algorithm>
#include <map>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/value.h"

namespace hourcell {
namespace {

constexpr size_t kSlotBytes = 2;
constexpr int kFlagBits = 4;
constexpr uint8_t kFlagMask = 0xF;
constexpr uint8_t kIdMask = 0x7F;

absl::Status Malformed(std::string_view bytes, std::string_view problem) {
  return absl::DataLossError(fmt::format("rollup qualifier {}: {}", ToHex(bytes), problem));
}

}  // namespace

void AppendRollupQualifier(uint8_t id, uint32_t slot, uint8_t flags, std::string* out) {
  HOURCELL_DCHECK(id <= kRollupIdMax && slot < kRollupSlotsMax && flags <= kFlagMask);
  AppendBigEndian(id, 1, out);
  AppendBigEndian((uint64_t{slot} << kFlagBits) | flags, kSlotBytes, out);
}

absl::StatusOr<RollupQualifier> ParseRollupQualifier(std::string_view bytes,
                                                     std::span<const RollupAggregate> aggregates) {
  if (bytes.size() < kSlotBytes + 1) {
    return Malformed(bytes, "expected an aggregate and 2 bytes");
  }
  const std::string_view head = bytes.substr(0, bytes.size() - kSlotBytes);
  const uint64_t tail = LoadBigEndian(bytes.data() + head.size(), kSlotBytes);
  RollupQualifier qualifier{.aggregate = {},
                            .slot = static_cast<uint32_t>(tail >> kFlagBits),
                            .flags = static_cast<uint8_t>(tail & kFlagMask),
                            .is_text = head.size() > 1};
  if (qualifier.is_text && !head.ends_with(':')) {
    return Malformed(bytes, "expected a colon after the name of the aggregate");
  }
  const auto is_meant = [&](const RollupAggregate& one) {
    if (qualifier.is_text) return one.name == LowerCase(head.substr(0, head.size() - 1));
    return one.id == (static_cast<uint8_t>(head[0]) & kIdMask);
  };
  const auto found = std::ranges::find_if(aggregates, is_meant);
  if (found == aggregates.end()) return Malformed(bytes, "its aggregate is not configured");
  qualifier.aggregate = found->name;
  return qualifier;
}

absl::StatusOr<RollupRow> ReadRollupRow(const RollupInterval& interval,
                                        int64_t base_s,
                                        std::span<const RollupAggregate> aggregates,
                                        std::span<const RollupCell> cells) {
  struct Newest {
    uint64_t written = 0;
    Value value;
  };
  std::map<std::string, std::map<uint32_t, Newest>> slots_of;
  for (const RollupCell& cell : cells) {
    HOURCELL_ASSIGN_OR_RETURN(const RollupQualifier qualifier,
                              ParseRollupQualifier(cell.qualifier, aggregates));
    HOURCELL_ASSIGN_OR_RETURN(const Value value, ParseValue(qualifier.flags, cell.value));
    const auto [slot, is_new] = slots_of[qualifier.aggregate].try_emplace(qualifier.slot);
    if (!is_new && slot->second.written > cell.written) continue;
    slot->second = {.written = cell.written, .value = value};
  }
  RollupRow row;
  for (const auto& [aggregate, slots] : slots_of) {
    auto& points = row.emplace_back(aggregate, std::vector<RollupPoint>()).second;
    points.reserve(slots.size());
    for (const auto& [slot, newest] : slots) {
      points.push_back(
          {.time_s = base_s + int64_t{slot} * interval.seconds(), .value = newest.value});
    }
  }
  return row;
}

}  // namespace hourcell
