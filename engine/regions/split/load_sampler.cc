#include "engine/regions/split/load_sampler.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/regions/region_name.h"

// Why a reservoir of keys and not a histogram: CockroachDB's load-based splitting needs no
// knowledge of how keys are spread, and its memory is a few keys. It finds no point if one key
// alone is hot; a majority vote finds that key, so that the verdict can name it instead of
// splitting in vain.

namespace hourcell {
namespace {

// A key is hot if more than half of the requests are for it.
constexpr double kHotShare = 0.5;

double Ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

LoadScore ScoreOf(const LoadCounts& counts, const LoadSettings& settings) {
  const uint64_t sides = counts.left + counts.right;
  const uint64_t difference = std::max(counts.left, counts.right) * 2 - sides;
  LoadScore score{.balance = Ratio(difference, sides),
                  .contained = Ratio(counts.contained, counts.total())};
  if (counts.total() < settings.observations_min) {
    score.why =
        fmt::format("{} observations; expected {}", counts.total(), settings.observations_min);
  } else if (score.balance >= settings.imbalance_max) {
    score.why = fmt::format("imbalance {:.2f}; expected below {:.2f}", score.balance,
                            settings.imbalance_max);
  } else if (score.contained >= settings.contained_max) {
    score.why = fmt::format("{:.2f} of the requests span it; expected below {:.2f}",
                            score.contained, settings.contained_max);
  } else {
    score.is_eligible = true;
  }
  return score;
}

LoadSampler::LoadSampler(const LoadSettings& settings, uint64_t seed)
    : settings_(settings), random_(seed) {}

void LoadSampler::RecordKey(uint64_t now_ms, std::string_view key) {
  if (!CountRequest(now_ms)) return;
  for (Sample& sample : samples_)
    ++(key < sample.key ? sample.counts.left : sample.counts.right);
  Vote(key);
  Draw(key);
}

void LoadSampler::RecordRange(uint64_t now_ms, std::string_view start, std::string_view end) {
  if (!CountRequest(now_ms)) return;
  for (Sample& sample : samples_) {
    if (!end.empty() && end <= sample.key) {
      ++sample.counts.left;
    } else if (start >= sample.key) {
      ++sample.counts.right;
    } else {
      ++sample.counts.contained;
    }
  }
  Vote(start);
  Draw(start);
}

LoadVerdict LoadSampler::Judge(uint64_t now_ms, std::string_view region_start) const {
  LoadVerdict verdict{.requests_per_s = requests_per_s(now_ms)};
  if (!is_recording_ || verdict.requests_per_s < settings_.requests_per_s_min) {
    verdict.reason = fmt::format("{:.0f} requests/s; expected {:.0f}", verdict.requests_per_s,
                                 settings_.requests_per_s_min);
    return verdict;
  }
  if (now_ms - recording_since_ms_ < settings_.record_ms_min) {
    verdict.reason = fmt::format("watched for {} ms; expected {}", now_ms - recording_since_ms_,
                                 settings_.record_ms_min);
    return verdict;
  }
  std::string why = "no key but the region's start was asked for";
  for (const Sample& sample : samples_) {
    if (sample.key <= region_start) continue;
    const LoadScore score = ScoreOf(sample.counts, settings_);
    if (!score.is_eligible) {
      why = score.why;
    } else if (verdict.point.empty() || score.total() < verdict.score) {
      verdict.point = sample.key;
      verdict.score = score.total();
    }
  }
  if (votes_ > 0 && ShareInReservoir(candidate_) > kHotShare) verdict.hot_key = candidate_;
  if (!verdict.point.empty()) return verdict;
  verdict.reason = verdict.hot_key.empty()
                       ? fmt::format("no key divides the requests: {}", why)
                       : fmt::format("one key, {}, has most of the requests: no split helps",
                                     ToStringBinary(verdict.hot_key));
  return verdict;
}

double LoadSampler::requests_per_s(uint64_t now_ms) const {
  const uint64_t second = now_ms / 1000;
  if (second == second_) return static_cast<double>(requests_before_);
  return second == second_ + 1 ? static_cast<double>(requests_in_second_) : 0;
}

bool LoadSampler::CountRequest(uint64_t now_ms) {
  EndSecond(now_ms);
  ++requests_in_second_;
  if (is_recording_) ++recorded_;
  return is_recording_;
}

void LoadSampler::EndSecond(uint64_t now_ms) {
  if (now_ms / 1000 == second_) return;
  const bool is_busy = requests_per_s(now_ms) >= settings_.requests_per_s_min;
  requests_before_ = now_ms / 1000 == second_ + 1 ? requests_in_second_ : 0;
  requests_in_second_ = 0;
  second_ = now_ms / 1000;
  if (is_busy && !is_recording_) recording_since_ms_ = now_ms;
  if (!is_busy) Reset();
  is_recording_ = is_busy;
}

void LoadSampler::Reset() {
  samples_.clear();
  candidate_.clear();
  votes_ = 0;
  recorded_ = 0;
}

bool LoadSampler::Draw(std::string_view key) {
  if (samples_.size() < settings_.samples) {
    samples_.push_back({.key = std::string(key)});
    return true;
  }
  const uint64_t place = random_.Below(recorded_);
  if (place >= samples_.size()) return false;
  samples_[place] = {.key = std::string(key)};
  return true;
}

void LoadSampler::Vote(std::string_view key) {
  if (votes_ == 0) {
    candidate_ = key;
    votes_ = 1;
  } else if (candidate_ == key) {
    ++votes_;
  } else {
    --votes_;
  }
}

// The reservoir is a uniform sample of the requests, so it shows whether the winner of the vote
// really has a majority: a vote alone always has a winner.
double LoadSampler::ShareInReservoir(std::string_view key) const {
  const auto count = std::count_if(samples_.begin(), samples_.end(),
                                   [&](const Sample& sample) { return sample.key == key; });
  return Ratio(static_cast<uint64_t>(count), samples_.size());
}

}  // namespace hourcell
