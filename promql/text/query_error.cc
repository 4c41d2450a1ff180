#include "promql/text/query_error.h"

#include <algorithm>

#include <fmt/format.h>

#include "codec/base/check.h"

namespace hourcell::promql {

absl::Status QueryError(std::string_view text, size_t at, std::string_view message) {
  HOURCELL_CHECK(at <= text.size());
  const std::string_view before = text.substr(0, at);
  const auto line = std::ranges::count(before, '\n') + 1;
  const size_t line_break = before.rfind('\n');
  const size_t place = line_break == std::string_view::npos ? at + 1 : at - line_break;
  return absl::InvalidArgumentError(fmt::format("{}:{}: parse error: {}", line, place, message));
}

}  // namespace hourcell::promql
