// NumberFormat: formats numbers of an axis by a pattern of printf, as OpenTSDB's yformat: one
// conversion in plain text.
//
//   %.2f ms      12.35 ms
//   %g, %e       as in printf
//   %.1s %c      gnuplot's: 12.3 k; the number over a power of 1,000, and the letter of that power
//   %%           a percent sign
//
// The pattern is never given to printf. Immutable; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell {

inline constexpr size_t kNumberFormatBytesMax = 40;

class NumberFormat {
 public:
  // kInvalidArgument: not exactly one conversion, an unknown one, a precision over 17, too long.
  static absl::StatusOr<NumberFormat> Parse(std::string_view pattern);

  std::string Print(double value) const;

 private:
  std::string prefix_;
  std::string between_;  // the number and its letter
  std::string suffix_;
  char kind_ = 'g';  // f, e, g or s
  int precision_ = -1;
  bool has_letter_ = false;
};

}  // namespace hourcell
