#include "bench/lab/simulate/input/row_list.h"

#include <algorithm>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/rows/row_span.h"

namespace hourcell {

class RowListSource final : public PutSource {
 public:
  explicit RowListSource(const RowList& list) : list_(list) {}

  absl::StatusOr<bool> Next(SourcePut* put) override {
    if (next_ == list_.rows_.size()) return false;
    const RowList::Row& row = list_.rows_[next_++];
    const uint64_t base_ms = row.base_time_s * uint64_t{1'000};
    put->parts = {.tsuid = list_.tsuids_[row.series],
                  .metric_bytes = list_.names_.metric_bytes(),
                  .number = row.series,
                  .time_ms = base_ms};
    put->row_key = std::string_view(list_.keys_).substr(row.key_begin, row.key_bytes);
    // A row is written at the end of its hour.
    put->now_ms = base_ms + kHourSpan.ms();
    put->puts = row.points;
    put->begins_row = true;
    put->is_hour = true;
    return true;
  }

  uint64_t start_ms() const override {
    return list_.rows_.empty() ? 0 : list_.rows_.front().base_time_s * uint64_t{1'000};
  }
  uint64_t duration_ms() const override {
    if (list_.rows_.empty()) return 0;
    return list_.rows_.back().base_time_s * uint64_t{1'000} + kHourSpan.ms() + 1 - start_ms();
  }

 private:
  const RowList& list_;
  size_t next_ = 0;
};

absl::Status RowList::Add(std::string_view key,
                          std::string_view metric,
                          std::span<const TagView> tags,
                          uint32_t base_time_s,
                          uint32_t points) {
  HOURCELL_ASSIGN_OR_RETURN(const TraceNames::Series series, names_.Find(metric, tags));
  if (keys_.size() + rows_.size() * sizeof(Row) > kRowListBytesMax || series.number > UINT32_MAX) {
    return absl::ResourceExhaustedError(
        fmt::format("{} rows need more than {} bytes; expected a part of the store, by its time",
                    rows_.size(), kRowListBytesMax));
  }
  if (series.number == tsuids_.size()) tsuids_.emplace_back(series.tsuid);
  rows_.push_back({.key_begin = keys_.size(),
                   .key_bytes = static_cast<uint32_t>(key.size()),
                   .base_time_s = base_time_s,
                   .points = points,
                   .series = static_cast<uint32_t>(series.number)});
  keys_.append(key);
  return absl::OkStatus();
}

void RowList::Sort() {
  std::stable_sort(rows_.begin(), rows_.end(),
                   [](const Row& a, const Row& b) { return a.base_time_s < b.base_time_s; });
}

std::unique_ptr<PutSource> RowList::NewSource() const {
  return std::make_unique<RowListSource>(*this);
}

}  // namespace hourcell
