#include "server/config/setting.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/strings.h"
#include "server/text/ascii.h"

namespace hourcell {
namespace {

// A suffix of a number. `size` counts milliseconds or bytes.
struct Suffix {
  std::string_view name;
  int64_t size;
};
constexpr Suffix kDurations[] = {
    {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}};
constexpr Suffix kSizes[] = {{"KiB", int64_t{1} << 10},
                             {"MiB", int64_t{1} << 20},
                             {"GiB", int64_t{1} << 30},
                             {"TiB", int64_t{1} << 40}};

// Ascending.
std::span<const Suffix> SuffixesOf(Setting::Unit unit) {
  switch (unit) {
    case Setting::Unit::kSeconds:
    case Setting::Unit::kMilliseconds:
      return kDurations;
    case Setting::Unit::kBytes:
      return kSizes;
    case Setting::Unit::kNone:
    case Setting::Unit::kCount:
      return {};
  }
  HOURCELL_CHECK(false);
}

// Of one unit, as Suffix::size.
int64_t SizeOf(Setting::Unit unit) {
  return unit == Setting::Unit::kSeconds ? 1000 : 1;
}

// The end of an error: the unit of a number, and the suffixes that it may have.
std::string_view FormOf(Setting::Unit unit) {
  switch (unit) {
    case Setting::Unit::kSeconds:
      return ", in seconds or with ms, s, m, h or d";
    case Setting::Unit::kMilliseconds:
      return ", in milliseconds or with ms, s, m, h or d";
    case Setting::Unit::kBytes:
      return ", in bytes or with KiB, MiB, GiB or TiB";
    case Setting::Unit::kNone:
    case Setting::Unit::kCount:
      return "";
  }
  HOURCELL_CHECK(false);
}

absl::Status WantError(const Setting& setting, std::string_view value, const std::string& want) {
  return absl::InvalidArgumentError(
      fmt::format("{}: expected {}, got {}", setting.key, want, QuoteForMessage(value)));
}

}  // namespace

absl::Status Setting::Check(std::string_view value) const {
  switch (type) {
    case Type::kText:
      if (choices.empty() || std::ranges::count(ChoicesOf(*this), value) > 0) {
        return absl::OkStatus();
      }
      return WantError(*this, value, fmt::format("one of {}", choices));
    case Type::kBool:
      if (ParseSettingBool(value).has_value()) return absl::OkStatus();
      return WantError(*this, value, "true or false");
    case Type::kInteger:
      break;
  }
  const std::optional<int64_t> number = NumberOf(value);
  if (number.has_value() && *number >= min && *number <= max) return absl::OkStatus();
  const std::string_view form = FormOf(unit);
  if (max == kUnbounded)
    return WantError(*this, value, fmt::format("an integer of at least {}{}", min, form));
  return WantError(*this, value, fmt::format("an integer from {} to {}{}", min, max, form));
}

std::optional<int64_t> Setting::NumberOf(std::string_view value) const {
  HOURCELL_DCHECK(type == Type::kInteger);
  const size_t digits = std::min(value.find_first_not_of("0123456789"), value.size());
  const std::span<const Suffix> suffixes = SuffixesOf(unit);
  const auto suffix = std::ranges::find(suffixes, value.substr(digits), &Suffix::name);
  if (digits == 0 || suffix == suffixes.end()) return ParseSettingInteger(value);
  const std::optional<int64_t> count = ParseSettingInteger(value.substr(0, digits));
  if (!count.has_value() || *count > std::numeric_limits<int64_t>::max() / suffix->size) {
    return std::nullopt;
  }
  const int64_t whole = *count * suffix->size;
  const int64_t size_of_unit = SizeOf(unit);
  return whole % size_of_unit == 0 ? std::optional(whole / size_of_unit) : std::nullopt;
}

std::string_view SettingUnitName(Setting::Unit unit) {
  switch (unit) {
    case Setting::Unit::kNone:
      return "";
    case Setting::Unit::kCount:
      return "count";
    case Setting::Unit::kSeconds:
      return "seconds";
    case Setting::Unit::kMilliseconds:
      return "milliseconds";
    case Setting::Unit::kBytes:
      return "bytes";
  }
  HOURCELL_CHECK(false);
}

std::string DefaultText(const Setting& setting) {
  const std::optional<int64_t> number = ParseSettingInteger(setting.default_value);
  if (number.value_or(0) <= 0) return std::string(setting.default_value);
  for (const Suffix& suffix : std::views::reverse(SuffixesOf(setting.unit))) {
    const int64_t whole = *number * SizeOf(setting.unit);
    if (whole % suffix.size == 0) return fmt::format("{}{}", whole / suffix.size, suffix.name);
  }
  return std::string(setting.default_value);
}

std::vector<std::string_view> ChoicesOf(const Setting& setting) {
  std::vector<std::string_view> choices;
  std::string_view rest = setting.choices;
  while (!setting.choices.empty()) {
    const size_t bar = rest.find('|');
    choices.push_back(rest.substr(0, bar));
    if (bar == std::string_view::npos) break;
    rest.remove_prefix(bar + 1);
  }
  return choices;
}

std::string_view SettingTypeName(Setting::Type type) {
  switch (type) {
    case Setting::Type::kText:
      return "text";
    case Setting::Type::kBool:
      return "bool";
    case Setting::Type::kInteger:
      return "integer";
  }
  HOURCELL_CHECK(false);
}

std::optional<bool> ParseSettingBool(std::string_view value) {
  const std::string lower = LowerCase(value);
  if (lower == "1" || lower == "true" || lower == "yes") return true;
  if (lower == "0" || lower == "false" || lower == "no" || lower.empty()) return false;
  return std::nullopt;
}

std::optional<int64_t> ParseSettingInteger(std::string_view value) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size()) return std::nullopt;
  return number;
}

}  // namespace hourcell
