// The rows of the table "<prefix>-system", and the cells of other tables that are not of the
// storage port: what the processes that open a store agree on. Values.
//
//   row                    qualifier  value
//   format                 f          the format of the tables
//   writers                n          how many numbers were given to writers: a counter
//   active                 a          the writer lease: the node that writes (ActiveNode)
//                          s          8 bytes, the log start: no block of the journal below it is
//                                     needed (lease_row.h)
//   front                  a          "in `active`". Before there was a column `s`: the log start
//   changes                n          how often something was changed that processes which follow
//                                     the store keep in memory: a counter
//   claim/<counter>/<n>    a          who has the n-th chunk of numbers, and those after it
//                                     (NumberClaim)
//   node/<id>              a          a process that waits (WaitingNode); 16 hexadecimal digits
//   secret                 a          what the processes know, and nobody else
//   secret/<n>             a          those after it, from 1 on (secret_rows.h); 16 hex digits
//   adoption               a          how much of a shared data table is taken over (AdoptionMark)
//
// Numbers are big-endian. Cells of `active` have versions of their writers, so that a write of an
// earlier writer that arrives late is below those of later ones; readers take the newest of each
// column.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/bigtable/api/row_limits.h"
#include "engine/table/opentsdb_tables.h"
#include "engine/table/table.h"

namespace hourcell {

inline constexpr std::string_view kFormatRow = "format";
inline constexpr std::string_view kWritersRow = "writers";
inline constexpr std::string_view kActiveRow = "active";
inline constexpr std::string_view kFrontRow = "front";
inline constexpr std::string_view kChangesRow = "changes";
inline constexpr std::string_view kSecretRow = "secret";
inline constexpr std::string_view kAdoptionRow = "adoption";
inline constexpr std::string_view kSystemQualifier = "a";
inline constexpr std::string_view kLogStartQualifier = "s";

std::string SystemTable(const std::string& prefix);
std::string JournalTable(const std::string& prefix);
std::string ClaimPrefix(std::string_view counter);
std::string ClaimRow(std::string_view counter, uint64_t chunk);

// A writer's versions are those from its first on: greater than all of writers before it. There are
// 2^34 of each of 2^19 writers.
inline constexpr uint64_t kVersionsPerWriter = uint64_t{1} << 34;
constexpr uint64_t FirstVersionOf(uint64_t writer) {
  return writer * kVersionsPerWriter;
}

// One cell of a row. With `replace`, the versions below it go.
RowMutations SystemCell(std::string_view row,
                        std::string_view qualifier,
                        uint64_t version,
                        std::string value,
                        bool replace);

// All cells of a row go.
RowMutations DeletedSystemRow(std::string_view row);

std::string NodeRow(uint64_t id);
// All of them.
ScanRange NodeRows();

std::string EncodeNumber(uint64_t number);
// kDataLoss: not 8 bytes. `what` names it.
absl::StatusOr<uint64_t> DecodeNumber(std::string_view bytes, std::string_view what);

// Chunks of a counter's numbers that a writer has: that of the row, and those that follow it.
struct NumberClaim {
  uint64_t owner = 0;   // the writer
  uint64_t chunks = 1;  // at least 1
  friend bool operator==(const NumberClaim&, const NumberClaim&) = default;
};

// 8 bytes: the owner; of more than one chunk 8 more: their number.
std::string EncodeClaim(const NumberClaim& claim);
// kDataLoss: not the value of such a row.
absl::StatusOr<NumberClaim> DecodeClaim(std::string_view value);

// Which node writes, as its row says.
struct ActiveNode {
  uint64_t writer = 0;
  uint64_t beat = 0;      // counts up while it lives
  bool has_left = false;  // it has ended all that it did
  std::string address;    // where its clients find it; may be empty
  friend bool operator==(const ActiveNode&, const ActiveNode&) = default;
};

std::string EncodeActiveNode(const ActiveNode& node);
// kDataLoss: not the value of such a row.
absl::StatusOr<ActiveNode> DecodeActiveNode(std::string_view value);

// A process that waits to write.
struct WaitingNode {
  uint64_t beat = 0;    // counts up while it lives
  std::string address;  // where its clients find it
  friend bool operator==(const WaitingNode&, const WaitingNode&) = default;
};

std::string EncodeWaitingNode(const WaitingNode& node);
// kDataLoss: not the value of such a row.
absl::StatusOr<WaitingNode> DecodeWaitingNode(std::string_view value);

// 1 byte: '!' if all is done, else '.'; rows and points, 8 bytes each; the next key.
std::string EncodeAdoptionMark(const AdoptionMark& mark);
// kDataLoss: not the value of such a row.
absl::StatusOr<AdoptionMark> DecodeAdoptionMark(std::string_view value);

}  // namespace hourcell
