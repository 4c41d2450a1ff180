// Numbers as OpenTSDB reads and prints them.
//
// Reading: text without '.', 'e' and 'E' is an integer (so NaN fails as one), else Java's
// Double.parseDouble: decimal or hexadecimal, optional f F d D suffix, blanks around it. Correctly
// rounded, independent of locale. Printing: Java's Double.toString. Pure; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "codec/point.h"
#include "codec/text/point_error.h"

namespace hourcell {

// A parsed value, or the error. Deliberately not absl::StatusOr: rejecting a line must not allocate
// more than its message, and the protocol needs the error's class.
template <typename T>
class Parsed {
 public:
  Parsed(T value) : result_(std::move(value)) {}           // NOLINT: implicit on purpose
  Parsed(PointError error) : result_(std::move(error)) {}  // NOLINT: implicit on purpose
  bool ok() const { return result_.index() == 0; }
  const T& operator*() const { return std::get<0>(result_); }
  const T* operator->() const { return &std::get<0>(result_); }
  const PointError& error() const { return std::get<1>(result_); }

 private:
  std::variant<T, PointError> result_;
};

// True unless `text` contains '.', 'e' or 'E'.
bool LooksLikeInteger(std::string_view text);

// Tags.parseLong: one optional sign, at most 19 digits (leading zeros count), range of int64.
// Errors (kInvalidValue): "Empty string", "Just a sign, no value: s", "Value too long: s",
// "Invalid character 'c' in s", "Overflow in s".
Parsed<int64_t> ParseInteger(std::string_view text);

// Java's Double.parseDouble. An overflow gives infinity, as in Java.
// Errors (kInvalidValue): "empty String", `For input string: "s"`.
Parsed<double> ParseDouble(std::string_view text);

// Reads a finite number off the front of [begin, end): [-]digits[.digits][(e|E)[+|-]digits], the
// form of nearly all. Returns its end and sets `*value` to ParseValueText's result for these bytes;
// null for any other text, which may still be a number.
const char* ScanPlainValue(const char* begin, const char* end, Value* value);

// Integer or float by LooksLikeInteger.
// Errors: kInvalidValue as above; kIllegalArgument "value is NaN or Infinite: s" for a float that
// is not finite; kIllegalArgument "empty value".
Parsed<Value> ParseValueText(std::string_view text);

// True if the text's double is a float: (double)(float)d == d.
bool FitsInFloat(std::string_view text);

// Java's Double.toString(double): at least one digit after the point, scientific from 1.0E7 on and
// below 1.0E-3, shortest digits that read back; NaN, Infinity and -Infinity as these words.
void AppendJavaDouble(double value, std::string* out);
std::string JavaDouble(double value);

// The longest text of a double, such as -1.7976931348623157E-308.
inline constexpr size_t kJavaDoubleBytesMax = 24;

// Writes the same text to `out`, which has room for kJavaDoubleBytesMax; returns its end.
char* WriteJavaDouble(double value, char* out);

}  // namespace hourcell
