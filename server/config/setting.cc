#include "server/config/setting.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
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
  const std::optional<int64_t> number = ParseSettingInteger(value);
  if (number.has_value() && *number >= min && *number <= max) return absl::OkStatus();
  if (max == kUnbounded)
    return WantError(*this, value, fmt::format("an integer of at least {}", min));
  return WantError(*this, value, fmt::format("an integer from {} to {}", min, max));
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
