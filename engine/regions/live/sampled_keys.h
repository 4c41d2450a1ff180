// SampledKeys: the row keys of sampled points. It keeps the tsuids of the latest series, because
// the next sample mostly has the same ones. Not thread-safe: for the thread that maintains regions.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/status/statusor.h>

#include "codec/rows/row_key.h"
#include "engine/regions/live/put_sample.h"
#include "engine/rows/series_key.h"
#include "engine/series/series_table.h"

namespace hourcell {

class SampledKeys {
 public:
  static constexpr size_t kKnownMax = 8'192;

  // Both are borrowed.
  SampledKeys(const SeriesTable* series, const RowKeyCodec* row_keys)
      : series_(series), row_keys_(row_keys) {}

  // One key for each; empty if its series is gone.
  absl::StatusOr<std::vector<std::string>> Of(std::span<const SampledPut> puts);

 private:
  absl::Status LookUp(std::span<const SampledPut> puts);

  const SeriesTable* const series_;
  const RowKeyCodec* const row_keys_;
  // Numbers are never reused, so an entry stays valid.
  absl::flat_hash_map<SeriesNumber, std::string> known_;
};

}  // namespace hourcell
