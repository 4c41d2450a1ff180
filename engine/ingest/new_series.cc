#include "engine/ingest/new_series.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "codec/base/bytes.h"
#include "codec/base/check.h"

namespace hourcell {
namespace {

constexpr size_t kPieceBytes = 64 << 10;

}  // namespace

void NewSeries::Add(SeriesNumber number, std::string_view tsuid) {
  HOURCELL_CHECK(number >= first_number_ && tsuid.size() > layout_.metric_width);
  const size_t place = number - first_number_;
  if (place >= by_number_.size()) by_number_.resize(place + 1);
  if (!by_number_[place].empty()) return;
  const std::string_view kept = Keep(tsuid);
  by_number_[place] = kept;
  numbers_.emplace(kept, number);
  const Uid metric = LoadBigEndian(kept.data(), layout_.metric_width);
  metrics_[metric].push_back({.number = number, .tsuid = kept});
}

std::string_view NewSeries::Keep(std::string_view tsuid) {
  HOURCELL_CHECK(tsuid.size() <= kPieceBytes);
  if (pieces_.empty() || kPieceBytes - used_ < tsuid.size()) {
    pieces_.push_back(std::make_unique_for_overwrite<char[]>(kPieceBytes));
    used_ = 0;
  }
  char* const begin = pieces_.back().get() + used_;
  std::memcpy(begin, tsuid.data(), tsuid.size());
  used_ += tsuid.size();
  return {begin, tsuid.size()};
}

SeriesNumber NewSeries::NumberOf(std::string_view tsuid) const {
  const auto found = numbers_.find(tsuid);
  return found == numbers_.end() ? 0 : found->second;
}

std::string_view NewSeries::TsuidOf(SeriesNumber number) const {
  const bool is_here = number >= first_number_ && number - first_number_ < by_number_.size();
  return is_here ? by_number_[number - first_number_] : std::string_view();
}

std::span<const NewSeries::Entry> NewSeries::OfMetric(Uid metric) const {
  const auto found = metrics_.find(metric);
  if (found == metrics_.end()) return {};
  return found->second;
}

void NewSeries::WithTag(Uid metric, const TagUids& tag, std::vector<SeriesNumber>* numbers) const {
  std::string pair;
  AppendBigEndian(tag.tagk, layout_.tagk_width, &pair);
  AppendBigEndian(tag.tagv, layout_.tagv_width, &pair);
  for (const Entry& entry : OfMetric(metric)) {
    for (size_t at = layout_.metric_width; at < entry.tsuid.size(); at += pair.size()) {
      if (entry.tsuid.substr(at, pair.size()) != pair) continue;
      numbers->push_back(entry.number);
      break;
    }
  }
}

void NewSeries::VisitMetrics(
    const std::function<void(Uid metric, std::span<const Entry> series)>& visit) const {
  for (const auto& [metric, series] : metrics_)
    visit(metric, series);
}

std::unique_ptr<NewSeries> NewSeries::SplitBehind(SeriesNumber last) {
  HOURCELL_CHECK(last + 1 >= first_number_ && last <= last_number());
  auto behind = std::make_unique<NewSeries>(layout_, last + 1);
  for (SeriesNumber number = last + 1; number <= last_number(); ++number) {
    const std::string_view tsuid = TsuidOf(number);
    if (tsuid.empty()) continue;
    behind->Add(number, tsuid);
    numbers_.erase(tsuid);
  }
  behind->VisitMetrics([this, last](Uid metric, std::span<const Entry> /*series*/) {
    std::erase_if(metrics_[metric], [last](const Entry& entry) { return entry.number > last; });
  });
  by_number_.resize(last + 1 - first_number_);
  const auto moved =
      std::ranges::partition(log_rows_, [last](const LogRow& row) { return row.second <= last; });
  behind->log_rows_.assign(moved.begin(), moved.end());
  log_rows_.erase(moved.begin(), moved.end());
  return behind;
}

}  // namespace hourcell
