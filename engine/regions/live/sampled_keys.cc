#include "engine/regions/live/sampled_keys.h"

#include "codec/base/status_macros.h"

// Why tsuids are kept: at two million points a second, 4,096 series were read from the table each
// second, to count points for statistics that are rarely read.

namespace hourcell {

absl::StatusOr<std::vector<std::string>> SampledKeys::Of(std::span<const SampledPut> puts) {
  HOURCELL_RETURN_IF_ERROR(LookUp(puts));
  std::vector<std::string> keys(puts.size());
  for (size_t i = 0; i < puts.size(); ++i) {
    const auto found = known_.find(puts[i].series);
    if (found == known_.end()) continue;
    row_keys_->Append(found->second, puts[i].base_time_s, &keys[i]);
  }
  return keys;
}

absl::Status SampledKeys::LookUp(std::span<const SampledPut> puts) {
  std::vector<SeriesNumber> missing;
  for (const SampledPut& put : puts)
    if (!known_.contains(put.series)) missing.push_back(put.series);
  if (missing.empty()) return absl::OkStatus();
  std::vector<std::string> tsuids;
  HOURCELL_RETURN_IF_ERROR(series_->TsuidsFound(missing, &tsuids));
  if (known_.size() + missing.size() > kKnownMax) {
    known_.clear();
    for (const SampledPut& put : puts)
      missing.push_back(put.series);
    HOURCELL_RETURN_IF_ERROR(series_->TsuidsFound(missing, &tsuids));
  }
  for (size_t i = 0; i < missing.size(); ++i)
    if (!tsuids[i].empty()) known_.try_emplace(missing[i], std::move(tsuids[i]));
  return absl::OkStatus();
}

}  // namespace hourcell
