// QueryCase: the steps that make a store, and queries to it; both to and from a compact text, so
// that a case found by a random test can be kept as a test:
//
//   store salt=1/20 cells=packed regions=eight
//   names metric m other
//   names tagk host dc
//   names tagv a b
//   put m host=a,dc=b 1356998400s:1 1356998400500ms:2.5f
//   seal
//
//   query start=1356998400000 end=1356998460000 agg=sum metric=m filter=host:wildcard:*:g
//     down=1m-avg-nan tz=Europe/Berlin rate=counter,9223372036854775807,0
//
// Names are in the order in which they get their UIDs. A value with an f is floating point. Blanks
// and line feeds separate words; no word has one inside.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/point.h"
#include "codec/rows/uid.h"
#include "engine/options.h"
#include "engine/query.h"
#include "tests/model/queries/naive_query.h"

namespace hourcell {

struct CaseStep {
  enum class Kind : uint8_t { kPut, kSeal, kFlush };
  Kind kind = Kind::kPut;
  // Of a put.
  std::string metric = {};
  NaiveTags tags = {};
  Timestamp time = {};
  Value value = {};
};

// The regions of the data table.
enum class CaseRegions : uint8_t {
  kOne,
  kEight,     // from the start, or as many as there are metrics, hours and buckets to be cut at
  kChanging,  // one is split after a third of the steps, and they are merged after two
};

struct QueryCase {
  CaseRegions regions = CaseRegions::kOne;  // in a text: one by default
  size_t salt_width = 0;
  uint32_t salt_buckets = 1;
  CellEncoding cells = CellEncoding::kPacked;
  uint32_t day_points = 200;  // in a text: 200 by default
  std::vector<std::pair<UidKind, std::string>> names;
  std::vector<CaseStep> steps;
};

std::string ToText(const QueryCase& stored);
std::string ToText(const QuerySpec& spec);

// The inverses. A text that is not of this form ends the program: it is part of a test.
QueryCase ParseCase(std::string_view text);
QuerySpec ParseQuery(std::string_view text);

}  // namespace hourcell
