// A StatsD line: samples of one name, with the extensions of other implementations.
//
//   name:value|type
//   name:value:value|type|@rate|#tag:value,tag:value    DogStatsD: values of one type
//   name:value|type:value|type|@rate:value|type         StatsD: samples with their own types
//   name,tag=value:1|c                                  Telegraf: tags in the name
//   name;tag=value:1|c                                  Graphite
//   name[tag=value,tag=value]:1|c                       SignalFx; more of the name may follow
//
//   c       counter  the value is added
//   g       gauge    the value is set; with + or - it is changed by the value
//   ms h d  timer    a time, or any other size
//   s       set      a word, which may contain colons; different words are counted
//
// rate: the share of the samples that are sent, above 0 and at most 1; in DogStatsD's form it
// applies to all values. A tag without a value has the value true; a tag with an empty value is
// omitted. If no `=` follows a name's separator, the name has no tags. Sections that begin with
// other characters (c: the container, T the time) are skipped, as are events (_e{) and service
// checks (_sc|). No I/O.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "codec/point.h"

namespace hourcell {

enum class StatsdType : uint8_t { kCounter, kGauge, kTimer, kSet };

// Limit of the values in a line; DogStatsD packs some dozens.
inline constexpr size_t kStatsdLineValuesMax = 1024;

struct StatsdSample {
  std::string_view value;  // as in the line; not empty
  StatsdType type = StatsdType::kCounter;
  double rate = 1;
};

// Views point into the line.
struct StatsdLine {
  std::string_view name;              // not empty
  std::string_view name_end;          // the part of the name after tags inside the name
  std::vector<StatsdSample> samples;  // at least one
  std::vector<TagView> tags;          // at most kTagsMax; keys and values are not empty
  bool is_skipped = false;            // an event, a service check, or empty: it has no samples
};

// Parses a line without its line end. Returns the fault, "expected ...", or "".
std::string_view ReadStatsdLine(std::string_view text, StatsdLine* line);

}  // namespace hourcell
