#include "engine/regions/presplit/split_algorithm.h"

#include <algorithm>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/regions/presplit/digit_string.h"

// Why the bounds equal HBase's to the byte, with its rounding: tables are compared with, and moved
// from, HBase. The width is rounded down and the last region takes the remainder; any better
// rounding would give other bounds.

namespace hourcell {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

uint32_t BaseOf(SplitAlgorithm::Kind kind) {
  switch (kind) {
    case SplitAlgorithm::Kind::kHexString:
      return 16;
    case SplitAlgorithm::Kind::kDecimalString:
      return 10;
    case SplitAlgorithm::Kind::kUniform:
      break;
  }
  return 256;
}

DigitString BytesToNumber(std::string_view key) {
  return {.base = 256, .digits = {key.begin(), key.end()}};
}

std::string NumberToBytes(const DigitString& number) {
  return {number.digits.begin(), number.digits.end()};
}

absl::StatusOr<DigitString> TextToNumber(std::string_view key, uint32_t base) {
  DigitString number{.base = base, .digits = {}};
  for (const char c : key) {
    const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    const size_t digit = kDigits.find(lower);
    if (digit >= base) {
      return absl::InvalidArgumentError(
          fmt::format("split key {}: expected digits of base {}, got {} at {}",
                      QuoteForMessage(key), base, QuoteForMessage({&c, 1}), number.width()));
    }
    number.digits.push_back(static_cast<uint8_t>(digit));
  }
  return number;
}

// At least `width` digits.
std::string NumberToText(const DigitString& number, size_t width) {
  const auto significant = std::find_if(number.digits.begin(), number.digits.end(),
                                        [](uint8_t digit) { return digit != 0; });
  std::string text;
  for (auto digit = significant; digit != number.digits.end(); ++digit)
    text.push_back(kDigits[*digit]);
  if (text.size() < width) text.insert(0, width - text.size(), '0');
  return text;
}

absl::Status CheckOrder(std::string_view start, std::string_view end, bool is_ascending) {
  if (is_ascending) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("split of [{}, {}): expected an end above the start", QuoteForMessage(start),
                  QuoteForMessage(end)));
}

absl::Status CheckParts(uint32_t parts, uint32_t parts_min) {
  if (parts >= parts_min && parts <= kPresplitRegionsMax) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format("pre-split: expected {} to {} regions, got {}",
                                                parts_min, kPresplitRegionsMax, parts));
}

// NumberStringSplit.split of [start, end], whose end counts: parts - 1 bounds, and the ends, as
// they are written, around them.
absl::StatusOr<std::vector<std::string>> SplitText(const SplitAlgorithm& algorithm,
                                                   std::string_view start,
                                                   std::string_view end,
                                                   uint32_t parts) {
  HOURCELL_RETURN_IF_ERROR(CheckParts(parts, 1));
  const uint32_t base = BaseOf(algorithm.kind);
  HOURCELL_ASSIGN_OR_RETURN(const DigitString low, TextToNumber(start, base));
  HOURCELL_ASSIGN_OR_RETURN(const DigitString high, TextToNumber(end, base));
  HOURCELL_RETURN_IF_ERROR(CheckOrder(start, end, CompareNumbers(low, high) < 0));
  const DigitString size = Successor(Difference(high, low));
  if (!IsAtLeast(size, parts)) {
    return absl::InvalidArgumentError(
        fmt::format("split of [{}, {}]: expected at most one for each key, got {} regions",
                    QuoteForMessage(start), QuoteForMessage(end), parts));
  }
  const DigitString step = Quotient(size, parts);
  const size_t width = algorithm.last.size();
  std::vector<std::string> keys = {NumberToText(low, width)};
  for (uint32_t i = 1; i < parts; ++i)
    keys.push_back(NumberToText(Sum(low, Product(step, i)), width));
  keys.push_back(NumberToText(high, width));
  return keys;
}

}  // namespace

SplitAlgorithm SplitAlgorithm::HexString() {
  return {};
}

SplitAlgorithm SplitAlgorithm::DecimalString() {
  return {.kind = Kind::kDecimalString, .first = "00000000", .last = "99999999"};
}

SplitAlgorithm SplitAlgorithm::Uniform() {
  return {.kind = Kind::kUniform, .first = "", .last = std::string(8, '\xff')};
}

absl::StatusOr<std::vector<std::string>> SplitAlgorithm::Split(uint32_t regions) const {
  return SplitRange(first, last, regions, /*with_ends=*/false);
}

absl::StatusOr<std::string> SplitAlgorithm::Midpoint(std::string_view start,
                                                     std::string_view end) const {
  if (start.empty()) start = first;
  if (end.empty()) end = last;
  if (kind == Kind::kUniform) {
    HOURCELL_ASSIGN_OR_RETURN(std::vector<std::string> keys, SplitBytes(start, end, false, 1));
    return std::move(keys[1]);
  }
  HOURCELL_ASSIGN_OR_RETURN(const DigitString low, TextToNumber(start, BaseOf(kind)));
  HOURCELL_ASSIGN_OR_RETURN(const DigitString high, TextToNumber(end, BaseOf(kind)));
  HOURCELL_RETURN_IF_ERROR(CheckOrder(start, end, CompareNumbers(low, high) < 0));
  return NumberToText(Quotient(Sum(low, high), 2), last.size());
}

absl::StatusOr<std::vector<std::string>> SplitAlgorithm::SplitRange(std::string_view start,
                                                                    std::string_view end,
                                                                    uint32_t parts,
                                                                    bool with_ends) const {
  if (start.empty()) start = first;
  if (end.empty()) end = last;
  absl::StatusOr<std::vector<std::string>> keys;
  if (kind == Kind::kUniform) {
    HOURCELL_RETURN_IF_ERROR(CheckParts(parts, 2));
    keys = SplitBytes(start, end, /*counts_end=*/true, parts - 1);
  } else {
    keys = SplitText(*this, start, end, parts);
  }
  if (keys.ok() && !with_ends) {
    keys->erase(keys->begin());
    keys->pop_back();
  }
  return keys;
}

absl::StatusOr<std::vector<std::string>> SplitBytes(std::string_view start,
                                                    std::string_view end,
                                                    bool counts_end,
                                                    uint32_t bounds) {
  if (bounds < 1 || bounds > kPresplitRegionsMax) {
    return absl::InvalidArgumentError(fmt::format("split of bytes: expected 1 to {} bounds, got {}",
                                                  kPresplitRegionsMax, bounds));
  }
  DigitString low = BytesToNumber(start);
  DigitString high = BytesToNumber(end);
  const size_t width = std::max(low.width(), high.width());
  low.digits.resize(width);
  high.digits.resize(width);
  HOURCELL_RETURN_IF_ERROR(CheckOrder(start, end, CompareNumbers(low, high) < 0));

  const auto distance = [&] {
    const DigitString difference = Difference(high, low);
    return counts_end ? Successor(difference) : difference;
  };
  while (!IsAtLeast(distance(), uint64_t{bounds} + 1)) {
    low.digits.push_back(0);
    high.digits.push_back(0);
  }
  const DigitString step = Quotient(distance(), bounds + 1);
  std::vector<std::string> keys = {std::string(start)};
  for (uint32_t i = 1; i <= bounds; ++i) {
    keys.push_back(NumberToBytes(WithWidth(Sum(low, Product(step, i)), low.width())));
  }
  keys.emplace_back(end);
  return keys;
}

}  // namespace hourcell
