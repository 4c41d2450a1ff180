// Small tables for tests of the model: a put of one row is 100 bytes, a flush is at 1,000.

#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/lab/simulate/model/table_model.h"
#include "codec/base/check.h"
#include "codec/base/random.h"

namespace hourcell {

// Keys of eight digits; rows of 100 bytes.
inline std::string KeyText(uint64_t number) {
  return fmt::format("{:08}", number);
}

// IncreasingToUpperBound up to 10,000 bytes, no jitter, no appends, no normaliser's age.
inline ModelSettings SmallSettings() {
  ModelSettings settings;
  SplitSettings& split = settings.regions.split;
  split.flush_bytes = 1'000;
  split.max_bytes = 10'000;
  split.jitter = 0;
  split.daughter_bytes_min = 100;
  split.append.is_enabled = false;
  split.append.window = 16;
  settings.regions.normalizer.is_enabled = true;
  settings.cells = {.model = CellModel::kHBase,
                    .family_bytes = 1,
                    .qualifier_bytes = 2,
                    .value_bytes = 100 - 31 - 8 + 8};
  settings.lsm_compaction.bytes_min = 1'000;
  settings.memory_bytes = 1'000'000;
  return settings;
}

inline std::unique_ptr<TableModel> MakeTable(const ModelSettings& settings,
                                             std::vector<std::string> split_keys = {}) {
  auto table = TableModel::Make({.settings = settings, .split_keys = std::move(split_keys)});
  HOURCELL_CHECK(table.ok());
  return *std::move(table);
}

struct PourOptions {
  uint64_t seed = 1;
  uint64_t puts = 1'000;
  uint64_t keys = 100'000'000;  // drawn evenly from so many
  bool ascending = false;       // in turn instead
};

// Puts of one row each, one a millisecond after the last put.
inline void Pour(TableModel* table, const PourOptions& options) {
  Random random(options.seed);
  const uint64_t begin_ms = table->now_ms();
  for (uint64_t i = 0; i < options.puts; ++i) {
    const uint64_t number = options.ascending ? i : random.Below(options.keys);
    table->Put({.key = KeyText(number),
                .now_ms = begin_ms + i,
                .point_ms = begin_ms + i,
                .puts = 1,
                .rows = 1});
  }
}

inline std::vector<uint64_t> PutsOf(const TableModel& table) {
  std::vector<uint64_t> puts;
  for (const auto& region : table.regions())
    puts.push_back(region->puts);
  return puts;
}

// Where the files of a store begin and end, as one histogram.
inline KeyHistogram KeysOf(const StoreModel& store) {
  KeyHistogram all(16);
  for (const FileSpan& span : store.Spans()) {
    all.Add(span.smallest, {.cells = 1, .rows = 1, .bytes = 1}, 0);
    all.Add(span.largest, {.cells = 1, .rows = 1, .bytes = 1}, 0);
  }
  return all;
}

}  // namespace hourcell
