#include "engine/series_list.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "codec/base/status_macros.h"

namespace hourcell {

size_t SeriesList::allocated_bytes() const {
  return numbers_.capacity() * sizeof(SeriesNumber) + tsuids_.capacity() +
         tsuid_ends_.capacity() * sizeof(size_t) + tags_.allocated_bytes();
}

absl::Status SeriesListBuilder::Add(SeriesNumber number, std::string_view tsuid) {
  HOURCELL_ASSIGN_OR_RETURN(const SeriesUids uids, ParseTsuid(layout_, tsuid));
  if (list_.size() > 0 && list_.tsuid(list_.size() - 1) > tsuid) ascends_ = false;
  list_.numbers_.push_back(number);
  list_.tsuids_.append(tsuid);
  list_.tsuid_ends_.push_back(list_.tsuids_.size());
  list_.tags_.push_back(uids.tags);
  return absl::OkStatus();
}

SeriesList SeriesListBuilder::Build() && {
  list_.metric_width_ = layout_.metric_width;
  if (ascends_) return std::move(list_);
  std::vector<uint32_t> order(list_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [this](uint32_t i) { return list_.tsuid(i); });
  SeriesList sorted;
  sorted.metric_width_ = layout_.metric_width;
  for (const uint32_t i : order) {
    sorted.numbers_.push_back(list_.number(i));
    sorted.tsuids_.append(list_.tsuid(i));
    sorted.tsuid_ends_.push_back(sorted.tsuids_.size());
    sorted.tags_.push_back(list_.tags(i));
  }
  return sorted;
}

}  // namespace hourcell
