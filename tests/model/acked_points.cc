#include "tests/model/acked_points.h"

#include <algorithm>

#include <fmt/format.h>

namespace hourcell {
namespace {

std::string TextOf(const std::optional<ModelValue>& state) {
  if (!state.has_value()) return "nothing";
  const Value& value = state->value;
  return value.is_integer() ? fmt::format("{}", value.integer())
                            : fmt::format("{}", value.floating());
}

}  // namespace

void AckedPoints::Become(Instant* instant, const State& state, Outcome outcome) {
  if (outcome != Outcome::kUnknown) instant->possible.clear();
  if (outcome == Outcome::kSynced) instant->possible_on_disk.clear();
  instant->possible.push_back(state);
  instant->possible_on_disk.push_back(state);
}

void AckedPoints::Put(const Series& series, int64_t ms, const ModelValue& value, Outcome outcome) {
  Become(&points_[series][ms], value, outcome);
}

void AckedPoints::Delete(const std::string& metric,
                         int64_t start_ms,
                         int64_t end_ms,
                         bool is_done) {
  for (auto& [series, instants] : points_) {
    if (series.first != metric) continue;
    for (auto it = instants.lower_bound(start_ms); it != instants.end() && it->first <= end_ms;
         ++it)
      Become(&it->second, State(), is_done ? Outcome::kSynced : Outcome::kUnknown);
  }
}

void AckedPoints::Synced() {
  for (auto& [series, instants] : points_) {
    for (auto& [ms, instant] : instants)
      instant.possible_on_disk = instant.possible;
  }
}

std::string AckedPoints::Fault(const Shown& shown, std::vector<State> Instant::* possible) const {
  std::map<Series, std::map<int64_t, State>> states;
  for (const auto& [series, points] : shown) {
    for (const ShownPoint& point : points) {
      const bool is_new = states[series]
                              .emplace(point.ms, ModelValue{.value = point.value,
                                                            .is_ms = point.is_ms.value_or(false)})
                              .second;
      if (!is_new) return fmt::format("{} {}: shown twice", series.second, point.ms);
      const auto known = points_.find(series);
      if (known == points_.end() || !known->second.contains(point.ms)) {
        return fmt::format("{} {} {}: {} was never put", series.first, series.second, point.ms,
                           TextOf(states[series][point.ms]));
      }
    }
  }
  for (const auto& [series, instants] : points_) {
    const auto& of_series = states[series];
    for (const auto& [ms, instant] : instants) {
      const auto found = of_series.find(ms);
      const State state = found == of_series.end() ? State() : found->second;
      const std::vector<State>& allowed = instant.*possible;
      if (std::ranges::find(allowed, state) != allowed.end()) continue;
      std::string wanted;
      for (const State& other : allowed)
        wanted += (wanted.empty() ? "" : ", or ") + TextOf(other);
      return fmt::format("{} {} {}: shows {}; expected {}", series.first, series.second, ms,
                         TextOf(state), wanted);
    }
  }
  return {};
}

void AckedPoints::Settle(const Shown& shown) {
  for (auto& [series, instants] : points_) {
    for (auto& [ms, instant] : instants)
      instant.possible = instant.possible_on_disk = {State()};
  }
  for (const auto& [series, points] : shown) {
    for (const ShownPoint& point : points) {
      const ModelValue value{.value = point.value, .is_ms = point.is_ms.value_or(false)};
      Become(&points_[series][point.ms], value, Outcome::kSynced);
    }
  }
}

size_t AckedPoints::certain() const {
  size_t count = 0;
  for (const auto& [series, instants] : points_) {
    for (const auto& [ms, instant] : instants) {
      if (std::ranges::find(instant.possible, State()) == instant.possible.end()) ++count;
    }
  }
  return count;
}

}  // namespace hourcell
