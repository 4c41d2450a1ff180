// Setting: one of the tsd.* settings, OpenTSDB's or ours, and which values it takes. Values are
// text, as a file or a flag has them. Pure.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include <absl/status/status.h>

namespace hourcell {

struct Setting {
  enum class Type : uint8_t { kText, kBool, kInteger };
  static constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();

  std::string_view key;
  Type type;
  std::string_view default_value;
  std::string_view help;  // one line
  int64_t min = 0;        // of integers
  int64_t max = kUnbounded;
  std::string_view choices = {};  // of text: words separated by '|'; empty = anything

  // kInvalidArgument with key, value and what is wanted: not of the type, out of range, no choice.
  absl::Status Check(std::string_view value) const;
};

// What a value of kBool says: 1, true and yes are true, 0, false, no and nothing are false, in any
// case, as in OpenTSDB. Nothing: neither.
std::optional<bool> ParseSettingBool(std::string_view value);

// What a value of kInteger says: decimal digits, a minus sign perhaps, and nothing else.
std::optional<int64_t> ParseSettingInteger(std::string_view value);

}  // namespace hourcell
