#include "engine/regions/live/region_selector.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/regions/region_name.h"

// Why one word may mean an id, a name or a key: operators paste the output of the list. A key that
// looks like an id is written key:..., so that nothing is guessed where a guess could cut the wrong
// region.

namespace hourcell {
namespace {

constexpr std::string_view kKeyPrefix = "key:";
constexpr size_t kEncodedDigits = 32;

bool IsMadeOf(std::string_view text, std::string_view alphabet) {
  return text.find_first_not_of(alphabet) == std::string_view::npos;
}

absl::Status NoSuchRegion(std::string_view selector) {
  return absl::NotFoundError(fmt::format(
      "region {}: no such region; it may have been split or merged", QuoteForMessage(selector)));
}

template <typename Matches>
absl::StatusOr<size_t> Find(std::span<const RegionInfo> regions,
                            std::string_view selector,
                            const Matches& matches) {
  const auto found = std::ranges::find_if(regions, matches);
  if (found == regions.end()) return NoSuchRegion(selector);
  return static_cast<size_t>(found - regions.begin());
}

absl::StatusOr<size_t> FindId(std::span<const RegionInfo> regions, std::string_view digits) {
  RegionId id;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), id.value);
  if (error != std::errc() || end != digits.end()) return NoSuchRegion(digits);
  return Find(regions, digits, [&](const RegionInfo& region) { return region.id == id; });
}

absl::StatusOr<size_t> FindKey(std::span<const RegionInfo> regions, std::string_view text) {
  const absl::StatusOr<std::string> key = FromStringBinary(text);
  if (!key.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("region: expected an id, an encoded name, a full name, or a key in it, "
                    "printable ASCII or \\xNN, got {}",
                    QuoteForMessage(text)));
  }
  return Find(regions, text, [&](const RegionInfo& region) { return region.range.Contains(*key); });
}

}  // namespace

absl::StatusOr<size_t> FindRegion(std::span<const RegionInfo> regions, std::string_view selector) {
  HOURCELL_DCHECK(regions.empty() || regions.front().range.start <= regions.back().range.start);
  if (selector.empty()) {
    return absl::InvalidArgumentError(
        "region: missing; expected an id, an encoded name, a full name, or a key in it");
  }
  if (selector.starts_with(kKeyPrefix)) return FindKey(regions, selector.substr(kKeyPrefix.size()));
  if (IsMadeOf(selector, "0123456789") && selector.size() != kEncodedDigits) {
    return FindId(regions, selector);
  }
  if (selector.size() == kEncodedDigits && IsMadeOf(selector, "0123456789abcdef")) {
    return Find(regions, selector, [&](const RegionInfo& region) {
      return EncodedRegionName(region.table, region.range.start, region.id) == selector;
    });
  }
  const absl::StatusOr<RegionNameParts> name = ParsePrintableRegionName(selector);
  if (!name.ok()) return FindKey(regions, selector);
  return Find(regions, selector, [&](const RegionInfo& region) {
    return region.table == name->table && region.range.start == name->start &&
           region.id == name->id;
  });
}

}  // namespace hourcell
