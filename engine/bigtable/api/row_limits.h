// RowLimits: the service's limits, and splitting of row mutations into requests within them. The
// emulator does not enforce these limits, so they are checked here.

#pragma once

#include <bigtable_proto/bigtable.pb.h>
#include <cstddef>
#include <vector>

#include <absl/status/status.h>

namespace hourcell {

struct BigtableLimits {
  size_t mutations_max = 100'000;               // per request, and per row
  size_t request_bytes_max = size_t{32} << 20;  // the service allows 256 MiB; smaller saves memory
  size_t key_bytes_max = size_t{4} << 10;
  size_t value_bytes_max = size_t{100} << 20;
  size_t row_bytes_max = size_t{256} << 20;
  size_t filter_bytes_max = size_t{20} << 10;
};

using RowMutations = google::bigtable::v2::MutateRowsRequest::Entry;

// kInvalidArgument: the row fits no request. Its key or a value is too long, or it has too many
// mutations, or none.
absl::Status CheckRow(const RowMutations& row, const BigtableLimits& limits);

// kInvalidArgument: the filter is longer than the service allows.
absl::Status CheckFilter(const google::bigtable::v2::RowFilter& filter,
                         const BigtableLimits& limits);

// The number of rows from `begin` on that fit into one request; at least one if there is a row.
size_t RowsThatFit(const std::vector<RowMutations>& rows,
                   size_t begin,
                   const BigtableLimits& limits);

}  // namespace hourcell
