// FunctionCall: the text of a call with its arguments, as /api/query/gexp has it:
//
//   call     = name "(" argument { "," argument } ")"
//   argument = call | sub query | text
//
// A sub query is the whole language of m= (docs/query-language.md); it has a ':' outside quotes. A
// text is quoted ('my name', "my name") or has no blanks. Blanks around each part are skipped.
//
// Pure functions; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace hourcell {

// Limits of one text.
inline constexpr size_t kExpressionBytesMax = 16 * 1024;
inline constexpr size_t kExpressionDepthMax = 32;

struct FunctionCall {
  enum class Kind : uint8_t { kCall, kSubQuery, kText };

  Kind kind = Kind::kCall;
  std::string text = {};  // the name of the function; the sub query; the text with its quotes
  size_t position = 0;    // of its first byte in the whole text, from 0
  std::vector<FunctionCall> arguments = {};  // of a call
};

// The error of an expression at a byte of its text:
//   "expression: character 7: expected ')', got the end"
absl::Status ExpressionError(size_t position, std::string_view want, std::string_view got);

// Parses a call, which is the whole text. kInvalidArgument: ExpressionError; too long, too deep.
absl::StatusOr<FunctionCall> ParseFunctionCall(std::string_view text);

}  // namespace hourcell
