// RowAssembler: builds rows from the chunks of ReadRows. The service may split rows and cell values
// anywhere, across chunks and messages, and may reset a row that it has begun.
//
//   NEW_ROW  --chunk with row key, family, qualifier-->  IN_ROW
//   IN_ROW   --chunk with value_size > 0-->  IN_VALUE    the value continues in the next chunk
//   IN_VALUE --chunk with value_size = 0-->  IN_ROW
//   any but NEW_ROW  --reset_row-->  NEW_ROW             the row's chunks so far are void
//   IN_ROW   --commit_row-->  NEW_ROW                    the row is complete

#pragma once

#include <bigtable_proto/bigtable.pb.h>
#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/status.h>

namespace hourcell {

struct BigtableCell {
  std::string qualifier = {};
  int64_t timestamp_micros = 0;
  std::string value = {};
  std::string family = {};
};

// The cells of one row in the order received: within one family and qualifier, newest first.
struct BigtableRow {
  std::string key;
  std::vector<BigtableCell> cells;
};

// Thread-compatible.
class RowAssembler {
 public:
  // `reversed`: rows arrive from last to first.
  explicit RowAssembler(bool reversed) : reversed_(reversed) {}

  // Appends the rows that a message completes. kInternal: a chunk that the state does not allow, or
  // rows out of order. The stream is unusable then; rows already appended are complete.
  absl::Status Add(const google::bigtable::v2::ReadRowsResponse& message,
                   std::vector<BigtableRow>* rows);

  // kInternal: the stream ended within a row.
  absl::Status Finish() const;

  // All rows up to this key were received; empty: none yet.
  const std::string& last_key() const { return last_key_; }

 private:
  using Chunk = google::bigtable::v2::ReadRowsResponse::CellChunk;
  enum class State : uint8_t { kNewRow, kInRow, kInValue };

  absl::Status AddChunk(const Chunk& chunk, std::vector<BigtableRow>* rows);
  absl::Status CheckFirst(const Chunk& chunk) const;
  absl::Status CheckNext(const Chunk& chunk) const;
  void BeginCell(const Chunk& chunk);
  // True if `key` may come next.
  bool IsAfterLast(const std::string& key) const;

  const bool reversed_;
  State state_ = State::kNewRow;
  BigtableRow row_;
  std::string family_;
  std::string qualifier_;
  std::string last_key_;
};

}  // namespace hourcell
