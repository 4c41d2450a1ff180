// How the sub queries of a query were read, as a table for people.
//
//   query  method       series  of series  groups  hours    rows  expected  skipped   points ...
//       0  point reads       7        100       2     24     160       168        0     5760 ...
//
// Pure; thread-safe.

#pragma once

#include <span>
#include <string>

#include "engine/query.h"

namespace hourcell {

// Lines, each with its end; fields are aligned. "No sub query was planned" if there is none.
std::string ExplainText(std::span<const PlanReport> plans);

}  // namespace hourcell
