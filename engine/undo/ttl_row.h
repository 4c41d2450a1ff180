// Records of shortened TTLs: rows of the system table, one for each change, until it is undone or
// its time is over.
//
//   key              value
//   54 'T' | id: 8   01 | changed at, ms: 8 | undo until, ms: 8 | metric UID: 8, 0 = the store
//                       | TTL before: 8 | TTL since: 8 | TTL of files: 8
//
// TTLs are seconds, 0 = no expiry, ff ff ff ff ff ff ff ff = the store's TTL. As long as the record
// is there, rows of the metric, or of all metrics that use the store's TTL, leave files by the TTL
// of files or by a longer one. The counter of deletes gives the ids (engine/rows/deletion_row.h).
// The time of undo is in the record: a program that opens the store with another setting removes no
// point earlier.
//
// Integers are big-endian. Pure; thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/status/statusor.h>

#include "codec/rows/uid.h"
#include "engine/table/table.h"

namespace hourcell {

// One record.
struct TtlRow {
  uint64_t id = 0;
  int64_t changed_ms = 0;
  int64_t until_ms = 0;
  Uid metric = kNoUid;                      // kNoUid: the store
  std::optional<int64_t> before_s = {};     // nullopt: the store's
  std::optional<int64_t> shortened_s = {};  // the same, since
  int64_t file_ttl_s = 0;
  friend bool operator==(const TtlRow&, const TtlRow&) = default;
};

// The keys of all records begin with it.
std::string TtlRowsPrefix();

std::string TtlRowKey(uint64_t id);
// REQUIRES: 0 <= changed_ms <= until_ms; TTLs of 0 to kTtlMaxS; the store's TTLs are given.
std::string TtlRowValue(const TtlRow& row);
// kDataLoss: not a record, or one that TtlRowValue does not write.
absl::StatusOr<TtlRow> ParseTtlRow(std::string_view key, std::string_view value);

// All records of the view, by id. kDataLoss: one does not decode.
absl::StatusOr<std::vector<TtlRow>> ReadTtlRows(TableView* view);

// The longest TTL of files of each metric, and of kNoUid.
absl::flat_hash_map<Uid, int64_t> FileTtlsOf(std::span<const TtlRow> rows);

}  // namespace hourcell
