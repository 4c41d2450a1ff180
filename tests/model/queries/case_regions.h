// Where the data table of a case can be cut, so that its rows are in several regions.

#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "codec/rows/layout.h"
#include "codec/rows/uid.h"
#include "tests/model/queries/query_case.h"

namespace hourcell {

// Up to `count` keys, ascending, evenly among the starts of each salt bucket, metric and hour that
// the case's steps put points into, but for the first. `metrics` has the UIDs of its metrics.
std::vector<std::string> CutKeys(const QueryCase& stored,
                                 const Layout& layout,
                                 const std::map<std::string, Uid>& metrics,
                                 size_t count);

// As text of a key, with nothing that the texts of lists of keys give a meaning to.
std::string KeyText(std::string_view key);

}  // namespace hourcell
