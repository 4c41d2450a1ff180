// A line of StatsD: samples of a name, with the extensions of others.
//
//   name:value|type
//   name:value:value|type|@rate|#tag:value,tag:value    DogStatsD: values of one type
//   name:value|type:value|type|@rate:value|type         StatsD: samples with their own types
//   name,tag=value:1|c                                  Telegraf: tags in the name
//   name;tag=value:1|c                                  Graphite
//   name[tag=value,tag=value]:1|c                       SignalFx; more of the name may follow
//
//   c       counter  the value is added
//   g       gauge    it is the value; with + or - a change of it
//   ms h d  timer    a time, or any other size
//   s       set      a word; different ones are counted. Its colons are its own
//
// rate: the share of the samples that are sent, above 0 and at most 1; in DogStatsD's form of all
// values. A tag without a value has the value true; a tag with an empty one is left out. A name
// whose separator is followed by no `=` has no tags. Sections that begin with other characters (c:
// the container, T the time) are skipped, and so are events (_e{) and service checks (_sc|). Pure.

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

struct StatsdSample {
  std::string_view value;  // as it stands; not empty
  StatsdType type = StatsdType::kCounter;
  double rate = 1;
};

// Views point into the line.
struct StatsdLine {
  std::string_view name;              // not empty
  std::string_view name_end;          // the rest of the name, after tags inside of it
  std::vector<StatsdSample> samples;  // at least one
  std::vector<TagView> tags;          // at most kTagsMax, no key or value is empty
  bool is_skipped = false;            // an event or a service check, or empty: it has no sample
};

// Takes a line without its end apart. Returns what is wrong, "want ...", empty if nothing is.
std::string_view ReadStatsdLine(std::string_view text, StatsdLine* line);

}  // namespace hourcell
