// Setting: one of the tsd.* settings, OpenTSDB's or ours, and its valid values. Values are the text
// in a file or a flag. Pure.
//
// A number may have a unit that its setting's unit divides: 30s, 500ms, 1h, 64MiB. Without one it
// counts the setting's unit, as in OpenTSDB.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

namespace hourcell {

struct Setting {
  enum class Type : uint8_t { kText, kBool, kInteger };
  enum class Unit : uint8_t { kNone, kCount, kSeconds, kMilliseconds, kBytes };
  static constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

  std::string_view key;
  Type type;
  std::string_view default_value;
  std::string_view help;  // one line
  int64_t min = 0;        // of integers
  int64_t max = kUnbounded;
  std::string_view choices = {};  // of text: words separated by '|'; empty = anything
  Unit unit = Unit::kNone;        // of integers: another one

  // kInvalidArgument with key, value and expected value: a wrong type, out of range, not one of the
  // choices.
  absl::Status Check(std::string_view value) const;

  // The number that `value` means, in the setting's unit. Nothing: not a number, an unknown suffix,
  // not a whole number of the unit. REQUIRES: type kInteger.
  std::optional<int64_t> NumberOf(std::string_view value) const;
};

// "seconds", "milliseconds", "bytes", "count"; empty for kNone.
std::string_view SettingUnitName(Setting::Unit unit);

// The default as text with the largest unit that divides it: "30s", "64MiB".
std::string DefaultText(const Setting& setting);

// The words of `choices`.
std::vector<std::string_view> ChoicesOf(const Setting& setting);

std::string_view SettingTypeName(Setting::Type type);  // "text", "bool", "integer"

// Parses a value of kBool: 1, true and yes are true; 0, false, no and the empty text are false, in
// any case, as in OpenTSDB. Nothing: any other value.
std::optional<bool> ParseSettingBool(std::string_view value);

// Parses a value of kInteger: decimal digits, perhaps after a minus sign. Nothing: any other value.
std::optional<int64_t> ParseSettingInteger(std::string_view value);

}  // namespace hourcell
