#include "engine/trees/branch_id.h"

#include <algorithm>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr uint32_t kHashFactor = 31;
constexpr uint32_t kReplacementUnit = 0xFFFD;

// The character of the sequence at the front of `text`, which has `size` bytes.
uint32_t CodePointOf(std::string_view text, size_t size) {
  const auto lead = static_cast<uint8_t>(text.front());
  if (size == 1) return lead;
  uint32_t code = lead & (0x7FU >> size);
  for (size_t i = 1; i < size; ++i)
    code = code << 6U | (static_cast<uint8_t>(text[i]) & 0x3FU);
  return code;
}

}  // namespace

uint32_t JavaHash(std::string_view utf8) {
  uint32_t hash = 0;
  const auto add = [&hash](uint32_t unit) { hash = kHashFactor * hash + unit; };
  while (!utf8.empty()) {
    const size_t size = Utf8SequenceLength(utf8);
    const uint32_t code = size == 0 ? kReplacementUnit : CodePointOf(utf8, size);
    utf8.remove_prefix(std::max(size, size_t{1}));
    if (code < 0x10000) {
      add(code);
    } else {  // two units of UTF-16
      add(0xD800 + ((code - 0x10000) >> 10U));
      add(0xDC00 + ((code - 0x10000) & 0x3FFU));
    }
  }
  return hash;
}

std::string RootBranchId(uint16_t tree) {
  return {static_cast<char>(tree >> 8U), static_cast<char>(tree & 0xFFU)};
}

void AppendNameHash(std::string_view name, std::string* id) {
  const uint32_t hash = JavaHash(name);
  for (const uint32_t shift : {24U, 16U, 8U, 0U})
    id->push_back(static_cast<char>(hash >> shift & 0xFFU));
}

std::string BranchIdOf(uint16_t tree, std::span<const std::string> names) {
  std::string id = RootBranchId(tree);
  id.reserve(id.size() + names.size() * kNameHashBytes);
  for (const std::string& name : names)
    AppendNameHash(name, &id);
  return id;
}

absl::StatusOr<std::string> ParseBranchId(std::string_view hex) {
  if (hex.size() < 2 * kTreeIdBytes) {
    return absl::InvalidArgumentError(fmt::format("branch {}: expected at least {} hex digits",
                                                  QuoteForMessage(hex), 2 * kTreeIdBytes));
  }
  std::string even(hex);
  if (even.size() % 2 != 0) even.insert(even.begin(), '0');
  return FromHex(even);
}

uint16_t TreeOfBranchId(std::string_view id) {
  HOURCELL_DCHECK(id.size() >= kTreeIdBytes);
  return static_cast<uint16_t>(static_cast<uint8_t>(id[0]) << 8U | static_cast<uint8_t>(id[1]));
}

}  // namespace hourcell
