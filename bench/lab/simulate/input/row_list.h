// RowList: the rows of a store as a PutSource: collected in the order of their keys, put again in
// the order of their hours, as originally written; within an hour in the order of the keys.
//
// Memory: about 24 bytes and the key for each row; at most kRowListBytesMax. The list outlives its
// sources. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "bench/lab/simulate/input/put_source.h"
#include "bench/lab/simulate/input/trace_names.h"
#include "codec/point.h"

namespace hourcell {

inline constexpr size_t kRowListBytesMax = size_t{2} << 30;

class RowList {
 public:
  // Adds a row of `points` points. kResourceExhausted: too many rows or names.
  absl::Status Add(std::string_view key,
                   std::string_view metric,
                   std::span<const TagView> tags,
                   uint32_t base_time_s,
                   uint32_t points);

  size_t size() const { return rows_.size(); }

  // Sorts the rows by arrival; Add must not follow.
  void Sort();
  // REQUIRES: Sort was called last.
  std::unique_ptr<PutSource> NewSource() const;

 private:
  friend class RowListSource;
  struct Row {
    uint64_t key_begin = 0;
    uint32_t key_bytes = 0;
    uint32_t base_time_s = 0;
    uint32_t points = 0;
    uint32_t series = 0;
  };

  std::vector<Row> rows_;
  std::string keys_;
  TraceNames names_;
  std::vector<std::string> tsuids_;  // by number of the series
};

}  // namespace hourcell
