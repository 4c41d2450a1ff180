#include "engine/bigtable/api/row_assembler.h"

#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"

namespace hourcell {
namespace {

absl::Status BadChunk(std::string_view what, std::string_view key) {
  return absl::InternalError(fmt::format("read rows: {} in row {}", what, ToHex(key)));
}

}  // namespace

absl::Status RowAssembler::Add(const google::bigtable::v2::ReadRowsResponse& message,
                               std::vector<BigtableRow>* rows) {
  for (const Chunk& chunk : message.chunks())
    HOURCELL_RETURN_IF_ERROR(AddChunk(chunk, rows));
  const std::string& scanned = message.last_scanned_row_key();
  if (scanned.empty()) return absl::OkStatus();
  if (state_ != State::kNewRow) return BadChunk("a scanned key", row_.key);
  if (!last_key_.empty() && scanned != last_key_ && !IsAfterLast(scanned)) {
    return BadChunk("a scanned key out of order", scanned);
  }
  last_key_ = scanned;
  return absl::OkStatus();
}

absl::Status RowAssembler::Finish() const {
  return state_ == State::kNewRow ? absl::OkStatus() : BadChunk("an end", row_.key);
}

bool RowAssembler::IsAfterLast(const std::string& key) const {
  if (last_key_.empty()) return true;
  return reversed_ ? key < last_key_ : key > last_key_;
}

absl::Status RowAssembler::CheckFirst(const Chunk& chunk) const {
  HOURCELL_DCHECK(row_.cells.empty());  // the row before was handed out or reset
  if (chunk.row_key().empty()) return BadChunk("no key", last_key_);
  if (!chunk.has_family_name()) return BadChunk("no family", chunk.row_key());
  if (!chunk.has_qualifier()) return BadChunk("no qualifier", chunk.row_key());
  if (!IsAfterLast(chunk.row_key())) return BadChunk("a key out of order", chunk.row_key());
  return absl::OkStatus();
}

absl::Status RowAssembler::CheckNext(const Chunk& chunk) const {
  if (!chunk.row_key().empty() && chunk.row_key() != row_.key) {
    return BadChunk("another row's key", row_.key);
  }
  if (state_ == State::kInValue) {
    if (chunk.has_family_name() || chunk.has_qualifier() || chunk.timestamp_micros() != 0) {
      return BadChunk("a new cell within a value", row_.key);
    }
  } else if (chunk.has_family_name() && !chunk.has_qualifier()) {
    return BadChunk("a family without a qualifier", row_.key);
  }
  return absl::OkStatus();
}

void RowAssembler::BeginCell(const Chunk& chunk) {
  if (chunk.has_family_name()) family_ = chunk.family_name().value();
  if (chunk.has_qualifier()) qualifier_ = chunk.qualifier().value();
  row_.cells.push_back({.qualifier = qualifier_,
                        .timestamp_micros = chunk.timestamp_micros(),
                        .value = chunk.value(),
                        .family = family_});
}

absl::Status RowAssembler::AddChunk(const Chunk& chunk, std::vector<BigtableRow>* rows) {
  if (chunk.reset_row()) {
    if (state_ == State::kNewRow) return BadChunk("a reset before its start", last_key_);
    row_ = {};
    state_ = State::kNewRow;
    return absl::OkStatus();
  }
  if (state_ == State::kNewRow) {
    HOURCELL_RETURN_IF_ERROR(CheckFirst(chunk));
    row_ = {.key = chunk.row_key(), .cells = {}};
    BeginCell(chunk);
  } else {
    HOURCELL_RETURN_IF_ERROR(CheckNext(chunk));
    if (state_ == State::kInValue) {
      row_.cells.back().value += chunk.value();
    } else {
      BeginCell(chunk);
    }
  }
  if (chunk.value_size() < 0) return BadChunk("a value of less than no bytes", row_.key);
  state_ = chunk.value_size() > 0 ? State::kInValue : State::kInRow;
  if (!chunk.commit_row()) return absl::OkStatus();
  if (state_ == State::kInValue) return BadChunk("a commit within a value", row_.key);
  last_key_ = row_.key;
  rows->push_back(std::exchange(row_, {}));
  state_ = State::kNewRow;
  return absl::OkStatus();
}

}  // namespace hourcell
