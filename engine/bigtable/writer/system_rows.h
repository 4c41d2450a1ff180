// The rows of the table "<prefix>-system", and cells outside the storage port: the state that the
// nodes of a store share. Value types.
//
//   row                    qualifier  value
//   format                 f          the format of the tables
//   writers                n          counter: how many writer numbers were assigned
//   active                 a          the writer lease: the writer's node (ActiveNode)
//                          s          8 bytes, the log start: journal blocks below it are not
//                                     needed (lease_row.h)
//   front                  a          "in `active`". Before the column `s` existed: the log start
//   changes                n          counter: changes to state that followers keep in memory
//   claim/<counter>/<n>    a          an ID range from chunk n on, and its owner (IdRange)
//   node/<id>              a          a standby (WaitingNode); 16 hexadecimal digits
//   secret                 a          the first secret that the nodes share
//   secret/<n>             a          later secrets, from 1 on (secret_rows.h); 16 hex digits
//   adoption               a          progress of adopting a shared data table (AdoptionMark)
//
// Numbers are big-endian. Cells of `active` use versions of their writers, so that a late write of
// an earlier writer is below those of later writers; readers use the newest cell of each column.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/bigtable/api/row_limits.h"
#include "engine/opentsdb/opentsdb_tables.h"
#include "engine/table/table.h"

namespace hourcell {

inline constexpr std::string_view kFormatRow = "format";
inline constexpr std::string_view kWritersRow = "writers";
inline constexpr std::string_view kActiveRow = "active";
inline constexpr std::string_view kOldLogStartRow = "front";
inline constexpr std::string_view kChangesRow = "changes";
inline constexpr std::string_view kSecretRow = "secret";
inline constexpr std::string_view kAdoptionRow = "adoption";
inline constexpr std::string_view kSystemQualifier = "a";
inline constexpr std::string_view kLogStartQualifier = "s";

std::string ClusterTable(const std::string& prefix);
std::string JournalTable(const std::string& prefix);
std::string IdRangePrefix(std::string_view counter);
std::string IdRangeRow(std::string_view counter, uint64_t chunk);

// A writer's versions start at its first version and are greater than those of all earlier writers.
// 2^19 writers have 2^34 versions each.
inline constexpr uint64_t kVersionsPerWriter = uint64_t{1} << 34;
constexpr uint64_t FirstVersionOf(uint64_t writer) {
  return writer * kVersionsPerWriter;
}

// One cell of a row. `replace` deletes the versions below it.
RowMutations SystemCell(std::string_view row,
                        std::string_view qualifier,
                        uint64_t version,
                        std::string value,
                        bool replace);

// Deletes all cells of a row.
RowMutations DeletedSystemRow(std::string_view row);

std::string NodeRow(uint64_t id);
// The range of all node rows.
ScanRange NodeRows();

std::string EncodeNumber(uint64_t number);
// kDataLoss: not 8 bytes. `what` names the value in the error.
absl::StatusOr<uint64_t> DecodeNumber(std::string_view bytes, std::string_view what);

// An ID range: the chunk of the row and the following chunks.
struct IdRange {
  uint64_t owner = 0;   // the writer that has it
  uint64_t chunks = 1;  // at least 1
  friend bool operator==(const IdRange&, const IdRange&) = default;
};

// 8 bytes: the owner; for more than one chunk, 8 more: the number of chunks.
std::string EncodeIdRange(const IdRange& claim);
// kDataLoss: `value` does not decode.
absl::StatusOr<IdRange> DecodeIdRange(std::string_view value);

// The writer's node, as stored in the row.
struct ActiveNode {
  uint64_t writer = 0;
  uint64_t heartbeat = 0;  // incremented while the node lives
  bool has_left = false;   // it has ended all its calls
  std::string address;     // where clients reach it; may be empty
  friend bool operator==(const ActiveNode&, const ActiveNode&) = default;
};

std::string EncodeActiveNode(const ActiveNode& node);
// kDataLoss: `value` does not decode.
absl::StatusOr<ActiveNode> DecodeActiveNode(std::string_view value);

// A standby.
struct WaitingNode {
  uint64_t heartbeat = 0;  // incremented while the node lives
  std::string address;     // where clients reach it
  friend bool operator==(const WaitingNode&, const WaitingNode&) = default;
};

std::string EncodeWaitingNode(const WaitingNode& node);
// kDataLoss: `value` does not decode.
absl::StatusOr<WaitingNode> DecodeWaitingNode(std::string_view value);

// 1 byte: '!' if complete, else '.'; rows and points, 8 bytes each; the next key.
std::string EncodeAdoptionMark(const AdoptionMark& mark);
// kDataLoss: `value` does not decode.
absl::StatusOr<AdoptionMark> DecodeAdoptionMark(std::string_view value);

}  // namespace hourcell
