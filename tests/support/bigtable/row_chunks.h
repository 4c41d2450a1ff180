// RowChunks: filters of ReadRows applied to a row, and rows cut into chunks as the service cuts
// them.

#pragma once

#include <grpcpp/support/status.h>

#include <bigtable_proto/bigtable.pb.h>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/bigtable/fake_row.h"

namespace hourcell {

struct FakeCell {
  std::string family = "h";
  std::string qualifier;
  int64_t timestamp_micros = 0;
  std::string value;
};

// The cells of a row that pass a filter. INVALID_ARGUMENT: a filter that the fake does not have.
grpc::Status FilterRow(const google::bigtable::v2::RowFilter& filter, std::vector<FakeCell>* cells);
std::vector<FakeCell> CellsOf(const FakeRow& row);

// Appends the chunks of one row, which has a cell; the last one commits it.
void AppendChunks(const std::string& key,
                  const std::vector<FakeCell>& cells,
                  size_t chunk_bytes,
                  std::vector<google::bigtable::v2::ReadRowsResponse::CellChunk>* chunks);

}  // namespace hourcell
