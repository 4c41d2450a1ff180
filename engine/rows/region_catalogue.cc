#include "engine/rows/region_catalogue.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

template <typename Number>
bool ParseWholeNumber(std::string_view text, Number* number) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, *number);
  return !text.empty() && error == std::errc() && rest == end;
}

bool TakeState(std::string_view text, RegionState* state) {
  for (uint8_t i = 0; i < kRegionStateCount; ++i) {
    *state = static_cast<RegionState>(i);
    if (RegionStateName(*state) == text) return true;
  }
  return false;
}

bool TakeHex(std::string_view text, std::string* bytes) {
  absl::StatusOr<std::string> decoded = FromHex(text);
  if (!decoded.ok()) return false;
  *bytes = *std::move(decoded);
  return true;
}

bool TakeIds(std::string_view text, std::vector<RegionId>* ids) {
  ids->clear();
  for (size_t begin = 0; begin <= text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    if (!ParseWholeNumber(text.substr(begin, comma - begin), &ids->emplace_back().value))
      return false;
    begin = comma + 1;
  }
  return true;
}

// False for an unknown field or an invalid value.
bool TakeField(std::string_view name, std::string_view text, RegionInfo* region) {
  if (name == "start") return TakeHex(text, &region->range.start);
  if (name == "end") return TakeHex(text, &region->range.end);
  if (name == "state") return TakeState(text, &region->state);
  if (name == "parents") return TakeIds(text, &region->parents);
  if (name == "pinned_until_ms") return ParseWholeNumber(text, &region->pinned_until_ms);
  if (name == "references") {
    region->has_references = text == "1";
    return text == "0" || text == "1";
  }
  if (name == "family") {
    region->column_family = text;
    return !text.empty();
  }
  return false;
}

absl::Status Damage(std::string_view key, std::string_view got, std::string_view want) {
  return absl::DataLossError(fmt::format("meta {}: expected {}, got {}", QuoteForMessage(key), want,
                                         QuoteForMessage(got)));
}

std::string KeyOf(std::string_view prefix, std::string_view table, RegionId id) {
  return fmt::format("{}{}/{:020}", prefix, table, id.value);
}

}  // namespace

std::string RegionKey(std::string_view table, RegionId id) {
  return KeyOf(kRegionPrefix, table, id);
}

std::string TransitionKey(std::string_view table, RegionId id) {
  return KeyOf(kTransitionPrefix, table, id);
}

std::string EncodeRegion(const RegionInfo& region) {
  std::string text;
  const auto add = [&text](std::string_view name, std::string_view value) {
    text += fmt::format("{}={}\n", name, value);
  };
  if (!region.range.start.empty()) add("start", ToHex(region.range.start));
  if (!region.range.end.empty()) add("end", ToHex(region.range.end));
  add("state", RegionStateName(region.state));
  add("family", ColumnFamilyOf(region));
  if (!region.parents.empty()) {
    std::vector<uint64_t> ids;
    for (const RegionId id : region.parents)
      ids.push_back(id.value);
    add("parents", fmt::format("{}", fmt::join(ids, ",")));
  }
  if (region.pinned_until_ms != 0) {
    add("pinned_until_ms", fmt::format("{}", region.pinned_until_ms));
  }
  if (region.has_references) add("references", "1");
  return text;
}

absl::StatusOr<RegionInfo> DecodeRegion(std::string_view key, std::string_view value) {
  RegionInfo region;
  std::string_view rest = key;
  const size_t slash = key.rfind('/');
  if (!rest.starts_with(kRegionPrefix) || slash < kRegionPrefix.size() ||
      !ParseWholeNumber(rest.substr(slash + 1), &region.id.value)) {
    return Damage(key, key, "region/<table>/<id>");
  }
  region.table = key.substr(kRegionPrefix.size(), slash - kRegionPrefix.size());
  if (region.table.empty() || RegionKey(region.table, region.id) != key) {
    return Damage(key, key, "region/<table>/<id>, of 20 digits");
  }
  while (!value.empty()) {
    const size_t end = std::min(value.find('\n'), value.size());
    const std::string_view line = value.substr(0, end);
    value.remove_prefix(std::min(end + 1, value.size()));
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos ||
        !TakeField(line.substr(0, equals), line.substr(equals + 1), &region)) {
      return Damage(key, line, "a field of a region and its value");
    }
  }
  if (region.column_family.empty()) return Damage(key, "no family", "a column family's name");
  return region;
}

absl::StatusOr<RegionId> DecodeLastRegionId(std::string_view value) {
  RegionId id;
  if (ParseWholeNumber(value, &id.value)) return id;
  return absl::DataLossError(fmt::format("meta {}: expected a decimal number, got {}",
                                         kLastRegionIdKey, QuoteForMessage(value)));
}

Mutation SetRegion(const RegionInfo& region) {
  return {.table = TableId::kSystem,
          .kind = Mutation::Kind::kSet,
          .key = RegionKey(region.table, region.id),
          .value = EncodeRegion(region)};
}

Mutation DeleteRegion(const RegionInfo& region) {
  return {.table = TableId::kSystem,
          .kind = Mutation::Kind::kDelete,
          .key = RegionKey(region.table, region.id),
          .value = {}};
}

}  // namespace hourcell
