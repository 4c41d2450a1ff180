#include "engine/series/series_list.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "codec/base/status_macros.h"

namespace hourcell {

size_t SeriesList::allocated_bytes() const {
  return numbers_.capacity() * sizeof(SeriesNumber) + tsuids_.capacity() +
         tsuid_ends_.capacity() * sizeof(size_t) + tags_.allocated_bytes();
}

void SeriesList::Append(const SeriesList& from, size_t begin, size_t end) {
  if (begin == end) return;
  const auto at = [](size_t i) { return static_cast<ptrdiff_t>(i); };
  numbers_.insert(numbers_.end(), from.numbers_.begin() + at(begin),
                  from.numbers_.begin() + at(end));
  const size_t first = begin == 0 ? 0 : from.tsuid_ends_[begin - 1];
  const size_t shift = tsuids_.size() - first;  // may wrap around, and back
  tsuids_.append(from.tsuids_, first, from.tsuid_ends_[end - 1] - first);
  for (size_t i = begin; i < end; ++i)
    tsuid_ends_.push_back(from.tsuid_ends_[i] + shift);
  tags_.Append(from.tags_, begin, end);
}

size_t SeriesList::LowerBound(size_t begin, std::string_view tsuid) const {
  size_t end = size();
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    if (this->tsuid(middle) < tsuid) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

SeriesList SeriesList::Merged(const SeriesList& most, const SeriesList& few) {
  SeriesList merged;
  merged.metric_width_ = most.metric_width_;
  merged.numbers_.reserve(most.size() + few.size());
  merged.tsuids_.reserve(most.tsuids_.size() + few.tsuids_.size());
  merged.tsuid_ends_.reserve(most.size() + few.size());
  merged.tags_.Reserve(most.size() + few.size(), most.tags_.tags() + few.tags_.tags());
  size_t done = 0;  // of `most`
  for (size_t i = 0; i < few.size(); ++i) {
    const size_t place = most.LowerBound(done, few.tsuid(i));
    merged.Append(most, done, place);
    done = place;
    if (place == most.size() || most.tsuid(place) != few.tsuid(i)) merged.Append(few, i, i + 1);
  }
  merged.Append(most, done, most.size());
  return merged;
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
