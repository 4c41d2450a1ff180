#include "engine/query/function_spec.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codec/base/check.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

// In the order of the enums; the kinds that a sub query may have.
constexpr std::array<std::string_view, 2> kKindNames = {"top", "bottom"};
constexpr std::array<std::string_view, 5> kByNames = {"max", "min", "avg", "last", "sum"};

// Sets `*value` to the enumerator whose name is `name`. False: no such name.
template <typename Enum, size_t n>
bool ParseName(const std::array<std::string_view, n>& names, std::string_view name, Enum* value) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return false;
  *value = static_cast<Enum>(found - names.begin());
  return true;
}

// True if all of `text` is a count in decimal digits, without a leading zero.
bool ParseCount(std::string_view text, size_t* count) {
  if (text.empty() || text[0] < '1' || text[0] > '9') return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *count);
  return error == std::errc() && end == text.data() + text.size() && *count <= kRankedSeriesMax;
}

}  // namespace

absl::StatusOr<FunctionSpec> ParseFunctionSpec(std::string_view text) {
  FunctionSpec spec;
  const size_t open = text.find('(');
  const size_t comma = text.find(',');
  const bool is_whole = open != std::string_view::npos && comma != std::string_view::npos &&
                        comma > open && text.ends_with(')');
  if (is_whole && ParseName(kKindNames, text.substr(0, open), &spec.kind) &&
      ParseCount(text.substr(open + 1, comma - open - 1), &spec.count) &&
      ParseName(kByNames, text.substr(comma + 1, text.size() - comma - 2), &spec.by)) {
    return spec;
  }
  return absl::InvalidArgumentError(
      fmt::format("function {}: unknown form; expected top(N,BY) or bottom(N,BY) with N from 1 to "
                  "{} and BY one of {}",
                  QuoteForMessage(text), kRankedSeriesMax, fmt::join(kByNames, ", ")));
}

std::string FunctionText(const FunctionSpec& spec) {
  HOURCELL_CHECK(static_cast<size_t>(spec.kind) < kKindNames.size());
  return fmt::format("{}({},{})", kKindNames[static_cast<size_t>(spec.kind)], spec.count,
                     kByNames[static_cast<size_t>(spec.by)]);
}

}  // namespace hourcell
