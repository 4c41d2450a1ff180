// LoadSampler: finds the key that halves the requests to a region, to split it there. The idea is
// CockroachDB's load-based splitting (kv/kvserver/split): a reservoir of request keys; each key
// counts the later requests on its left, on its right and across it; the best balanced key is the
// point. A region that one key alone makes hot cannot be relieved by a split: a majority vote
// (Boyer and Moore) finds that key, and the verdict names it.
//
// Recording costs a comparison for each key in the reservoir, and only counting while the rate is
// below the threshold. Thread-compatible; one for each region. Draws come from the seed.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/random.h"
#include "engine/regions/split/split_settings.h"

namespace hourcell {

// Requests counted for one key as the point.
struct LoadCounts {
  uint64_t left = 0;       // would go to the left daughter
  uint64_t right = 0;      // to the right one
  uint64_t contained = 0;  // to both: a scan across the point

  uint64_t total() const { return left + right + contained; }
};

struct LoadScore {
  bool is_eligible = false;
  double balance = 0;    // |left - right| / (left + right), 0 is best
  double contained = 0;  // contained / total, 0 is best
  std::string why = {};  // not eligible

  double total() const { return balance + contained; }
};

LoadScore ScoreOf(const LoadCounts& counts, const LoadSettings& settings);

// Whether a region can be split by its load, and where. Either `point` or `reason` is not empty.
struct LoadVerdict {
  std::string point = {};
  std::string reason = {};   // why `point` is empty
  std::string hot_key = {};  // the one key with most of the requests, if there is one
  double score = 0;          // of the point; smaller is better
  double requests_per_s = 0;
};

class LoadSampler {
 public:
  LoadSampler(const LoadSettings& settings, uint64_t seed);

  // A request for one key, or for keys in [start, end) with an empty `end` above all keys.
  // REQUIRES: now_ms is not below the last call's.
  void RecordKey(uint64_t now_ms, std::string_view key);
  void RecordRange(uint64_t now_ms, std::string_view start, std::string_view end);

  // `region_start` is never the point.
  LoadVerdict Judge(uint64_t now_ms, std::string_view region_start) const;

  // Requests a second in the last whole second.
  double requests_per_s(uint64_t now_ms) const;

 private:
  struct Sample {
    std::string key = {};
    LoadCounts counts = {};
  };

  // True if the rate has reached the threshold, so that the request is to be sampled.
  bool CountRequest(uint64_t now_ms);
  void EndSecond(uint64_t now_ms);
  void Reset();
  // Gives the key a place in the reservoir, or not. True if it got one.
  bool Draw(std::string_view key);
  void Vote(std::string_view key);
  double ShareInReservoir(std::string_view key) const;

  LoadSettings settings_;
  Random random_;
  uint64_t second_ = 0;  // the one being counted
  uint64_t requests_in_second_ = 0;
  uint64_t requests_before_ = 0;  // in the second before
  bool is_recording_ = false;
  uint64_t recording_since_ms_ = 0;
  uint64_t recorded_ = 0;
  std::vector<Sample> samples_;
  std::string candidate_;  // Boyer and Moore's
  uint64_t votes_ = 0;
};

}  // namespace hourcell
