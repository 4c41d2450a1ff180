#include "engine/bigtable/api/row_limits.h"

#include <string_view>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"

namespace hourcell {
namespace {

absl::Status CheckAtMost(std::string_view what, size_t size, size_t most) {
  if (size <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("bigtable: {} of {}; expected at most {}", what, size, most));
}

}  // namespace

absl::Status CheckRow(const RowMutations& row, const BigtableLimits& limits) {
  if (row.row_key().empty()) return absl::InvalidArgumentError("bigtable: a row with no key");
  HOURCELL_RETURN_IF_ERROR(
      CheckAtMost("a row key with bytes", row.row_key().size(), limits.key_bytes_max));
  const auto mutations = static_cast<size_t>(row.mutations_size());
  if (mutations == 0) {
    return absl::InvalidArgumentError(
        fmt::format("bigtable: row {} with no mutation", ToHex(row.row_key())));
  }
  HOURCELL_RETURN_IF_ERROR(CheckAtMost("a row with mutations", mutations, limits.mutations_max));
  for (const auto& mutation : row.mutations()) {
    HOURCELL_RETURN_IF_ERROR(CheckAtMost("a value with bytes", mutation.set_cell().value().size(),
                                         limits.value_bytes_max));
  }
  return CheckAtMost("a row with bytes", row.ByteSizeLong(), limits.row_bytes_max);
}

absl::Status CheckFilter(const google::bigtable::v2::RowFilter& filter,
                         const BigtableLimits& limits) {
  return CheckAtMost("a filter with bytes", filter.ByteSizeLong(), limits.filter_bytes_max);
}

size_t RowsThatFit(const std::vector<RowMutations>& rows,
                   size_t begin,
                   const BigtableLimits& limits) {
  HOURCELL_DCHECK(begin <= rows.size());
  size_t mutations = 0;
  size_t bytes = 0;
  size_t end = begin;
  for (; end < rows.size(); ++end) {
    mutations += static_cast<size_t>(rows[end].mutations_size());
    bytes += rows[end].ByteSizeLong();
    const bool fits = mutations <= limits.mutations_max && bytes <= limits.request_bytes_max;
    if (!fits && end > begin) break;
  }
  return end - begin;
}

}  // namespace hourcell
