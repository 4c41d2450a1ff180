// The version of a store's format: the row `format` of the system table. It covers all rows of all
// tables, the names of the column families and the files around them. Every change that an older
// program would misread increments it, so that one row decides whether a program may open a store.
//
//   1   every store without salt epochs
//   2   with the row salt_epochs (system_table.h)
//   4   with or without salt_epochs; rows may have cells of format 3 (codec/cells/cell.h)
//   7   as 4; the data table may have rows of days (codec/rows/row_key.h)
//   8   as 7; the annotation table may have histograms (annotation_key.h, histogram_cell.h)
//   30  as 8; the system table may have deletion records, which hide points (deletion_row.h), and
//       records of shortened TTLs, whose points stay in files (engine/undo/ttl_row.h)
//
// A program that opens an older store for writing raises its format to 4, because every merge of
// rows may write such a cell, to 7 before it writes the first row of a day, to 8 before it writes
// the first histogram, and to 30 before it writes the first such record. 3, 5, 6 and 9 were never
// used: one flipped bit of another gives them; nor 10 to 29: cut to one digit, they are 1 or
// 2.

#pragma once

#include <string_view>

#include <absl/status/status.h>

namespace hourcell {

inline constexpr std::string_view kStoreFormatKey = "format";
inline constexpr std::string_view kStoreFormat = "4";        // of a new store
inline constexpr std::string_view kStoreFormatOfDays = "7";  // of a store with rows of days
inline constexpr std::string_view kStoreFormatOfHistograms = "8";
inline constexpr std::string_view kStoreFormatOfDeletions = "30";  // the highest

// OK if this program reads a store at `path` whose format row is `format`. kFailedPrecondition: a
// newer format, with the remedy. kDataLoss: not a known format.
absl::Status CheckStoreFormat(std::string_view path, std::string_view format);

// True if `format` is the format `other` or a later one. REQUIRES: both are known formats.
bool IsFormatFrom(std::string_view format, std::string_view other);

}  // namespace hourcell
