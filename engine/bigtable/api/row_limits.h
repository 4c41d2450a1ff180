// RowLimits: the service's limits, and lists of row mutations cut into requests that keep them. The
// emulator takes more than the service, so that they are checked here.

#pragma once

#include <bigtable_proto/bigtable.pb.h>
#include <cstddef>
#include <vector>

#include <absl/status/status.h>

namespace hourcell {

struct BigtableLimits {
  size_t mutations_max = 100'000;               // of a request, and of a row in it
  size_t request_bytes_max = size_t{32} << 20;  // below the service's 256 MiB, to keep memory low
  size_t key_bytes_max = size_t{4} << 10;
  size_t value_bytes_max = size_t{100} << 20;
  size_t row_bytes_max = size_t{256} << 20;
  size_t filter_bytes_max = size_t{20} << 10;
};

using RowMutations = google::bigtable::v2::MutateRowsRequest::Entry;

// kInvalidArgument: a row that no request can have: its key or a value is too long, or it has too
// many mutations or none.
absl::Status CheckRow(const RowMutations& row, const BigtableLimits& limits);

// kInvalidArgument: the filter is longer than the service takes.
absl::Status CheckFilter(const google::bigtable::v2::RowFilter& filter,
                         const BigtableLimits& limits);

// How many of the rows from `begin` on fit into one request; at least one if there is one.
size_t RowsThatFit(const std::vector<RowMutations>& rows,
                   size_t begin,
                   const BigtableLimits& limits);

}  // namespace hourcell
