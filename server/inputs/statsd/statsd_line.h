// A line of StatsD: a sample, with the extensions of DogStatsD.
//
//   name:value|type
//   name:value:value|type|@rate|#tag:value,tag:value
//
//   c       counter  the value is added
//   g       gauge    it is the value; with + or - a change of it
//   ms h d  timer    a time, or any other size
//   s       set      a word; different ones are counted
//
// rate: the share of the samples that are sent, above 0 and at most 1. A tag without a value has
// the value true. Sections that begin with other characters (c: the container, T the time) are
// skipped, and so are events (_e{) and service checks (_sc|). Pure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "codec/point.h"

namespace hourcell {

enum class StatsdType : uint8_t { kCounter, kGauge, kTimer, kSet };

// Values of a line; DogStatsD packs some dozens.
inline constexpr size_t kStatsdLineValuesMax = 1024;

// Views point into the line.
struct StatsdLine {
  StatsdType type = StatsdType::kCounter;
  std::string_view name;                 // not empty
  std::vector<std::string_view> values;  // at least one; as they stand
  double rate = 1;
  std::vector<TagView> tags;  // at most kTagsMax, no key or value is empty
  bool is_skipped = false;    // an event or a service check, or empty: it has no sample
};

// Takes a line without its end apart. Returns what is wrong, "want ...", empty if nothing is.
std::string_view ReadStatsdLine(std::string_view text, StatsdLine* line);

}  // namespace hourcell
