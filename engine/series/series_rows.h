// The rows of the `series` table that series_table.h writes, made and taken apart:
//
//   key                                  value
//   62 'b' | first number, u64           tsuids from this number on (hours/tsuid_list.h): log row
//   69 'i'                               series up to this number have the rows below, u64
//   6e 'n' | number / 64, u64            tsuids of 64 numbers: block row
//   74 't', 6d 'm', 70 'p'               number of a tsuid, postings (series_key.h): index rows
//
// Pure; thread-safe.

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "codec/rows/layout.h"
#include "codec/rows/uid.h"
#include "engine/hours/new_series.h"
#include "engine/rows/series_key.h"
#include "engine/table/table.h"

namespace hourcell {

// Series whose tsuids are in one row. Numbers follow each other in time, and so do lookups.
inline constexpr SeriesNumber kBlockSeries = 64;

// Block rows that are read or written together, of some 4 KiB each.
inline constexpr size_t kBlocksAtOnce = 256;

// The key of the row that has `number`.
std::string BlockKey(SeriesNumber number);

// Sets a row of the table.
Mutation SetSeries(std::string key, std::string value);

// Appends the row of the numbers from `block` * 64 on, as `series` has them.
void AppendBlock(const NewSeries& series, SeriesNumber block, std::vector<Mutation>* group);

// tsuids->at(i) is that of the row's number i; empty if the number has no tsuid, as for all numbers
// of a missing row. They borrow from `row`. kDataLoss: it does not decode.
absl::Status ParseBlock(std::string_view key,
                        const std::optional<std::string>& row,
                        std::vector<std::string_view>* tsuids);

// Appends the index rows of series of one metric, each kind in key order; one merge a posting set,
// however many of the series are in it. The two kinds of rows are apart, since storage without
// atomic groups writes rows of one kind together. REQUIRES: ascending numbers.
void AppendIndexRows(const Layout& layout,
                     Uid metric,
                     std::span<const NewSeries::Entry> series,
                     std::vector<Mutation>* postings,
                     std::vector<Mutation>* tsuids);

// Gives `apply` all rows of series that have log rows only, some at a time; the last call also
// removes the log rows. Returns its first failure, after which it is not called any more.
absl::Status WriteIndexRows(const Layout& layout,
                            const NewSeries& series,
                            const std::function<absl::Status(std::span<const Mutation>)>& apply);

}  // namespace hourcell
