#include "tests/support/bigtable/row_chunks.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace hourcell {

namespace api = google::bigtable::v2;

std::vector<FakeCell> CellsOf(const FakeRow& row) {
  std::vector<FakeCell> cells;
  for (const auto& [column, versions] : row) {
    for (const auto& [micros, value] : versions) {
      cells.push_back({.family = column.family,
                       .qualifier = column.qualifier,
                       .timestamp_micros = micros,
                       .value = value});
    }
  }
  return cells;
}

namespace {

grpc::Status Interleave(const api::RowFilter::Interleave& filter, std::vector<FakeCell>* cells) {
  std::vector<FakeCell> all;
  for (const api::RowFilter& each : filter.filters()) {
    std::vector<FakeCell> some = *cells;
    if (const grpc::Status status = FilterRow(each, &some); !status.ok()) return status;
    all.insert(all.end(), some.begin(), some.end());
  }
  std::ranges::sort(all, [](const FakeCell& a, const FakeCell& b) {
    return std::tie(a.family, a.qualifier, b.timestamp_micros) <
           std::tie(b.family, b.qualifier, a.timestamp_micros);
  });
  *cells = std::move(all);
  return grpc::Status::OK;
}

// Keeps the newest `limit` cells of each column.
void LimitColumns(size_t limit, std::vector<FakeCell>* cells) {
  size_t of_column = 0;
  std::vector<FakeCell> kept;
  for (FakeCell& cell : *cells) {
    const bool is_next = !kept.empty() && kept.back().family == cell.family &&
                         kept.back().qualifier == cell.qualifier;
    of_column = is_next ? of_column + 1 : 1;
    if (of_column <= limit) kept.push_back(std::move(cell));
  }
  *cells = std::move(kept);
}

}  // namespace

grpc::Status FilterRow(const api::RowFilter& filter, std::vector<FakeCell>* cells) {
  switch (filter.filter_case()) {
    case api::RowFilter::FILTER_NOT_SET:
      return grpc::Status::OK;
    case api::RowFilter::kChain:
      for (const api::RowFilter& each : filter.chain().filters()) {
        if (const grpc::Status status = FilterRow(each, cells); !status.ok()) return status;
      }
      return grpc::Status::OK;
    case api::RowFilter::kInterleave:
      return Interleave(filter.interleave(), cells);
    case api::RowFilter::kFamilyNameRegexFilter:
      // A name is an expression that matches it.
      std::erase_if(*cells, [&](const FakeCell& cell) {
        return cell.family != filter.family_name_regex_filter();
      });
      return grpc::Status::OK;
    case api::RowFilter::kCellsPerColumnLimitFilter:
      LimitColumns(static_cast<size_t>(filter.cells_per_column_limit_filter()), cells);
      return grpc::Status::OK;
    case api::RowFilter::kTimestampRangeFilter: {
      const api::TimestampRange& range = filter.timestamp_range_filter();
      std::erase_if(*cells, [&](const FakeCell& cell) {
        return cell.timestamp_micros < range.start_timestamp_micros() ||
               (range.end_timestamp_micros() > 0 &&
                cell.timestamp_micros >= range.end_timestamp_micros());
      });
      return grpc::Status::OK;
    }
    case api::RowFilter::kCellsPerRowLimitFilter:
      cells->resize(
          std::min(cells->size(), static_cast<size_t>(filter.cells_per_row_limit_filter())));
      return grpc::Status::OK;
    case api::RowFilter::kStripValueTransformer:
      for (FakeCell& cell : *cells)
        cell.value.clear();
      return grpc::Status::OK;
  }
  return {grpc::StatusCode::INVALID_ARGUMENT, "no such filter"};
}

void AppendChunks(const std::string& key,
                  const std::vector<FakeCell>& cells,
                  size_t chunk_bytes,
                  std::vector<api::ReadRowsResponse::CellChunk>* chunks) {
  for (const FakeCell& cell : cells) {
    const size_t step = chunk_bytes == 0 ? std::max<size_t>(cell.value.size(), 1) : chunk_bytes;
    for (size_t from = 0; from == 0 || from < cell.value.size(); from += step) {
      api::ReadRowsResponse::CellChunk& chunk = chunks->emplace_back();
      if (&cell == &cells.front() && from == 0) {
        chunk.set_row_key(key);
      }
      if (from == 0) {
        // A family and a qualifier that are as before may be left out.
        const bool is_family = &cell == &cells.front() || (&cell - 1)->family != cell.family;
        if (is_family) chunk.mutable_family_name()->set_value(cell.family);
        const bool is_new = is_family || (&cell - 1)->qualifier != cell.qualifier;
        if (is_new) chunk.mutable_qualifier()->set_value(cell.qualifier);
        chunk.set_timestamp_micros(cell.timestamp_micros);
      }
      chunk.set_value(cell.value.substr(from, step));
      if (from + step < cell.value.size()) {
        chunk.set_value_size(static_cast<int32_t>(cell.value.size()));
      }
    }
  }
  chunks->back().set_commit_row(true);
}

}  // namespace hourcell
