// Arguments of the programs that measure one run: --name=number.

#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

namespace hourcell {

struct NumberArgument {
  std::string_view name;  // "--seconds"
  uint64_t* field = nullptr;
  uint64_t least = 1;
  uint64_t most = std::numeric_limits<uint64_t>::max();
};

// Reads "--name=number" into the field of that name. False if the name is not in `known`, or the
// value is not a number or out of range; then the fields do not change.
inline bool ReadNumber(std::string_view argument, std::span<const NumberArgument> known) {
  const size_t equals = argument.find('=');
  if (equals == std::string_view::npos) return false;
  const auto found = std::ranges::find(known, argument.substr(0, equals), &NumberArgument::name);
  if (found == known.end()) return false;
  const std::string_view text = argument.substr(equals + 1);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  if (number < found->least || number > found->most) return false;
  *found->field = number;
  return true;
}

// Reads the arguments of main. False: prints the first bad argument, with `usage`.
inline bool ReadNumbers(int argc,
                        char** argv,
                        std::span<const NumberArgument> known,
                        std::string_view usage) {
  for (int i = 1; i < argc; ++i) {
    if (ReadNumber(argv[i], known)) continue;
    fmt::print(stderr, "{}: bad argument {}\n{}", argv[0], argv[i], usage);
    return false;
  }
  return true;
}

}  // namespace hourcell
