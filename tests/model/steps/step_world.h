// StepWorld: the meaning of the numbers in steps: series and names that are always the same, and
// times around the present. Pure but for the present.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/point.h"
#include "codec/rows/uid.h"
#include "engine/parallel_scan.h"
#include "engine/query.h"
#include "tests/model/queries/naive_query.h"
#include "tests/model/steps/model_step.h"

namespace hourcell {

// The present of a store that is new, and the hours that points are of: those before the present
// one, and it.
inline constexpr int64_t kWorldStartMs = 1357020000000;
inline constexpr int64_t kWorldHours = 5;

struct WorldSeries {
  std::string metric;
  NaiveTags tags;
};

class StepWorld {
 public:
  explicit StepWorld(int64_t now_ms) : now_ms_(now_ms) {}

  // By number, whatever it is.
  static const WorldSeries& SeriesOf(uint32_t number);
  // Names of series first, then some that only renames lead to.
  static const std::string& NameOf(UidKind kind, uint32_t number);
  static UidKind KindOf(uint32_t number) { return kUidKinds[number % 3]; }

  // A minute of the hours around the present.
  int64_t MinuteMs(uint32_t number) const;

  struct Point {
    WorldSeries series;
    Timestamp time;
    Value value;
  };
  // Of a kPut or kLosePower.
  std::vector<Point> PointsOf(const ModelStep& step) const;

  // From seeds. Tsuids are from names, as nothing here knows UIDs: `tsuid_of` is called for each,
  // and returns nothing for a series with an unknown name.
  using TsuidOf = std::function<std::optional<std::string>(const WorldSeries&)>;
  QuerySpec QueryOf(uint32_t seed, const TsuidOf& tsuid_of) const;
  // Of a kDelete: a sub query and a range.
  QuerySpec DeletionOf(const ModelStep& step, const TsuidOf& tsuid_of) const;
  LastQuery LastQueryOf(uint32_t seed, const TsuidOf& tsuid_of) const;
  LookupQuery LookupOf(uint32_t seed) const;
  ScanSpec ScanOf(uint32_t seed) const;

 private:
  int64_t FirstMs() const;

  int64_t now_ms_;
};

}  // namespace hourcell
